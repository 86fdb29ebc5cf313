#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/plain_task.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const std::string actor = ReferencePairs::file("pendulum_5000_actor.onnx").string();
const std::string car_actor = ReferencePairs::file("cmc_sde_10000_actor.onnx").string();
const std::string car_action = ReferencePairs::file("cmc_sde_10000_action.onnx").string();
const std::string car_critic = ReferencePairs::file("cmc_sde_10000_critic.onnx").string();
const std::string car_q = ReferencePairs::file("mc_dqn_120000_q.onnx").string();

Task task_of(const std::string& name) { return make_env(name)->task(); }
const Task pendulum = task_of("pendulum"), car = task_of("continuous-mountain-car"), discrete = task_of("mountain-car");

double mean_action(const Policy& policy, std::vector<double> observation) {
  double action = 0;
  policy.mean_action({observation.data(), observation.size(), 1}, {&action, 1, 1});
  return action;
}

template <class Kind>
bool is(const std::unique_ptr<Policy>& policy) {
  return dynamic_cast<const Kind*>(policy.get()) != nullptr;
}

TEST(NetworkPolicies, outputs_decide_the_kind) {
  EXPECT_TRUE(is<GaussianPolicy>(make_policy(actor, pendulum)));
  EXPECT_TRUE(is<DeterministicPolicy>(make_policy(car_action, car)));
  EXPECT_TRUE(is<DeterministicPolicy>(make_policy(car_critic, car)));
  EXPECT_TRUE(is<BoxBoltzmannPolicy>(make_policy(car_critic + ":temperature=0.5", car)));
  EXPECT_TRUE(is<BoxBoltzmannPolicy>(make_policy(car_critic + ":kind=boltzmann", car)));
  EXPECT_TRUE(is<DeterministicPolicy>(make_policy(car_q, discrete)));
  EXPECT_TRUE(is<DiscreteBoltzmannPolicy>(make_policy(car_q, discrete, {{"temperature", "2", "--temperature"}})));
  EXPECT_TRUE(is<DeterministicPolicy>(make_policy(actor + ":kind=deterministic,squash=tanh", pendulum)));
}

TEST(NetworkPolicies, contract_says_what_is_done) {
  const auto policy = make_policy(actor, pendulum);
  const Contract& contract = policy->contract();
  EXPECT_EQ(contract.task, "pendulum");
  EXPECT_EQ(contract.observation.axes[2].name, pendulum.observation.axes[2].name);
  EXPECT_EQ(contract.dt, pendulum.dt);
  EXPECT_EQ(contract.squash, Squash::tanh);
  EXPECT_EQ(contract.scale, std::vector<double>{2});
  EXPECT_EQ(contract.clip[0].high, 2);
}

TEST(NetworkPolicies, reading_says_what_a_file_was_taken_for) {
  const auto reading = [](const std::string& spec, const Task& task) {
    std::string words;
    make_policy(spec, task, {}, &words);
    return words;
  };
  EXPECT_EQ(reading(actor, pendulum), "gaussian policy of outputs mean, log_std; squash tanh, scale 2, centre 0");
  EXPECT_EQ(reading(actor + ":kind=deterministic,squash=tanh,scale=3", pendulum),
            "deterministic policy of output mean; squash tanh, scale 3, centre 0");
  EXPECT_EQ(reading(car_action, car), "deterministic policy of output action; squash none, scale 1, centre 0");
  EXPECT_EQ(reading(car_q, discrete), "greedy policy of output q");
  EXPECT_EQ(reading(car_q + ":temperature=2", discrete), "boltzmann policy of output q");
  EXPECT_EQ(reading("uniform", pendulum), "");
}

// The deterministic action that PyTorch exported is the Gaussian's squashed mean.
TEST(NetworkPolicies, gaussian_mean_is_the_exported_action) {
  const auto gaussian = make_policy(car_actor, car), deterministic = make_policy(car_action, car);
  for (const double x : {-1.1, -0.5, 0.0, 0.3}) {
    EXPECT_NEAR(mean_action(*gaussian, {x, 0.01}), mean_action(*deterministic, {x, 0.01}), 1e-6);
  }
}

// A network trained on normalised observations sees (x - mean) / sqrt(variance + epsilon), clipped.
TEST(NetworkPolicies, observations_are_normalised) {
  const auto plain = make_policy(car_action, car);
  const auto normalised =
      make_policy(car_action + ":obs-mean=-0.5;0.01,obs-var=4;0.25,obs-epsilon=0,obs-clip=1.5", car);
  EXPECT_EQ(mean_action(*normalised, {0.1, 0.04}), mean_action(*plain, {(0.1 + 0.5) / 2, (0.04 - 0.01) / 0.5}));
  EXPECT_EQ(mean_action(*normalised, {90, 0.01}), mean_action(*plain, {1.5, 0}));
  EXPECT_EQ(normalised->contract().normalisation.mean, (std::vector<double>{-0.5, 0.01}));
}

