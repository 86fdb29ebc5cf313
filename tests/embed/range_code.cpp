// Integers in as many bits as their distribution says.
#include "embed/payload/range_code.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "embed/payload/integer_code.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

enum class Shape { normal, laplace };

// Rows of weights in integers, each row with the smallest unit of 2^(1/steps), 2^(2/steps), ... that holds its largest.
std::vector<std::int16_t> weights(Random& random, Shape shape, std::size_t rows, std::size_t columns, unsigned bits,
                                  double steps) {
  std::vector<std::int16_t> numbers;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> row;
    double largest = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      const double sign = random.uniform() < 0.5 ? -1 : 1;
      row.push_back(shape == Shape::normal ? random.normal() : sign * std::log(1 - random.uniform()));
      largest = std::max(largest, std::abs(row.back()));
    }
    const double unit = std::exp2(std::ceil(steps * std::log2(largest / (most_integer(bits) + 0.499))) / steps);
    for (const double weight : row) numbers.push_back(static_cast<std::int16_t>(std::nearbyint(weight / unit)));
  }
  return numbers;
}

std::vector<std::int16_t> unpacked(BitWriter out, std::size_t count, unsigned bits) {
  const std::vector<std::uint8_t> bytes = out.take();
  BitReader in(bytes, "here");
  std::vector<std::int16_t> numbers = get_packed(in, count, bits);
  in.finish();
  return numbers;
}

TEST(LaplaceModels, have_the_frequencies_of_their_formula) {
  for (unsigned bits = 3; bits <= 8; ++bits) {
    for (unsigned spread = 0; spread < LaplaceModel::spreads; ++spread) {
      const LaplaceModel model(bits, spread);
      const int most = (1 << (bits - 1)) - 1;
      ASSERT_EQ(model.most(), most);
      const int step = static_cast<int>(spread) + 1, q = (4 + step % 4) * (1 << step / 4);
      std::vector<long long> weight{1 << 20};
      for (int k = 0; k < most; ++k) weight.push_back(weight.back() - 4 * weight.back() / q);
      const auto sum_below = [&](int number) {
        long long sum = 0;
        for (int n = -most; n < number; ++n) sum += weight[static_cast<std::size_t>(std::abs(n))];
        return sum;
      };
      const long long all = sum_below(most + 1);
      for (int n = -most; n <= most + 1; ++n) {
        const int before = n + most;
        ASSERT_EQ(model.below(n), before + sum_below(n) * (65536 - 2 * most - 1) / all) << bits << " " << spread;
        if (n > most) continue;
        ASSERT_GE(model.frequency(n), 1U);
        ASSERT_EQ(model.at(model.below(n)), n);
        ASSERT_EQ(model.at(model.below(n + 1) - 1), n);
        // Close to what the share 1 - 4 / q at each step would give, up to the one that every integer has.
        if (n < 0) continue;
        const double ratio = 1 - 4.0 / q,
                     exact = std::pow(ratio, n) * (65536 - 2 * most - 1) * (1 << 20) / static_cast<double>(all);
        ASSERT_NEAR(model.frequency(n), exact + 1, 2 + 0.05 * exact) << n;
      }
      EXPECT_EQ(model.below(most + 1), 65536U);
    }
  }
}

// The bound in the header: information + 2 + 1e-4 bits an integer.
TEST(RangeCodes, take_no_more_than_their_information) {
  Random random({1, Stage::start, 0, 0});
  double worst = 0;
  for (int round = 0; round < 200; ++round) {
    const auto bits = 3 + static_cast<unsigned>(random.bits() % 6), spread = static_cast<unsigned>(random.bits() % 32);
    const std::size_t count = random.bits() % 2000;
    const LaplaceModel model(bits, spread);
    std::vector<int> numbers;
    double information = 0;
    for (std::size_t i = 0; i < count; ++i) {
      // Drawn from the model, or every integer alike, or always an end: the hardest for the interval.
      const int kind = round % 4;
      numbers.push_back(kind < 2    ? model.at(static_cast<std::uint32_t>(random.bits() % 65536))
                        : kind == 2 ? static_cast<int>(random.bits() % (2 * model.most() + 1)) - model.most()
                                    : (i % 7 == 0 ? -1 : 1) * model.most());
      information += 16 - std::log2(model.frequency(numbers.back()));
    }
    BitWriter out;
    out.put(5, 3);  // where a message begins does not matter, nor what follows
    RangeEncoder encoder(out);
    for (const int number : numbers) encoder.put(model, number);
    encoder.finish();
    const double used = static_cast<double>(out.bits() - 3);
    EXPECT_LE(used, information + 2 + 1e-4 * static_cast<double>(count));
    EXPECT_GE(used, 0.5 * static_cast<double>(count));  // what readers rely on before they take memory
    worst = std::max(worst, used - information);
    out.put(0x5a5a5a5a, 32);
    const std::vector<std::uint8_t> bytes = out.take();
    BitReader in(bytes, "here");
    in.get(3);
    RangeDecoder decoder(in);
    for (const int number : numbers) ASSERT_EQ(decoder.get(model), number) << round;
    decoder.finish();
    ASSERT_EQ(in.get(32), 0x5a5a5a5aU);
  }
  printf("  up to %.2f bits above the information\n", worst);
}

