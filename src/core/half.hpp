#pragma once

#include <cstdint>

namespace mercer {

/// A number in half precision (11 bits, up to 65504): the nearest, ties to even; too large ones become infinite.
std::uint16_t to_half(double value);
double from_half(std::uint16_t bits);

}  // namespace mercer
