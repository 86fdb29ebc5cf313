// Payloads of the second layout: ranges that are powers of two, ridges with units of their own.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/number_codes.hpp"
#include "embed/payload/integer_code.hpp"
#include "mercer/embedding.hpp"
#include "mercer/file.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Every axis without a range, but for each `bounded`-th.
Contract robot(std::size_t observations, std::size_t actions, std::size_t bounded = 0) {
  Contract contract;
  std::vector<Axis> seen, acted;
  for (std::size_t d = 0; d < observations; ++d) {
    const bool has_range = bounded > 0 && d % bounded == 0;
    seen.push_back({fmt::format("o{}", d), has_range ? Range{-3, 8.5} : Range{-infinite, infinite}, "", false});
  }
  for (std::size_t a = 0; a < actions; ++a) acted.push_back({fmt::format("a{}", a), {-1, 1}, "", false});
  contract.observation = Space::box(seen);
  contract.action = Space::box(acted);
  return contract;
}

int between(Random& random, int low, int high) { return low + static_cast<int>(random.uniform() * (high - low + 1)); }

// Constant and linear terms, and ridges whose numbers fill their bits.
ContinuousCode shared_ridges(const Contract& contract, std::size_t ridges, unsigned bits, NumberFormat format,
                             Random& random) {
  ContinuousCode code;
  code.format = format;
  code.ranges = StoredRanges::power;
  const int base = between(random, -6, 6);
  for (const Axis& axis : contract.observation.axes) {
    const double end = std::ldexp(1.0, between(random, base, base + 7));
    code.coordinates.push_back({is_bounded(axis) ? axis.range : Range{-end, end}, axis.periodic});
  }
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_tensor(code.terms, Family::legendre, IndexRule::total, 1);
  code.terms.ridges.bits = bits;
  code.terms.ridges.unit = static_cast<std::uint8_t>(between(random, 140, 190));
  for (std::size_t r = 0; r < ridges; ++r) {
    code.terms.ridges.halvings.push_back(static_cast<std::uint8_t>(between(random, 0, 7)));
    for (std::size_t i = 0; i <= code.coordinates.size(); ++i) {
      const double number = std::clamp(random.normal() / 2.5, -1.0, 1.0) * most_integer(bits);
      code.terms.ridges.numbers.push_back(static_cast<std::int16_t>(std::nearbyint(number)));
    }
  }
  code.outputs = contract.action.dimensions();
  const std::size_t count = code.terms.size();
  for (std::size_t i = 0; i < count * code.outputs; ++i)
    code.coefficients.push_back(random.normal() / std::sqrt(static_cast<double>(count)));
  return code;
}

double brute_force(const ContinuousCode& code, std::size_t output, const double* state) {
  const std::size_t d = code.coordinates.size(), ridges = code.terms.ridges.numbers.size() / (d + 1);
  const double* c = code.coefficients.data() + output * code.terms.size();
  std::vector<double> x;
  for (std::size_t i = 0; i < d; ++i) {
    const Range range = code.coordinates[i].range;
    x.push_back(std::clamp(2 * (state[i] - range.low) / (range.high - range.low) - 1, -1.0, 1.0));
  }
  double sum = *c++;
  for (std::size_t i = d; i-- > 0;) sum += std::sqrt(3) * *c++ * x[i];  // the last axis is the first in the order
  for (std::size_t r = 0; r < ridges; ++r) {
    const double unit = std::exp2((code.terms.ridges.unit - 192) / 8.0) / (1 << code.terms.ridges.halvings[r]);
    const std::int16_t* w = code.terms.ridges.numbers.data() + r * (d + 1);
    double inner = w[d];
    for (std::size_t i = 0; i < d; ++i) inner += w[i] * x[i];
    sum += *c++ * std::tanh(unit * inner);
  }
  return sum;
}

