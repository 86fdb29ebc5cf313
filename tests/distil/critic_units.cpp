#include "distil/critic_units.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "learn/checkpoint.hpp"
#include "mercer/random.hpp"

namespace mercer::distil {
namespace {

constexpr double gamma = 0.9;

struct Step {
  float observation, next, reward;
  bool terminated;
};

// Episodes of several lengths; every second one is cut by a time limit instead of ending.
std::vector<std::vector<Step>> some_episodes() {
  Random random({7, Stage::explore, 0, 0});
  std::vector<std::vector<Step>> out;
  for (const std::size_t length : {1, 4, 9, 30, 2}) {
    std::vector<Step>& steps = out.emplace_back();
    for (std::size_t i = 0; i < length; ++i) {
      const float here = i == 0 ? static_cast<float>(3 + random.normal()) : steps.back().next;
      steps.push_back({here, static_cast<float>(3 + random.normal()), static_cast<float>(50 + random.normal()),
                       i + 1 == length && out.size() % 2 == 0});
    }
  }
  return out;
}

learn::Replay replay_of(const std::vector<std::vector<Step>>& episodes) {
  learn::Replay out(1, 2, 100, 100);
  const std::array<float, 2> actions{0.1F, 0.2F};
  for (const auto& episode : episodes) {
    for (const Step& one : episode) {
      out.add(std::array{one.observation}, actions, std::array{one.next}, one.reward, one.terminated);
    }
  }
  return out;
}

// Sums forwards from each step; the mean that is expected beyond a limit is found by repetition.
std::pair<double, double> mean_and_spread(const std::vector<std::vector<Step>>& episodes) {
  double mean = 0, spread = 0;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    double sum = 0, squares = 0, count = 0;
    for (const auto& episode : episodes) {
      for (std::size_t i = 0; i < episode.size(); ++i, ++count) {
        double value = 0, weight = 1;
        for (std::size_t k = i; k < episode.size(); ++k, weight *= gamma) value += weight * episode[k].reward;
        if (!episode.back().terminated) value += weight * mean;
        sum += value;
        squares += value * value;
      }
    }
    mean = sum / count;
    spread = std::sqrt(squares / count - mean * mean);
  }
  return {mean, spread};
}

TEST(CriticUnits, are_mean_and_spread_of_observations_and_discounted_returns) {
  const auto episodes = some_episodes();
  const CriticUnits units = units_of(replay_of(episodes), 1, 2, gamma);
  double sum = 0, squares = 0, count = 0;
  for (const auto& episode : episodes) {
    for (const Step& one : episode) {
      const double scaled = units.observation(0, one.observation);
      sum += scaled;
      squares += scaled * scaled;
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 0, 1e-6);
  EXPECT_NEAR(squares / count, 1, 1e-6);
  const auto [mean, spread] = mean_and_spread(episodes);
  EXPECT_GT(mean, 2 * spread);  // what makes units worth having
  EXPECT_NEAR(units.shift, mean, 1e-5 * mean);
  EXPECT_NEAR(units.scale, spread, 1e-4 * spread);
}

TEST(CriticUnits, of_rewards_that_are_all_alike_have_a_scale_above_0) {
  for (const float reward : {0.0F, -2.0F}) {
    auto episodes = some_episodes();
    for (auto& episode : episodes) {
      for (Step& one : episode) {
        one.reward = reward;
        one.terminated = false;
      }
    }
    const CriticUnits units = units_of(replay_of(episodes), 1, 2, gamma);
    EXPECT_NEAR(units.shift, reward / (1 - gamma), 1e-4);
    EXPECT_GT(units.scale, 0);
  }
}

TEST(CriticUnits, are_the_same_after_an_archive) {
  CriticUnits units = units_of(replay_of(some_episodes()), 1, 2, gamma), again;
  learn::Archive archive;
  units.exchange(archive);
  learn::Archive stored(archive.tensors(), "memory");
  again.exchange(stored);
  EXPECT_EQ(again.shift, units.shift);
  EXPECT_EQ(again.scale, units.scale);
  EXPECT_EQ(again.observation(0, 2.5), units.observation(0, 2.5));
  EXPECT_NE(again.observation(0, 2.5), CriticUnits{}.observation(0, 2.5));
}

}  // namespace
}  // namespace mercer::distil
