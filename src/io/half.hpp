#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace mercer {

/// The number that 16 bits of IEEE 754 mean.
inline double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const double fraction = bits & 0x3ff;
  const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// The number that 16 bits of bfloat16 mean: the upper half of single precision.
inline double bfloat_to_double(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Numbers of 16 bits, little-endian, as floats, which hold them exactly. `widen` is one of the functions above.
inline std::vector<float> widened(std::span<const std::byte> data, double (*widen)(std::uint16_t)) {
  std::vector<float> out(data.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, data.data() + 2 * i, 2);
    out[i] = static_cast<float>(widen(bits));
  }
  return out;
}

}  // namespace mercer