TEST(CompactCodes, come_back_and_act_as_their_formula) {
  static const NumberFormat formats[] = {NumberFormat::float32, NumberFormat::float16, NumberFormat::int16,
                                         NumberFormat::int8,    NumberFormat::int6,    NumberFormat::int4};
  Random random({3, Stage::start, 0, 0});
  for (int round = 0; round < 60; ++round) {
    const auto d = static_cast<std::size_t>(between(random, 1, 30)),
               outputs = static_cast<std::size_t>(between(random, 1, 8)),
               ridges = static_cast<std::size_t>(between(random, 1, 40)),
               bounded = static_cast<std::size_t>(between(random, 0, 4));
    const Contract contract = robot(d, outputs, bounded);
    const auto bits = static_cast<unsigned>(between(random, 3, 8));
    const ContinuousCode code = shared_ridges(contract, ridges, bits, formats[round % 6], random);
    const std::vector<std::uint8_t> payload = encode_continuous(code, contract);
    EXPECT_EQ(payload[0] & 3, 3);
    const ContinuousEmbedding made = ContinuousEmbedding::decode(payload, contract, "here");
    const ContinuousCode& back = made.code();
    EXPECT_EQ(back.ranges, StoredRanges::power);
    EXPECT_EQ(back.terms.tensor.kept, code.terms.tensor.kept);
    EXPECT_EQ(back.terms.ridges.unit, code.terms.ridges.unit);
    EXPECT_EQ(back.terms.ridges.numbers, code.terms.ridges.numbers);
    ContinuousCode expected = back;
    expected.terms.ridges.halvings = code.terms.ridges.halvings;
    expected.coordinates = code.coordinates;
    std::vector<double> state(d), out(outputs);
    for (int point = 0; point < 20; ++point) {
      for (std::size_t i = 0; i < d; ++i) state[i] = 1.2 * random.normal() * code.coordinates[i].range.high;
      made.function()({state.data(), d, 1}, {out.data(), outputs, 1});
      for (std::size_t o = 0; o < outputs; ++o) {
        const double plain = brute_force(expected, o, state.data());
        EXPECT_NEAR(out[o], plain, 1e-11 * (1 + std::abs(plain)));
      }
    }
    for (std::size_t i = 0; i < code.coefficients.size(); ++i) {  // at most 4.6% above largest / most, by half
      const double unit = format_bits(code.format) <= 8 ? 4.0 / most_integer(format_bits(code.format)) : 4e-3;
      EXPECT_NEAR(back.coefficients[i], code.coefficients[i], unit);
    }
    EXPECT_EQ(encode_continuous(back, contract), payload);
    const ContinuousCode::Bits bits_of = back.bits;
    EXPECT_EQ((bits_of.header + bits_of.coordinates + bits_of.terms + bits_of.scales + bits_of.coefficients + 7) / 8,
              payload.size());
  }
}

TEST(CompactCodes, hold_every_other_kind_of_term) {
  Random random({4, Stage::start, 0, 0});
  const Contract contract = robot(3, 2, 2);
  ContinuousCode code = shared_ridges(contract, 4, 5, NumberFormat::int8, random);
  code.terms.ridges.halvings = {2, 2, 2, 2};
  for (Coordinate& axis : code.coordinates) axis.knots = {60, 130, 131};
  const std::vector<double> centres{0.5, -0.5, 0.1, 0.2, 0.9, -1};
  for (const bool linear : {true, false}) {
    if (!linear) {
      add_tensor(code.terms, Family::chebyshev, IndexRule::total, 4);
      code.terms.tensor.kept = {0, 3, 8};
    }
    add_waves(code.terms, Kernel::matern32, 0.5, 77, 30);
    code.terms.waves.kept = {4, 19, 29};
    add_radials(code.terms, Kernel::matern52, 7, 0.4, 2, {centres.data(), 3, 2});
    for (const StoredRanges ranges : {StoredRanges::power, StoredRanges::half}) {
      code.ranges = ranges;
      code.coefficients.assign(2 * code.terms.size(), 0);
      for (std::size_t i = 0; i < code.coefficients.size(); ++i)
        code.coefficients[i] = std::cos(static_cast<double>(i));
      const std::vector<std::uint8_t> payload = encode_continuous(code, contract);
      const ContinuousCode back = decode_continuous(payload, contract, "here");
      EXPECT_EQ(back.ranges, ranges);
      EXPECT_EQ(back.terms.tensor.kept, code.terms.tensor.kept);
      EXPECT_EQ(back.terms.waves.kept, code.terms.waves.kept);
      EXPECT_EQ(back.terms.ridges.halvings, code.terms.ridges.halvings);
      EXPECT_EQ(back.terms.radials.centres, code.terms.radials.centres);
      EXPECT_EQ(back.terms.radials.widths, code.terms.radials.widths);
      EXPECT_EQ(back.coordinates[1].knots, code.coordinates[1].knots);
      EXPECT_EQ(back.coordinates[1].range.low, code.coordinates[1].range.low);
      EXPECT_EQ(encode_continuous(back, contract), payload);
    }
  }
}

