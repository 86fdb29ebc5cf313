#pragma once

#include <string>

/// "1%" and "0.01" are both 0.01. Throws `bad_value` naming `source` for what is neither, `out_of_range` below 0 and,
/// without %, above 1.
double parse_fraction(const std::string& text, const std::string& source);
/// "90", "90s", "1.5m" and "2h" in seconds. Throws `bad_value` or `out_of_range` naming `source`.
double parse_seconds(const std::string& text, const std::string& source);
