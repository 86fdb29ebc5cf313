#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/number_codes.hpp"
#include "embed/payload/term_code.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

Contract pendulum() { return contract_of(make_env("pendulum")->task()); }

// Six of the 56 products up to degree 5.
ContinuousCode small_code(NumberFormat format) {
  ContinuousCode code;
  code.format = format;
  code.coordinates = contract_coordinates(pendulum(), code.head);
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_tensor(code.terms, Family::chebyshev, IndexRule::total, 5);
  code.terms.tensor.kept = {0, 3, 7, 20, 40, 55};
  code.coefficients = {0.31, -1.2, 2.5, -0.004, 1.0 / 3, 0.77};
  return code;
}

// Every kind of term, bends and ranges of its own, two outputs.
ContinuousCode large_code() {
  ContinuousCode code = small_code(NumberFormat::float16);
  code.head = Head::gaussian;
  code.outputs = 2;
  code.ranges = StoredRanges::half;
  for (Coordinate& axis : code.coordinates) axis.knots = {60, 130, 131};
  add_waves(code.terms, Kernel::matern32, 0.5, 77, 30);
  code.terms.waves.kept = {4, 19, 29};
  add_ridges(code.terms, 4, 8, 5, 1);
  const std::vector<double> centres{0.5, -0.5, 0.1, 0.2, 0.9, -1};
  add_radials(code.terms, Kernel::matern52, 7, 0.4, 2, {centres.data(), 3, 2});
  code.coefficients.assign(2 * code.terms.size(), 0);
  for (std::size_t i = 0; i < code.coefficients.size(); ++i) code.coefficients[i] = std::cos(static_cast<double>(i));
  return code;
}

TEST(SubsetCodes, are_as_short_as_can_be_and_come_back) {
  Random random({1, Stage::start, 0, 0});
  for (const std::size_t count : {1U, 2U, 7U, 56U, 300U, 5000U}) {
    for (std::size_t size = 0; size <= std::min<std::size_t>(count, 700); size += 1 + size / 3) {
      for (int round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> subset;
        for (std::uint32_t i = 0; i < count; ++i) {  // each subset of that size equally likely
          if (random.uniform() * static_cast<double>(count - i) < static_cast<double>(size - subset.size())) {
            subset.push_back(i);
          }
        }
        if (round == 1)
          for (std::uint32_t i = 0; i < size; ++i) subset[i] = i;
        if (round == 2)
          for (std::uint32_t i = 0; i < size; ++i) subset[i] = static_cast<std::uint32_t>(count - size + i);
        BitWriter out;
        write_subset(out, subset, count);
        double needed = 0;  // log2 C(count, size)
        for (std::size_t i = 1; i <= size; ++i)
          needed += std::log2(static_cast<double>(count - size + i) / static_cast<double>(i));
        if (size <= 256) {
          EXPECT_LE(static_cast<double>(out.bits()), std::ceil(needed - 1e-6)) << size << " of " << count;
        }
        const std::vector<std::uint8_t> bytes = out.take();
        BitReader in(bytes, "here");
        EXPECT_EQ(read_subset(in, size, count), subset);
        in.finish();
      }
    }
  }
}

// The rank is the sum of C(subset[i], i + 1), low bytes first; Python's integers computed it here.
TEST(SubsetCodes, are_ranks_in_the_combinatorial_number_system) {
  std::vector<std::uint32_t> subset;
  for (std::uint32_t i = 0; i < 20; ++i) subset.push_back(260 * i + 59);
  BitWriter out;
  write_subset(out, subset, 5000);
  std::string bytes;
  for (const std::uint8_t byte : out.take()) bytes += fmt::format("{:02x}", byte);
  EXPECT_EQ(bytes, "b5a8bd16be0e9e417a5d64a1ef0e6d040830e34b01f98801");
}

TEST(BitStreams, hold_counts_of_any_size) {
  BitWriter out;
  const std::vector<std::uint32_t> numbers{0, 1, 7, 8, 100, 65535, 0xFFFFFFFE};
  for (const std::uint32_t number : numbers) out.put_count(number, 3);
  const std::vector<std::uint8_t> bytes = out.take();
  BitReader in(bytes, "here");
  for (const std::uint32_t number : numbers) EXPECT_EQ(in.get_count(3, 0xFFFFFFFF), number);
  in.finish();
}

TEST(HalfPrecision, rounds_to_the_nearest) {
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double value = from_half(static_cast<std::uint16_t>(bits)),
                 next = from_half(static_cast<std::uint16_t>(bits + 1));
    EXPECT_EQ(to_half(value), bits);
    EXPECT_EQ(to_half(-value), bits | 0x8000);
    if (!std::isfinite(next)) continue;
    EXPECT_EQ(to_half(value + 0.49 * (next - value)), bits);
    EXPECT_EQ(to_half(value + 0.51 * (next - value)), bits + 1);
    EXPECT_EQ(to_half((value + next) / 2), bits + bits % 2);
  }
  EXPECT_TRUE(std::isinf(from_half(to_half(1e6))));
}

TEST(LogScales, go_up_and_down) {
  for (int code = 0; code < 256; ++code) {
    const double value = from_log_scale(static_cast<std::uint8_t>(code));
    EXPECT_NEAR(value, std::exp2((code - 192) / 8.0), 1e-15 * value);
    EXPECT_EQ(to_log_scale(value), code);
    EXPECT_EQ(to_log_scale_above(value), code);
    EXPECT_EQ(to_log_scale_above(value * 1.01), std::min(code + 1, 255));
  }
}

