#include "core/number_codes.hpp"

#include <algorithm>
#include <array>
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

double from_log_scale(std::uint8_t code) {
  // Written out: the same bits whatever the C library's exp2.
  constexpr std::array<double, 8> eighths{0x1p+0,
                                          0x1.172b83c7d517bp+0,
                                          0x1.306fe0a31b715p+0,
                                          0x1.4bfdad5362a27p+0,
                                          0x1.6a09e667f3bcdp+0,
                                          0x1.8ace5422aa0dbp+0,
                                          0x1.ae89f995ad3adp+0,
                                          0x1.d5818dcfba487p+0};
  return std::ldexp(eighths[code % 8], code / 8 - 24);
}

std::uint8_t to_log_scale(double value) {
  if (!(value > 0)) return 0;
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(8 * std::log2(value)) + 192, 0.0, 255.0));
}

std::uint8_t to_log_scale_above(double value) {
  const std::uint8_t code = to_log_scale(value);
  return from_log_scale(code) < value && code < 255 ? code + 1 : code;
}

}  // namespace mercer
