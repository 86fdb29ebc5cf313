#pragma once

#include <cstdint>

namespace mercer {

/// A number in half precision (11 bits, up to 65504): the nearest, ties to even; too large ones become infinite.
std::uint16_t to_half(double value);
double from_half(std::uint16_t bits);

/// A positive number in one byte: 2^((code - 192) / 8), from 6e-8 to 235 in steps of 9%.
double from_log_scale(std::uint8_t code);
/// The nearest (by ratio), or the smallest that is not below `value`; too small and too large ones give the ends.
std::uint8_t to_log_scale(double value);
std::uint8_t to_log_scale_above(double value);

}  // namespace mercer