TEST(ContinuousCodes, keep_to_their_rounding) {
  for (int f = 0; f < 8; ++f) {
    const auto format = static_cast<NumberFormat>(f);
    const ContinuousCode code = small_code(format);
    const ContinuousCode back = decode_continuous(encode_continuous(code, pendulum()), pendulum(), "here");
    EXPECT_EQ(back.terms.tensor.kept, code.terms.tensor.kept);
    EXPECT_EQ(back.terms.tensor.set.degree, 5U);
    for (std::size_t i = 0; i < code.coefficients.size(); ++i) {
      // Integers: half a unit, and the unit is at most 9% above the largest by the largest integer.
      const double half_unit = 2.5 / ((1 << (format_bits(format) - 1)) - 1) * 1.1 / 2;
      const double promised = format == NumberFormat::float32   ? 0x1p-24 * std::abs(code.coefficients[i])
                              : format == NumberFormat::float16 ? 0x1p-11 * std::abs(code.coefficients[i])
                                                                : half_unit;
      EXPECT_LE(std::abs(back.coefficients[i] - code.coefficients[i]), promised) << name(format);
    }
    EXPECT_EQ(encode_continuous(back, pendulum()), encode_continuous(code, pendulum())) << name(format);
    EXPECT_EQ(parse<NumberFormat>(name(format)), format);
  }
}

TEST(ContinuousCodes, are_short) {
  // 8 bits of header, 2 of coordinates, 16 about the terms, ceil(log2 C(56, 6)) = 25 for which, 8 of scale, 48 of
  // numbers
  EXPECT_LE(encode_continuous(small_code(NumberFormat::int8), pendulum()).size(), 14U);
  EXPECT_LE(encode_continuous(small_code(NumberFormat::int4), pendulum()).size(), 11U);
}

TEST(ContinuousCodes, hold_every_kind_of_term) {
  const ContinuousCode code = large_code();
  const std::vector<std::uint8_t> payload = encode_continuous(code, pendulum());
  const ContinuousCode back = decode_continuous(payload, pendulum(), "here");
  EXPECT_EQ(back.terms.waves.kept, code.terms.waves.kept);
  EXPECT_EQ(back.terms.waves.seed, 77U);
  EXPECT_EQ(back.terms.ridges.numbers, code.terms.ridges.numbers);
  EXPECT_EQ(back.terms.radials.centres, code.terms.radials.centres);
  EXPECT_EQ(back.terms.radials.widths, code.terms.radials.widths);
  EXPECT_EQ(back.coordinates[2].knots, code.coordinates[2].knots);
  EXPECT_EQ(encode_continuous(back, pendulum()), payload);
  const ContinuousCode::Bits bits = back.bits;
  EXPECT_EQ((bits.header + bits.coordinates + bits.terms + bits.scales + bits.coefficients + 7) / 8, payload.size());
}

TEST(ContinuousCodes, name_all_formats_to_whoever_asks_for_another) {
  for (const char* name : {"int3", "int9", "float8", ""}) {
    expect_error(ErrorCode::unknown_name, "float32, float16, int16, int8, int7, int6, int5, int4",
                 [&] { parse<NumberFormat>(name); });
  }
}

TEST(ContinuousCodes, refuse_what_they_cannot_hold) {
  ContinuousCode code = small_code(NumberFormat::int8);
  code.coefficients[2] = std::nan("");
  expect_error(ErrorCode::not_finite, "coefficient", [&] { encode_continuous(code, pendulum()); });
  code.coefficients[2] = 1e9;
  expect_error(ErrorCode::out_of_range, "does not fit int8", [&] { encode_continuous(code, pendulum()); });
  code.coefficients.pop_back();
  expect_error(ErrorCode::shape_mismatch, "5 coefficients for 6 terms", [&] { encode_continuous(code, pendulum()); });
}

// Whatever happens to the bytes, they are refused or decode to a policy that gives finite actions.
TEST(ContinuousCodes, survive_damage) {
  const Contract contract = pendulum();
  const std::vector<double> observation{0.5, 0.8, -3};
  std::size_t refused = 0, played = 0;
  for (const ContinuousCode& code : {small_code(NumberFormat::int8), large_code()}) {
    const std::vector<std::uint8_t> whole = encode_continuous(code, pendulum());
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THROW(decode_continuous(std::span(whole).first(size), contract, "cut"), Error) << size;
    }
    std::vector<std::uint8_t> longer = whole;
    longer.push_back(0);
    EXPECT_THROW(decode_continuous(longer, contract, "longer"), Error);
    Random random({2, Stage::start, 0, 0});
    for (int round = 0; round < 20000; ++round) {
      std::vector<std::uint8_t> damaged = whole;
      for (std::uint64_t flips = 1 + random.bits() % 3; flips > 0; --flips) {
        damaged[random.bits() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random.bits() % 8);
      }
      try {
        const auto made = ContinuousEmbedding::decode(damaged, contract, "damaged");
        double action = 0;
        made.policy().mean_action({observation.data(), 3, 1}, {&action, 1, 1});
        EXPECT_TRUE(made.code().head == Head::density || std::isfinite(action));
        ++played;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::corrupt_file) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 5000U);
  EXPECT_GT(played, 5000U);
}

}  // namespace
}  // namespace mercer
