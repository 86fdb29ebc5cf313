#include <algorithm>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/golden.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

constexpr std::size_t count = 20000;
using std::numbers::pi;

// Start states of episodes 0 .. count-1, one row per dimension.
std::vector<std::vector<double>> draw_starts(const Env& env, std::uint64_t seed) {
  std::vector<std::uint64_t> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = i;
  const std::size_t dimensions = env.task().state.dimensions();
  std::vector<double> memory(dimensions * count);
  env.reset({seed, Stage::start, 0, items}, {memory.data(), dimensions, count});
  std::vector<std::vector<double>> rows;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(d * count);
    rows.emplace_back(begin, begin + count);
  }
  return rows;
}

struct Case {
  const char* task;
  const char* gymnasium;
  std::vector<Range> ranges;  // uniform on these, by Gymnasium's documentation
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"pendulum", "Pendulum-v1", {{-pi, pi}, {-1, 1}}},
                                     {"pendulum-v0", "Pendulum-v1", {{-pi, pi}, {-1, 1}}},
                                     {"continuous-mountain-car", "MountainCarContinuous-v0", {{-0.6, -0.4}, {0, 0}}},
                                     {"mountain-car", "MountainCar-v0", {{-0.6, -0.4}, {0, 0}}},
                                     {"cart-pole", "", {{-0.05, 0.05}, {-0.05, 0.05}, {-0.05, 0.05}, {-0.05, 0.05}}},
                                     {"acrobot", "", {{-0.1, 0.1}, {-0.1, 0.1}, {-0.1, 0.1}, {-0.1, 0.1}}}};
  return all;
}

TEST(Resets, are_spread_as_documented) {
  for (const Case& c : cases()) {
    const auto rows = draw_starts(*make_env(c.task), 11);
    ASSERT_EQ(rows.size(), c.ranges.size());
    for (std::size_t d = 0; d < rows.size(); ++d) {
      const auto [low, high] = std::ranges::minmax(rows[d]);
      EXPECT_GE(low, c.ranges[d].low) << c.task;
      EXPECT_LE(high, c.ranges[d].high) << c.task;
      if (c.ranges[d].width() == 0) continue;
      const double distance = ks_distance_to_uniform(rows[d], c.ranges[d].low, c.ranges[d].high);
      EXPECT_LE(distance, ks_limit(count)) << c.task << " dimension " << d;
    }
  }
}

TEST(Resets, agree_with_gymnasiums_sample) {
  const nlohmann::json golden = read_golden("env/env_reset_states.json").at("states");
  for (const Case& c : cases()) {
    if (std::string(c.gymnasium).empty()) continue;
    const auto rows = draw_starts(*make_env(c.task), 12);
    const auto theirs = golden.at(c.gymnasium).get<std::vector<std::vector<double>>>();
    ASSERT_EQ(theirs.size(), 100);
    for (std::size_t d = 0; d < rows.size(); ++d) {
      std::vector<double> column;
      for (const std::vector<double>& state : theirs) column.push_back(state[d]);
      const double distance = ks_distance(rows[d], column);
      fmt::print("{} dimension {}: distance {:.3f}, limit {:.3f}\n", c.task, d, distance, ks_limit(count, 100));
      EXPECT_LE(distance, ks_limit(count, 100)) << c.task << " dimension " << d;
    }
  }
}

// Coordinates of one start are drawn apart: their correlation over n starts is of the size 1 / sqrt(n); 5 of those.
TEST(Resets, draw_dimensions_independently) {
  for (const Case& c : cases()) {
    const auto rows = draw_starts(*make_env(c.task), 13);
    for (std::size_t a = 0; a < rows.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (c.ranges[a].width() == 0 || c.ranges[b].width() == 0) continue;
        double products = 0;
        for (std::size_t i = 0; i < count; ++i) products += rows[a][i] * rows[b][i];
        const double variance = c.ranges[a].width() * c.ranges[b].width() / 12;  // both are centred at zero
        EXPECT_LE(std::abs(products / count / variance), 5 / std::sqrt(count)) << c.task;
      }
    }
  }
}

TEST(Resets, depend_on_seed_and_episode_alone) {
  const auto env = make_env("pendulum");
  EXPECT_EQ(draw_starts(*env, 1), draw_starts(*env, 1));
  EXPECT_NE(draw_starts(*env, 1), draw_starts(*env, 2));
}

}  // namespace
}  // namespace mercer
