#pragma once

#include <cstdint>

namespace mercer {

/// A positive number in one byte: 2^((code - 192) / 8), from 6e-8 to 235 in steps of 9%.
double from_log_scale(std::uint8_t code);
/// The nearest (by ratio), or the smallest that is not below `value`; too small and too large ones give the ends.
std::uint8_t to_log_scale(double value);
std::uint8_t to_log_scale_above(double value);

}  // namespace mercer
