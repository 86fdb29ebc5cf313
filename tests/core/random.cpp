#include "mercer/random.hpp"

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace mercer {
namespace {

using Philox = r123::Philox4x32;
using Words = std::array<std::uint32_t, 4>;

Words philox(const Words& counter, std::uint32_t key0, std::uint32_t key1) {
  const Philox::ctr_type out = Philox{}({{counter[0], counter[1], counter[2], counter[3]}}, {{key0, key1}});
  return {out.v[0], out.v[1], out.v[2], out.v[3]};
}

// The reference: draw number `draw` of a key as the header describes it.
std::uint64_t expected_bits(const DrawKey& key, std::uint32_t draw) {
  const Words words = philox({draw / 2, key.step, static_cast<std::uint32_t>(key.item),
                              static_cast<std::uint32_t>(key.stage) << 16 | static_cast<std::uint32_t>(key.item >> 32)},
                             static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32));
  const std::size_t low = draw % 2 * 2;
  return std::uint64_t{words[low + 1]} << 32 | words[low];
}

// The rows "philox4x32 10" of Random123's tests/kat_vectors: the installed header is the published generator.
TEST(Philox, gives_the_published_answers) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({ones, ones, ones, ones}, ones, ones), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The one known answer that a key can reach: counter and key of zeros, were there a stage 0.
TEST(Random, first_bits_of_the_zero_key_are_the_published_answer) {
  Random random({0, static_cast<Stage>(0), 0, 0});
  EXPECT_EQ(random.bits(), 0xe169c58d6627e8d5U);
  EXPECT_EQ(random.bits(), 0x9b00dbd8bc57ac4cU);
}

TEST(Random, counter_is_draw_step_item_stage) {
  const std::vector<DrawKey> keys{
      {},
      {1, Stage::start, 0, 0},
      {0, Stage::transition, 1, 0},
      {0xfedcba9876543210, Stage::action, 0x123456789abc, 0xdeadbeef},
      {~std::uint64_t{0}, Stage::task, (std::uint64_t{1} << 48) - 1, ~std::uint32_t{0}},  // the largest of everything
  };
  for (const DrawKey& key : keys) {
    Random random(key);
    for (std::uint32_t draw = 0; draw < 9; ++draw) ASSERT_EQ(random.bits(), expected_bits(key, draw)) << draw;
  }
}

TEST(Random, uniform_and_normal_are_made_of_the_bits) {
  const DrawKey key{5, Stage::action, 77, 3};
  const auto uniform = [&](std::uint32_t draw) { return std::ldexp(expected_bits(key, draw) >> 11, -53); };
  Random random(key);
  EXPECT_EQ(random.uniform(), uniform(0));
  EXPECT_EQ(random.uniform(), uniform(1));
  const double radius = std::sqrt(-2 * std::log(1 - uniform(2)));
  EXPECT_EQ(random.normal(), radius * std::cos(2 * std::numbers::pi * uniform(3)));
  EXPECT_EQ(random.uniform(), uniform(4));  // a normal takes two draws
}

// 64-bit draws of a few thousand keys: two equal ones would be a chance of 2^-41.
TEST(Random, keys_that_differ_anywhere_give_different_draws) {
  std::set<std::uint64_t> seen;
  std::size_t keys = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (const Stage stage : {Stage::start, Stage::transition, Stage::action, Stage::task}) {
      for (const std::uint64_t item : {0ULL, 1ULL, 2ULL, 1ULL << 31, 1ULL << 32, 1ULL << 47}) {
        for (const std::uint32_t step : {0U, 1U, 2U, 1U << 31}) {
          Random random({seed, stage, item, step});
          for (int draw = 0; draw < 8; ++draw, ++keys) seen.insert(random.bits());
        }
      }
    }
  }
  EXPECT_EQ(keys, 2304U);  // 3 * 4 * 6 * 4 * 8
  EXPECT_EQ(seen.size(), keys);
}

class DrawsTest : public testing::Test {
 protected:
  const std::vector<std::uint64_t> items_{0, 1, 2, 1000, 3, 0x123456789abc, 7};
  const Draws draws_{42, Stage::transition, 9, items_};
};

TEST_F(DrawsTest, fill_uniform_equals_one_by_one) {
  for (std::uint32_t draw = 0; draw <= 5; ++draw) {
    std::vector<double> unit(items_.size()), scaled(items_.size());
    draws_.fill_uniform(unit, 0, 1, draw);
    draws_.fill_uniform(scaled, -3, 5, draw);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Random random({42, Stage::transition, items_[i], 9});
      for (std::uint32_t skipped = 0; skipped < draw; ++skipped) random.uniform();
      const double expected = random.uniform();
      EXPECT_EQ(unit[i], expected);
      EXPECT_EQ(scaled[i], -3 + 8 * expected);
    }
  }
}

TEST_F(DrawsTest, fill_normal_equals_one_by_one) {
  for (std::uint32_t pair = 0; pair <= 5; ++pair) {
    std::vector<double> out(items_.size());
    draws_.fill_normal(out, pair);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Random random = draws_.random(i);
      for (std::uint32_t skipped = 0; skipped < pair; ++skipped) random.normal();
      EXPECT_EQ(out[i], random.normal());
    }
  }
}

}  // namespace
}  // namespace mercer