// Two joints, eight observations without ranges, two torques: 18 numbers.
TEST(CompactCodes, of_a_linear_swimmer_have_twenty_bytes) {
  const Contract contract = robot(8, 2);
  Random random({5, Stage::start, 0, 0});
  std::size_t most = 0;
  for (int round = 0; round < 50; ++round) {
    const ContinuousCode code = shared_ridges(contract, 0, 4, NumberFormat::int5, random);
    ASSERT_EQ(code.coefficients.size(), 18U);
    most = std::max(most, encode_continuous(code, contract).size());
  }
  EXPECT_LE(most, 20U);
  printf("  up to %zu bytes\n", most);
}

std::size_t bits_saved(std::span<const std::int16_t> numbers, unsigned bits) {
  BitWriter out;
  put_packed(out, numbers, bits);
  return 1 + numbers.size() * bits - out.bits();
}

// Normal weights of 32 ridges on 17 observations, rows of different size, each with the power of two that holds it.
TEST(CompactCodes, of_a_robot_take_fewer_bytes_than_plain_integers) {
  const Contract contract = robot(17, 6);
  Random random({9, Stage::start, 0, 0});
  ContinuousCode code = shared_ridges(contract, 32, 6, NumberFormat::int8, random);
  RidgeTerms& ridges = code.terms.ridges;
  const double unit = from_log_scale(ridges.unit);
  for (std::size_t r = 0; r < 32; ++r) {
    std::vector<double> row;
    double largest = 0;
    for (std::size_t i = 0; i < 18; ++i) {
      row.push_back(random.normal() * (1 + static_cast<double>(r % 8)) * unit);
      largest = std::max(largest, std::abs(row.back()));
    }
    const double halvings = std::floor(std::log2(unit / (largest / 31.499)));
    ridges.halvings[r] = static_cast<std::uint8_t>(std::clamp(halvings, 0.0, 7.0));
    for (std::size_t i = 0; i < 18; ++i)
      ridges.numbers[r * 18 + i] = static_cast<std::int16_t>(std::nearbyint(row[i] / ridge_unit(ridges, r)));
  }
  const std::vector<std::uint8_t> payload = encode_continuous(code, contract);
  const ContinuousCode back = decode_continuous(payload, contract, "here");
  EXPECT_EQ(back.terms.ridges.numbers, ridges.numbers);
  EXPECT_EQ(back.terms.ridges.halvings, ridges.halvings);
  std::vector<std::int16_t> linear, others;
  for (std::size_t i = 0; i < back.coefficients.size(); ++i) {
    const std::size_t output = i / 50, part = i % 50 < 18 ? 0 : 1;
    const double number = back.coefficients[i] / from_log_scale(back.scales[2 * output + part]);
    (part == 0 ? linear : others).push_back(static_cast<std::int16_t>(std::nearbyint(number)));
  }
  const std::size_t of_ridges = bits_saved(ridges.numbers, 6),
                    of_others = bits_saved(linear, 8) + bits_saved(others, 8);
  const ContinuousCode::Bits bits = back.bits;
  const std::size_t all = bits.header + bits.coordinates + bits.terms + bits.scales + bits.coefficients;
  const std::size_t plain = (all + of_ridges + of_others + 7) / 8;
  EXPECT_GT(of_ridges, 6 * 576 / 20U);
  EXPECT_LT(payload.size() + 30, plain);
  printf("  %zu bytes, %zu as plain integers; bits: header %zu, ranges %zu, terms %zu, scales %zu, coefficients %zu\n",
         payload.size(), plain, bits.header, bits.coordinates, bits.terms, bits.scales, bits.coefficients);
}

TEST(CompactCodes, are_written_only_for_what_needs_them) {
  Random random({6, Stage::start, 0, 0});
  const Contract contract = robot(3, 1, 1);
  ContinuousCode code = shared_ridges(contract, 4, 5, NumberFormat::int8, random);
  code.ranges = StoredRanges::contract;
  const auto layout = [&] { return encode_continuous(code, contract)[0] & 3; };
  EXPECT_EQ(layout(), 3);
  code.terms.ridges.halvings.assign(4, 0);
  EXPECT_EQ(layout(), 2);
  const std::vector<std::uint8_t> payload = encode_continuous(code, contract);
  code.terms.ridges.halvings.clear();
  EXPECT_EQ(encode_continuous(code, contract), payload);
  code.ranges = StoredRanges::power;
  EXPECT_EQ(layout(), 3);
}

