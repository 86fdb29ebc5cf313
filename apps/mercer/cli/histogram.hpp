#pragma once

#include <span>
#include <string>

/// A terminal plot of how values are spread: one line per bin, lowest first. Block characters if `unicode`.
std::string histogram(std::span<const double> values, std::size_t width, bool unicode);
