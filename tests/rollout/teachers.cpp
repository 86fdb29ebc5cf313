#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/reference_pairs.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

// The return that Gymnasium and PyTorch measured for the same policy: mean and standard deviation over 5,000 episodes
// (100 for mountain-car, whose spread was not recorded: ours is taken).
struct KnownReturn {
  std::string task, policy;
  Act act;
  double mean, std, episodes;
};

class Teachers : public testing::TestWithParam<KnownReturn> {};

TEST_P(Teachers, play_as_they_did_where_they_were_trained) {
  const auto& [task, file, act, mean, std, episodes] = GetParam();
  const auto env = make_env(task);
  const auto policy = make_policy(ReferencePairs::file(file).string(), env->task());
  const Rollouts played = rollout(*env, *policy, {.episodes = 2000, .seed = 1, .act = act, .keep_steps = false});
  const SampleMean ours(played.returns);
  const double spread = std > 0 ? std : ours.error * std::sqrt(2000.0);
  const double z = (ours.mean - mean) / std::hypot(ours.error, spread / std::sqrt(episodes));
  EXPECT_LE(std::abs(z), 3.5) << ours.mean << " and " << mean;
  std::cout << file << ": " << ours.mean << " and " << mean << ", z = " << z << '\n';
}

INSTANTIATE_TEST_SUITE_P(
    Teachers, Teachers,
    testing::Values(KnownReturn{"pendulum", "pendulum_5000_actor.onnx", Act::sample, -158.5, 95.2, 5000},
                    KnownReturn{"pendulum", "pendulum_5000_actor.onnx", Act::mean, -154.7, 92.8, 5000},
                    KnownReturn{"continuous-mountain-car", "cmc_sde_10000_actor.onnx", Act::sample, 77.5, 14.7, 5000},
                    KnownReturn{"continuous-mountain-car", "cmc_sde_10000_action.onnx", Act::sample, 74.2, 26.4, 5000},
                    KnownReturn{"mountain-car", "mc_dqn_120000_q.onnx", Act::sample, -105.2, 0, 100}));

}  // namespace
}  // namespace mercer
