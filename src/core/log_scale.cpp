#include "core/log_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {

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
