#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "learn/learner.hpp"

namespace mercer::learn {
namespace {

void add(Replay& replay, float number) {
  const std::array observation{number, number + 0.25F}, next{number + 0.5F, number + 0.75F}, action{-number, 0.0F};
  replay.add(observation, std::span(action).first(1), next, 10 * number, number == 2);
}

TEST(Replay, a_record_is_a_whole_step) {
  Replay replay(2, 1, 10, 5);
  add(replay, 1);
  add(replay, 2);
  EXPECT_EQ(replay.size(), 2U);
  const std::vector<float> expected{1, 1.25, -1, 1.5, 1.75, 10, 1, 2, 2.25, -2, 2.5, 2.75, 20, 0};
  EXPECT_EQ(std::vector<float>(replay.numbers().begin(), replay.numbers().end()), expected);
  EXPECT_EQ(replay.record(1)[0], 2);
}

TEST(Replay, the_oldest_make_room) {
  Replay replay(2, 1, 3, 3);
  for (const float number : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F}) add(replay, number);
  EXPECT_EQ(replay.size(), 3U);
  EXPECT_EQ(replay.cursor(), 2U);
  EXPECT_EQ(replay.record(0)[0], 4);
  EXPECT_EQ(replay.record(1)[0], 5);
  EXPECT_EQ(replay.record(2)[0], 3);
}

TEST(Replay, goes_on_where_it_was) {
  Replay replay(2, 1, 3, 3);
  for (const float number : {1.0F, 2.0F, 3.0F, 4.0F}) add(replay, number);
  Replay again(2, 1, 3, 3);
  again.restore(replay.numbers(), replay.cursor());
  add(replay, 9);
  add(again, 9);
  EXPECT_TRUE(std::ranges::equal(again.numbers(), replay.numbers()));
}

// 6 records, 60,000 draws: each count is binomial with standard deviation 91; five of them are never met by chance.
TEST(Replay, draws_evenly_and_the_same_for_the_same_update) {
  Replay replay(2, 1, 6, 6);
  for (const float number : {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}) add(replay, number);
  std::array<int, 6> seen{};
  std::vector<std::size_t> drawn(100), again(100), odd(99);
  for (std::uint64_t update = 0; update < 600; ++update) {
    replay.draw(7, update, drawn);
    for (const std::size_t index : drawn) ++seen.at(index);
  }
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 5 * 91);
  replay.draw(7, 599, again);
  EXPECT_EQ(again, drawn);
  replay.draw(7, 599, odd);
  EXPECT_TRUE(std::equal(odd.begin(), odd.end(), drawn.begin()));
  replay.draw(8, 599, again);
  EXPECT_NE(again, drawn);
}

}  // namespace
}  // namespace mercer::learn