TEST(NetworkPolicies, sidecar_then_spec_then_flags) {
  const TemporaryFolder folder;
  std::filesystem::copy(car_action, folder / "a.onnx");
  std::ofstream(folder / "a.toml") << "scale = 0.5\nclip = 0.25\nobs-mean = [0, 0]\nobs-var = [1.0, 1.0]\n";
  const std::string file = (folder / "a.onnx").string();
  const auto beside = make_policy(file, car);
  EXPECT_EQ(beside->contract().scale, std::vector<double>{0.5});
  EXPECT_EQ(beside->contract().clip[0].low, -0.25);
  EXPECT_EQ(beside->contract().normalisation.variance, (std::vector<double>{1, 1}));
  EXPECT_EQ(make_policy(file + ":scale=0.75", car)->contract().scale, std::vector<double>{0.75});
  EXPECT_EQ(make_policy(file + ":scale=0.75", car, {{"scale", "2", "--scale"}})->contract().scale,
            std::vector<double>{2});
}

TEST(NetworkPolicies, a_spread_goes_around_the_action) {
  const auto policy = make_policy(car_action + ":spread=0.1", car);
  const std::vector<double> state{-0.5, 0};
  const double action = mean_action(*policy, state);
  double density = 0;
  policy->log_prob({state.data(), 2, 1}, {&action, 1, 1}, {&density, 1});
  EXPECT_TRUE(std::isfinite(density));
}

TEST(NetworkPolicies, outputs_of_other_names_can_be_named) {
  EXPECT_EQ(mean_action(*make_policy(actor + ":kind=deterministic,action=mean", pendulum), {1, 0, 0}),
            mean_action(*make_policy(actor + ":kind=deterministic", pendulum), {1, 0, 0}));
  expect_error(ErrorCode::bad_value, "it has: mean, log_std", [] { make_policy(actor + ":action=torque", pendulum); });
}

TEST(NetworkPolicies, refuse_what_does_not_fit) {
  expect_error(ErrorCode::shape_mismatch, "takes 3 numbers and task 'continuous-mountain-car' gives 2",
               [] { make_policy(actor, car); });
  expect_error(ErrorCode::shape_mismatch, "has 2 inputs", [] { make_policy(car_critic, discrete); });
  expect_error(ErrorCode::shape_mismatch, "discrete", [] { make_policy(car_actor, discrete); });
  expect_error(ErrorCode::bad_format, "make no boltzmann policy",
               [] { make_policy(actor + ":kind=boltzmann", pendulum); });
  expect_error(ErrorCode::shape_mismatch, "observation mean",
               [] { make_policy(actor + ":obs-mean=1,obs-var=1", pendulum); });
  expect_error(ErrorCode::shape_mismatch, "scale has 2 numbers", [] { make_policy(actor + ":scale=1;2", pendulum); });
  expect_error(ErrorCode::bad_value, "for actions on a box", [] { make_policy(car_q + ":clip=1", discrete); });
  expect_error(ErrorCode::bad_value, "is for networks", [] {
    make_policy("uniform", pendulum, {{"spread", "1", "--spread"}});
  });
  expect_error(ErrorCode::cannot_open, "cannot open", [] { make_policy("missing.onnx", pendulum); });
}

TEST(NetworkPolicies, refuse_settings_that_make_no_sense) {
  expect_error(ErrorCode::unknown_name, "Did you mean 'temperature'?",
               [] { make_policy(actor + ":temprature=1", pendulum); });
  expect_error(ErrorCode::bad_value, "is not key=value", [] { make_policy(actor + ":greedy", pendulum); });
  expect_error(ErrorCode::bad_value, "one of gaussian", [] { make_policy(actor + ":kind=normal", pendulum); });
  expect_error(ErrorCode::out_of_range, "above 0", [] { make_policy(actor + ":temperature=0", pendulum); });
  expect_error(ErrorCode::out_of_range, "at most 1", [] { make_policy(actor + ":spread=2", pendulum); });
  expect_error(ErrorCode::bad_value, "a finite number", [] { make_policy(actor + ":scale=nan", pendulum); });
  expect_error(ErrorCode::out_of_range, "variances, not standard deviations",
               [] { make_policy(actor + ":obs-mean=0;0;0,obs-var=1;-1;1", pendulum); });
}

}  // namespace
}  // namespace mercer