TEST(PackedIntegers, come_back_and_never_take_more_than_plain_ones) {
  Random random({2, Stage::start, 0, 0});
  for (const unsigned bits : {3U, 4U, 5U, 6U, 7U, 8U, 16U}) {
    for (int round = 0; round < 20; ++round) {
      const Shape shape = round % 2 == 0 ? Shape::normal : Shape::laplace;
      const std::size_t rows = 1 + random.bits() % 40, columns = 1 + random.bits() % 20;
      const std::vector<std::int16_t> numbers = weights(random, shape, rows, columns, bits, round % 3 == 0 ? 1 : 8);
      BitWriter out;
      put_packed(out, numbers, bits);
      EXPECT_LE(out.bits(), 1 + bits * numbers.size());
      EXPECT_EQ(unpacked(std::move(out), numbers.size(), bits), numbers);
    }
  }
  for (const int number : {0, 3, -3}) {  // zeros cost little, ends no more than plain
    const std::vector<std::int16_t> same(1000, static_cast<std::int16_t>(number));
    BitWriter out;
    put_packed(out, same, 3);
    EXPECT_LE(out.bits(), number == 0 ? 600U : 3001U);
    EXPECT_EQ(unpacked(std::move(out), 1000, 3), same);
  }
  BitWriter none;
  put_packed(none, {}, 6);
  EXPECT_EQ(none.bits(), 1U);
}

// 32 ridges of 17 observations and a bias in 6 bits, each with a unit of its own.
TEST(PackedIntegers, save_what_was_measured) {
  for (const Shape shape : {Shape::normal, Shape::laplace}) {
    Random random({3, Stage::start, 0, 0});
    std::size_t plain = 0, packed = 0;
    for (int round = 0; round < 50; ++round) {
      const std::vector<std::int16_t> numbers = weights(random, shape, 32, 18, 6, 1);
      BitWriter out;
      put_packed(out, numbers, 6);
      plain += 1 + 6 * numbers.size();
      packed += out.bits();
    }
    const double saved = 1 - static_cast<double>(packed) / static_cast<double>(plain);
    printf("  %s weights: %.1f bytes instead of %.1f, %.1f%% less\n", shape == Shape::normal ? "normal" : "Laplace",
           static_cast<double>(packed) / 400, static_cast<double>(plain) / 400, 100 * saved);
    EXPECT_GE(saved, shape == Shape::normal ? 0.07 : 0.12);
  }
}

// Bytes that nobody wrote: refused, or integers that are legal.
TEST(PackedIntegers, survive_noise) {
  Random random({4, Stage::start, 0, 0});
  std::size_t refused = 0, read = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> bytes(random.bits() % 60);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
    if (!bytes.empty() && round % 4 == 0) bytes[0] |= 1;
    const auto bits = 3 + static_cast<unsigned>(random.bits() % 6);
    const std::size_t count = random.bits() % 100;
    BitReader in(bytes, "noise");
    try {
      for (const std::int16_t number : get_packed(in, count, bits)) EXPECT_LE(std::abs(number), most_integer(bits));
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::corrupt_file);
      ++refused;
    }
  }
  EXPECT_GT(refused, 500U);
  EXPECT_GT(read, 500U);
  const std::vector<std::uint8_t> few{1, 0, 0};  // 24 bits hold at most 48 integers
  BitReader in(few, "few");
  EXPECT_THROW(get_packed(in, 1U << 30, 8), Error);
}

}  // namespace
}  // namespace mercer
