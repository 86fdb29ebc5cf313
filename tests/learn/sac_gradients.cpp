// Every derivative that soft actor-critic uses, against central differences in double precision.

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "learn/sac.hpp"
#include "support/learn.hpp"

namespace mercer::learn {
namespace {

class SacGradients : public testing::TestWithParam<std::vector<std::size_t>> {
 protected:
  static constexpr std::size_t observations = 3;
  static constexpr std::size_t actions = 2;

  SacGradients() : update_(observations, actions, options(), 5) {
    fill_batch(update_, 11);
    update_.log_alpha = std::log(0.3);
    update_.actor *= 2;  // away from the flat middle of tanh
    update_.draw_actions(0);
    update_.draw_actions(1);
  }
  static SacOptions options() {
    SacOptions options;
    options.hidden = GetParam();
    options.batch_size = 7;
    options.gamma = 0.9;
    return options;
  }
  SacUpdate<double> update_;
};

TEST_P(SacGradients, critic_loss) {
  update_.value_next(0);
  update_.value_next(1);
  update_.set_goals();
  for (const std::size_t c : {0U, 1U}) {
    Critic<double>& critic = update_.critics[c];
    update_.critic_gradient(c);
    const Vector<double> gradient = critic.gradient;
    const auto loss = [&] {
      update_.critic_gradient(c);
      return (critic.pass.output().transpose() - update_.goals()).squaredNorm() / 2 / 7;
    };
    expect_gradient(update_.critic_network(), critic.weights, gradient, loss);
  }
}

TEST_P(SacGradients, actor_loss_through_both_critics) {
  const auto loss = [&] {
    update_.draw_actions(1);
    update_.value_now(0);
    update_.value_now(1);
    const auto smaller = update_.critics[0].pass.output().cwiseMin(update_.critics[1].pass.output());
    return update_.alpha() * update_.now_actions.log_prob.mean() - smaller.mean();
  };
  loss();
  // Both critics take part, or the test would not see one of them: their values are moved to meet.
  update_.critics[1].weights[update_.critic_network().layers.back().bias] +=
      update_.critics[0].pass.output().mean() - update_.critics[1].pass.output().mean();
  loss();
  update_.choose_smaller();
  EXPECT_GT(update_.critics[0].pass.output_delta().sum() * update_.critics[1].pass.output_delta().sum(), 0);
  update_.slope_by_action(0);
  update_.slope_by_action(1);
  update_.actor_gradient(0);
  update_.actor_gradient(1);
  expect_gradient(update_.actor_network(), update_.actor, update_.whole_actor_gradient(), loss);
}

TEST_P(SacGradients, temperature_loss) {
  const double entropy = -update_.now_actions.log_prob.mean();
  EXPECT_NEAR(update_.alpha_gradient(), entropy - (-2.0), 1e-12);  // the target is minus the number of actions
}

// Where the standard deviation is clipped, the loss does not depend on the output that was clipped.
TEST_P(SacGradients, clipped_log_std_has_no_derivative) {
  const Layer& last = update_.actor_network().layers.back();
  update_.actor[last.bias + 2] = 50;
  update_.actor[last.bias + 3] = -50;
  update_.draw_actions(1);
  EXPECT_DOUBLE_EQ(update_.now_actions.log_std.row(0).minCoeff(), highest_log_std);
  EXPECT_DOUBLE_EQ(update_.now_actions.log_std.row(1).maxCoeff(), lowest_log_std);
  update_.critics[0].action_slope.setOnes();
  update_.actor_gradient(0);
  update_.actor_gradient(1);
  const Vector<double> gradient = update_.whole_actor_gradient();
  EXPECT_EQ(gradient[last.bias + 2], 0);
  EXPECT_EQ(gradient[last.bias + 3], 0);
  EXPECT_NE(gradient[last.bias], 0);
}

INSTANTIATE_TEST_SUITE_P(depths, SacGradients,
                         testing::Values(std::vector<std::size_t>{}, std::vector<std::size_t>{9},
                                         std::vector<std::size_t>{8, 5}, std::vector<std::size_t>{6, 7, 5}));

// The log-density against its definition, in the middle and far out, where 1 - tanh^2 would be rounded away.
TEST(Squash, log_density) {
  SquashedActions<double> s(2, 3);
  s.noise << 0.5, -1, 2, 0.1, 0, -0.3;
  Matrix<double> output(4, 3);
  output << 0.2, 30, -1, 0.4, -30, 0, -1, 0.5, 0.3, -2, 0, 0.1;
  squash(output, s);
  for (Index c = 0; c < 3; ++c) {
    double expected = 0;
    for (Index i = 0; i < 2; ++i) {
      const double u = output(i, c) + std::exp(output(2 + i, c)) * s.noise(i, c);
      EXPECT_NEAR(s.action(i, c), std::tanh(u), 1e-6);
      const double jacobian = -2 * std::log(std::cosh(u));  // log(1 - tanh^2 u); cosh is exact enough to |u| of 700
      expected += -s.noise(i, c) * s.noise(i, c) / 2 - output(2 + i, c) - std::log(2 * M_PI) / 2 - jacobian;
    }
    EXPECT_NEAR(s.log_prob[c], expected, 1e-9 * std::abs(expected));
  }
}

}  // namespace
}  // namespace mercer::learn
