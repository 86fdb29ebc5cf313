#include "core/half.hpp"

#include <cmath>

namespace mercer {

std::uint16_t to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(value);
  if (std::isnan(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  if (size < 0x1p-14) return sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24));
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // [0.5, 1)
  const auto bits = static_cast<std::uint32_t>(std::nearbyint(fraction * 0x1p11));
  // 2^11 carries into the exponent by itself.
  return sign | static_cast<std::uint16_t>((static_cast<std::uint32_t>(exponent + 14) << 10) + (bits - 0x400));
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 0x3ff, sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * fraction * 0x1p-24;
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

}  // namespace mercer
