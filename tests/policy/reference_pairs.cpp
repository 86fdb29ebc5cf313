#include "support/reference_pairs.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"

// Networks that Stable-Baselines3 trained and PyTorch exported, against what PyTorch made of the same inputs.

namespace mercer {
namespace {

using Columns = ReferencePairs::Columns;

// The outputs of a network, by name, compared with the reference.
void expect_outputs(const std::string& file, const ReferencePairs& pairs, const std::vector<Columns>& in,
                    const std::vector<std::string>& names) {
  const Network network = read_onnx(ReferencePairs::file(file));
  std::vector<MatrixView<const double>> inputs;
  for (const Columns& columns : in) inputs.push_back(columns.view());
  std::vector<Columns> out;
  for (const Network::Port& port : network.outputs()) {
    out.push_back({std::vector<double>(port.size * in[0].cols), port.size, in[0].cols});
  }
  std::vector<MatrixView<double>> outputs;
  for (Columns& columns : out) outputs.emplace_back(columns.numbers.data(), columns.rows, columns.cols);
  network.evaluate(inputs, outputs);
  for (const std::string& name : names) {
    const std::size_t place = network.find_output(name);
    ASSERT_LT(place, out.size()) << name;
    const Columns expected = pairs.columns(name);
    ASSERT_EQ(out[place].numbers.size(), expected.numbers.size());
    double worst = 0;
    for (std::size_t i = 0; i < expected.numbers.size(); ++i) {
      const double error = std::abs(out[place].numbers[i] - expected.numbers[i]);
      worst = std::max(worst, error / std::max(1.0, std::abs(expected.numbers[i])));
    }
    EXPECT_LE(worst, 1e-5) << file << ": " << name;
    std::cout << file << ": " << name << " within " << worst << '\n';
  }
}

TEST(ReferencePairs, actor_of_256_by_256) {
  const ReferencePairs pairs("pendulum_5000");
  expect_outputs("pendulum_5000_actor.onnx", pairs, {pairs.columns("obs")}, {"mean", "log_std"});
}

// log_std = log(latent^2 exp(log_std)^2 + 1e-6) / 2 and a clipped mean, spelled out in elementary operators.
TEST(ReferencePairs, actor_with_state_dependent_exploration) {
  const ReferencePairs pairs("cmc_sde_10000");
  expect_outputs("cmc_sde_10000_actor.onnx", pairs, {pairs.columns("obs")}, {"mean", "log_std"});
  expect_outputs("cmc_sde_10000_action.onnx", pairs, {pairs.columns("obs")}, {"action"});
}

TEST(ReferencePairs, twin_critics) {
  const ReferencePairs pairs("cmc_sde_10000");
  expect_outputs("cmc_sde_10000_critic.onnx", pairs, {pairs.columns("obs"), pairs.columns("probe_action")},
                 {"q1", "q2"});
}

TEST(ReferencePairs, one_q_for_each_action) {
  const ReferencePairs pairs("mc_dqn_120000");
  expect_outputs("mc_dqn_120000_q.onnx", pairs, {pairs.columns("obs")}, {"q"});
}

// Stable-Baselines3 has log(1 - a^2 + 1e-6) where the exact density has log(1 - a^2), and normalised units.
void expect_log_density(const std::string& name, const std::string& task_name) {
  const ReferencePairs pairs(name);
  const auto env = make_env(task_name);
  const auto policy = make_policy(ReferencePairs::file(name + "_actor.onnx").string(), env->task());
  const double scale = policy->contract().scale[0];
  const Columns probe = pairs.columns("probe_action"), expected = pairs.columns("logp");
  std::vector<double> actions, out(probe.cols);
  for (const double a : probe.numbers) actions.push_back(scale * a);
  policy->log_prob(pairs.columns("obs").view(), {actions.data(), 1, probe.cols}, out);
  double worst = -HUGE_VAL;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double a = probe.numbers[i];
    const double theirs = out[i] + std::log(scale) + std::log(1 - a * a) - std::log(1 - a * a + 1e-6);
    const double allowed = 1e-4 + 1e-6 * std::abs(expected.numbers[i]);
    worst = std::max(worst, std::abs(theirs - expected.numbers[i]) - allowed);
  }
  EXPECT_LE(worst, 0) << name;
  std::cout << name << ": slack " << -worst << '\n';
}

TEST(ReferencePairs, log_density) {
  expect_log_density("pendulum_5000", "pendulum");
  expect_log_density("cmc_sde_10000", "continuous-mountain-car");
}

TEST(ReferencePairs, greedy_actions_of_dqn) {
  const ReferencePairs pairs("mc_dqn_120000");
  const auto env = make_env("mountain-car");
  const auto policy = make_policy(ReferencePairs::file("mc_dqn_120000_q.onnx").string(), env->task());
  std::vector<double> actions(256);
  policy->mean_action(pairs.columns("obs").view(), {actions.data(), 1, 256});
  EXPECT_EQ(actions, pairs.columns("action").numbers);
}

}  // namespace
}  // namespace mercer
