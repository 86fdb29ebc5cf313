#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {
namespace {

// Against tests/data/rollout_trace.txt, which says how it was made.
TEST(Trace, a_short_rollout_is_as_it_always_was) {
  const auto env = make_env("pendulum");
  const Rollouts r = rollout(*env, UniformPolicy(env->task()), {.episodes = 2, .seed = 1, .horizon = 5});
  std::ifstream in(MERCER_TEST_DATA "/rollout_trace.txt");
  ASSERT_TRUE(in);
  std::size_t lines = 0;
  double worst = 0;
  const auto compare = [&](std::istringstream& fields, std::initializer_list<double> ours) {
    for (const double value : ours) {
      double expected = 0;
      ASSERT_TRUE(fields >> expected);
      EXPECT_NEAR(value, expected, 1e-12);
      worst = std::max(worst, std::abs(value - expected));
    }
  };
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    SCOPED_TRACE(line);
    std::istringstream fields(line);
    std::string kind;
    std::size_t e = 0, t = 0;
    fields >> kind >> e;
    if (kind == "step") {
      fields >> t;
      const std::size_t row = e * 5 + t;
      compare(fields, {r.states[row * 2], r.states[row * 2 + 1], r.actions[row], r.rewards[row]});
    } else {
      const double* last = &r.final_observations[e * 3];
      compare(fields, {last[0], last[1], last[2], r.returns[e], r.discounted_returns[e]});
    }
    ++lines;
  }
  fmt::print("largest deviation from the trace: {:.1e}\n", worst);
  EXPECT_EQ(lines, 12);  // two episodes of five steps and an end
}

}  // namespace
}  // namespace mercer
