#include <cmath>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/density.hpp"
#include "support/plain_task.hpp"

namespace mercer {
namespace {

constexpr std::size_t states = 300, each = 7;  // more than the pieces that policies work in

// A function of the first input, which counts the columns it was asked for.
struct Counted {
  std::size_t* columns;

  void operator()(MatrixView<const double> in, MatrixView<double> out) const {
    *columns += in.cols();
    for (std::size_t i = 0; i < in.cols(); ++i) {
      for (std::size_t r = 0; r < out.rows(); ++r) {
        out(r, i) = std::sin(3 * in(0, i) + static_cast<double>(r)) + 0.3 * in(in.rows() - 1, i);
      }
    }
  }
};

class ManyValues : public testing::Test {
 protected:
  ManyValues() {
    plain_.squash = Squash::none;
    plain_.clip = {{-2, 2}, {-2, 2}};
    discrete_.observation = Space::box({{"x", {-1, 1}, "", false}});
    discrete_.action = Space::discrete("a", 5);
    add(std::make_unique<GaussianPolicy>("gaussian", squashed_contract(1, 2), Counted{&asked_}));
    add(std::make_unique<GaussianPolicy>("unsquashed", plain_, Counted{&asked_}));
    add(std::make_unique<DeterministicPolicy>("spread", plain_, Counted{&asked_}, 0.3));
    add(std::make_unique<BoxBoltzmannPolicy>("box boltzmann", plain_, Counted{&asked_}, 0.7));
    add(std::make_unique<DiscreteBoltzmannPolicy>("discrete boltzmann", discrete_, Counted{&asked_}, 0.7));
    add(std::make_unique<UniformPolicy>(
        plain_task(1, Space::box({{"a", {-1, 1}, "", false}, {"b", {-1, 2}, "", false}}))));
    for (std::size_t i = 0; i < states; ++i) states_.push_back(2 * static_cast<double>(i) / states - 1);
  }
  void add(std::unique_ptr<Policy> policy) { policies_.push_back(std::move(policy)); }
  // Some of them where no policy goes.
  static std::vector<double> actions(const Policy& policy, std::size_t count) {
    std::vector<double> out;
    for (std::size_t i = 0; i < policy.action_space().dimensions() * count; ++i) {
      const double place = static_cast<double>(i * 37 % 101) / 101;
      out.push_back(policy.action_space().is_discrete() ? std::floor(6 * place) : 4.4 * place - 2.2);
    }
    return out;
  }
  MatrixView<const double> seen() const { return {states_.data(), 1, states}; }

  Contract plain_ = squashed_contract(1, 2), discrete_;
  std::size_t asked_ = 0;
  std::vector<std::unique_ptr<Policy>> policies_;
  std::vector<double> states_;
};

TEST_F(ManyValues, log_prob_is_that_of_every_pair) {
  for (const auto& policy : policies_) {
    const std::size_t dimensions = policy->action_space().dimensions();
    for (const bool shared : {true, false}) {
      const std::size_t columns = shared ? each : states * each;
      const std::vector<double> played = actions(*policy, columns);
      const MatrixView<const double> view(played.data(), dimensions, columns);
      std::vector<double> found(states * each), one(1);
      policy->log_prob_many(seen(), view, {found.data(), states, each});
      for (std::size_t i = 0; i < found.size(); ++i) {
        policy->log_prob(seen().columns(i / each, 1), view.columns(shared ? i % each : i, 1), one);
        ASSERT_EQ(found[i], one[0]) << policy->name() << ", pair " << i;
      }
    }
  }
}

TEST_F(ManyValues, a_function_of_the_state_runs_once_for_all_actions) {
  for (const auto& policy : policies_) {
    if (policy->name() == "box boltzmann") continue;  // takes the action in
    asked_ = 0;
    const std::size_t dimensions = policy->action_space().dimensions();
    const std::vector<double> played = actions(*policy, each);
    std::vector<double> found(states * each);
    policy->log_prob_many(seen(), {played.data(), dimensions, each}, {found.data(), states, each});
    const std::size_t expected = policy->name() == "uniform" ? 0 : states;
    EXPECT_EQ(asked_, expected) << policy->name();
    asked_ = 0;
    if (policy->cdf(seen(), 0, {played.data(), 1, each}, {found.data(), states, each})) {
      EXPECT_EQ(asked_, expected) << policy->name();
    }
  }
}

TEST_F(ManyValues, distribution_functions_are_those_of_every_pair) {
  const std::vector<std::string> have{"gaussian", "unsquashed", "spread", "uniform"};
  for (const auto& policy : policies_) {
    for (const bool shared : {true, false}) {
      const std::size_t rows = shared ? 1 : states;
      const std::vector<double> values = actions(*policy, rows * each);
      std::vector<double> found(states * each, -1), one(1);
      const bool known = policy->cdf(seen(), 0, {values.data(), rows, each}, {found.data(), states, each});
      ASSERT_EQ(known, std::ranges::find(have, policy->name()) != have.end()) << policy->name();
      for (std::size_t i = 0; i < found.size() && known; ++i) {
        const double* const value = values.data() + (shared ? i % each : i);
        ASSERT_TRUE(policy->cdf(seen().columns(i / each, 1), 0, {value, 1, 1}, {one.data(), 1, 1}));
        ASSERT_EQ(found[i], one[0]) << policy->name() << ", pair " << i;
      }
      if (!known) {
        EXPECT_EQ(found[0], -1) << "left alone";
      }
    }
  }
}

}  // namespace
}  // namespace mercer
