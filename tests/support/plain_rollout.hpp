#pragma once

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "mercer/rollout.hpp"
#include "support/single_episode.hpp"

namespace mercer {

/// What `rollout` must give, by the plainest loop there is: one episode after the other, one step after the other.
inline Rollouts plain_rollout(const Env& env, const Policy& policy, const RolloutOptions& options) {
  const Task& task = env.task();
  Rollouts out;
  const auto extend = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::uint64_t e = 0; e < options.episodes; ++e) {
    SingleEpisode play(env, options.seed, e);
    extend(out.start_states, play.state());
    double total = 0, discounted = 0, discount = 1;
    while (!play.terminated() && play.steps() < options.horizon.value_or(task.time_limit)) {
      std::vector<double> observation = play.observation();
      std::vector<double> action(task.action.dimensions());
      const MatrixView<const double> seen(observation.data(), observation.size(), 1);
      const MatrixView<double> chosen(action.data(), action.size(), 1);
      if (options.act == Act::mean) {
        policy.mean_action(seen, chosen);
      } else {
        policy.sample(seen, {options.seed, Stage::action, play.steps(), std::span(&e, 1)}, chosen);
      }
      for (std::size_t d = 0; d < action.size(); ++d) {
        action[d] = std::clamp(action[d], task.action.axes[d].range.low, task.action.axes[d].range.high);
      }
      extend(out.states, play.state());
      extend(out.observations, observation);
      extend(out.actions, action);
      out.rewards.push_back(play.step(action));
      total += out.rewards.back();
      discounted += discount * out.rewards.back();
      discount *= options.gamma.value_or(task.gamma);
    }
    out.offsets.push_back(out.offsets.back() + play.steps());
    extend(out.final_observations, play.observation());
    out.returns.push_back(total);
    out.discounted_returns.push_back(discounted);
    out.terminated.push_back(play.terminated() ? 1 : 0);
  }
  return out;
}

/// The numbers of two rollouts agree bit for bit: their bytes are compared, so that NaN equals NaN and -0 is not 0.
inline void expect_same_numbers(const Rollouts& a, const Rollouts& b, const std::string& what) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0);
  };
  EXPECT_TRUE(same(a.offsets, b.offsets)) << what;
  EXPECT_TRUE(same(a.states, b.states)) << what;
  EXPECT_TRUE(same(a.observations, b.observations)) << what;
  EXPECT_TRUE(same(a.actions, b.actions)) << what;
  EXPECT_TRUE(same(a.rewards, b.rewards)) << what;
  EXPECT_TRUE(same(a.start_states, b.start_states)) << what;
  EXPECT_TRUE(same(a.final_observations, b.final_observations)) << what;
  EXPECT_TRUE(same(a.returns, b.returns)) << what;
  EXPECT_TRUE(same(a.discounted_returns, b.discounted_returns)) << what;
  EXPECT_TRUE(same(a.terminated, b.terminated)) << what;
}

}  // namespace mercer
