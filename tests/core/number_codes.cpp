#include "core/number_codes.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <gtest/gtest.h>

namespace mercer {
namespace {

double read_by_eigen(std::uint32_t bits) {
  return static_cast<float>(
      Eigen::half_impl::half_to_float(Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(bits))));
}

TEST(Half, every_number_reads_as_in_eigen) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = from_half(static_cast<std::uint16_t>(bits)), expected = read_by_eigen(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << bits;
    }
  }
}

// Floats over their whole range, subnormal and infinite ones among them.
TEST(Half, floats_round_as_in_eigen) {
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 4099) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(to_half(value), Eigen::half(value).x) << value;
  }
  EXPECT_TRUE(std::isnan(from_half(to_half(std::nan("")))));
}

// Eigen rounds a double to float first: what lies just beyond a tie then falls on it, and rounds to even.
TEST(Half, doubles_next_to_a_tie_round_once) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double tie = (read_by_eigen(bits) + read_by_eigen(bits + 1)) / 2;
    EXPECT_EQ(to_half(std::nextafter(tie, 0.0)), bits);
    EXPECT_EQ(to_half(std::nextafter(tie, infinity)), bits + 1);
    EXPECT_EQ(to_half(tie), bits + bits % 2);
  }
}

}  // namespace
}  // namespace mercer
