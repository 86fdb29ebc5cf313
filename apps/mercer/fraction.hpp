#pragma once

#include <string>

/// "1%" and "0.01" are both 0.01. Throws `bad_value` naming `source` for what is neither, `out_of_range` below 0.
double parse_fraction(const std::string& text, const std::string& source);