TEST(CompactCodes, refuse_what_they_cannot_hold) {
  Random random({7, Stage::start, 0, 0});
  const Contract contract = robot(4, 1, 4);
  const ContinuousCode code = shared_ridges(contract, 2, 5, NumberFormat::int8, random);
  const auto refuse = [&](ErrorCode error, const char* text, auto change) {
    ContinuousCode other = code;
    change(other);
    expect_error(error, text, [&] { encode_continuous(other, contract); });
  };
  refuse(ErrorCode::out_of_range, "numbers of a payload are up to 8 apart", [](ContinuousCode& other) {
    other.coordinates[1].range = {-1, 1};
    other.coordinates[2].range = {-256, 256};
    other.coordinates[3].range = {-2, 2};
  });
  for (const Range range : {Range{-3, 3}, Range{-2, 4}, Range{0, 0}, Range{-0x1p32, 0x1p32}, Range{-0x1p-33, 0x1p-33}})
    refuse(ErrorCode::out_of_range, "powers of two",
           [&](ContinuousCode& other) { other.coordinates[2].range = range; });
  refuse(ErrorCode::out_of_range, "'o0' has the range -4 to 4", [](ContinuousCode& other) {
    other.coordinates[0].range = {-4, 4};
  });
  refuse(ErrorCode::out_of_range, "halving", [](ContinuousCode& other) { other.terms.ridges.halvings[1] = 8; });
  refuse(ErrorCode::shape_mismatch, "numbers missing",
         [](ContinuousCode& other) { other.terms.ridges.halvings.pop_back(); });
}

// Cut short or with any bit flipped, bytes are refused or give finite actions.
TEST(CompactCodes, survive_damage) {
  Random random({8, Stage::start, 0, 0});
  const Contract contract = robot(5, 2, 3);
  std::size_t refused = 0, played = 0;
  const auto try_bytes = [&](std::span<const std::uint8_t> bytes) {
    const std::vector<double> state{0.5, 0.8, -3, 100, -1e5};
    std::vector<double> action(2);
    try {
      ContinuousEmbedding::decode(bytes, contract, "damaged")
          .policy()
          .mean_action({state.data(), 5, 1}, {action.data(), 2, 1});
      EXPECT_TRUE(std::isfinite(action[0]) && std::isfinite(action[1]));
      ++played;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt_file) << error.what();
      ++refused;
    }
  };
  for (const NumberFormat format : {NumberFormat::int8, NumberFormat::int5, NumberFormat::float16}) {
    for (const std::size_t ridges : {0U, 12U}) {
      const std::vector<std::uint8_t> whole =
          encode_continuous(shared_ridges(contract, ridges, 6, format, random), contract);
      for (std::size_t size = 0; size < whole.size(); ++size) try_bytes(std::span(whole).first(size));
      std::vector<std::uint8_t> longer = whole;
      longer.push_back(0);
      EXPECT_THROW(decode_continuous(longer, contract, "longer"), Error);
      for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::vector<std::uint8_t> damaged = whole;
        damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        try_bytes(damaged);
      }
      for (int round = 0; round < 2000; ++round) {
        std::vector<std::uint8_t> noise = whole;
        for (std::size_t i = 1; i < noise.size(); ++i) noise[i] = static_cast<std::uint8_t>(random.bits());
        try_bytes(noise);
      }
    }
  }
  EXPECT_GT(refused, 1000U);
  EXPECT_GT(played, 1000U);
}

TEST(Levels, take_as_few_bits_as_their_distance) {
  for (const int apart : {0, 1, 3, 7, 15, 31, 63, 255}) {
    const std::vector<std::uint8_t> numbers{static_cast<std::uint8_t>(255 - apart), 255,
                                            static_cast<std::uint8_t>(255 - apart / 2)};
    BitWriter out;
    put_levels(out, numbers, 8, 3);
    EXPECT_EQ(out.bits(), 8 + 3 + 3 * static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(apart))));
    const std::vector<std::uint8_t> bytes = out.take();
    BitReader in(bytes, "here");
    EXPECT_EQ(get_levels(in, 3, 8, 3), numbers);
    in.finish();
  }
}

TEST(OldPayloads, are_written_as_they_were) {
  const EmbeddingFile file = read_embedding(std::string(MERCER_TEST_DATA) + "/export/pendulum_5000.mercer");
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  EXPECT_EQ(embedding.payload()[0] & 3, 2);
  EXPECT_EQ(encode_continuous(embedding.code(), embedding.policy().contract()), embedding.payload());
}

}  // namespace
}  // namespace mercer
