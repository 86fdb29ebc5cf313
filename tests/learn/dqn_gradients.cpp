// The derivative of the DQN loss against central differences in double precision, and its goals by hand.

#include <cmath>

#include <gtest/gtest.h>

#include "learn/dqn.hpp"
#include "support/learn.hpp"

namespace mercer::learn {
namespace {

DqnOptions small_options(std::vector<std::size_t> hidden) {
  DqnOptions options;
  options.hidden = std::move(hidden);
  options.batch_size = 9;
  options.gamma = 0.9;
  return options;
}

void fill(DqnUpdate<double>& update) {
  Random random({3, Stage::task, 0, 0});
  for (Index c = 0; c < update.batch(); ++c) {
    for (Index r = 0; r < update.data.rows(); ++r) {
      update.data(r, c) = 2 * random.uniform() - 1;
      update.next(r, c) = 2 * random.uniform() - 1;
    }
    update.action[static_cast<std::size_t>(c)] = c % 3;
    update.reward[c] = 4 * random.uniform() - 2;  // some misses beyond 1, where the loss is a line
    update.continues[c] = c % 4 == 0 ? 0 : 1;
  }
  update.target *= 1.7;  // so that the two networks disagree
}

class DqnGradients : public testing::TestWithParam<std::vector<std::size_t>> {};

TEST_P(DqnGradients, huber_loss) {
  DqnUpdate<double> update(2, 3, small_options(GetParam()), 5);
  fill(update);
  update.value_next(0);
  update.value_next(1);
  update.set_goals();
  const auto loss = [&] {
    update.gradient(0);
    update.gradient(1);
    return update.loss();
  };
  loss();
  const Vector<double> gradient = update.whole_gradient();
  expect_gradient(update.network(), update.weights, gradient, loss);
}

INSTANTIATE_TEST_SUITE_P(depths, DqnGradients,
                         testing::Values(std::vector<std::size_t>{}, std::vector<std::size_t>{7},
                                         std::vector<std::size_t>{6, 5}));

// A single affine layer, so that every value can be written down: Q(s) = W s + b.
TEST(DqnGoals, double_q_chooses_with_one_network_and_values_with_the_other) {
  for (const bool double_q : {true, false}) {
    DqnOptions options = small_options({});
    options.double_q = double_q;
    options.batch_size = 2;
    DqnUpdate<double> update(1, 2, options, 0);
    const Layer& layer = update.network().layers[0];
    update.weights.setZero();
    update.target.setZero();
    update.weights[layer.bias] = 1;  // the online network prefers action 0, the target network action 1
    update.target[layer.bias] = 3;
    update.target[layer.bias + 1] = 5;
    update.reward << 10, 20;
    update.continues << 1, 0;
    update.value_next(0);
    update.value_next(1);
    update.set_goals();
    update.action = {0, 0};
    update.gradient(0);
    update.gradient(1);
    // Misses are 1 - goal; the loss of a miss m beyond one is |m| - 1/2.
    const double first_goal = 10 + 0.9 * (double_q ? 3 : 5);
    EXPECT_NEAR(update.loss(), ((first_goal - 1 - 0.5) + (20 - 1 - 0.5)) / 2, 1e-12);
  }
}

TEST(DqnStep, shortens_long_gradients_and_copies_to_the_target) {
  DqnOptions options = small_options({4});
  options.max_gradient_norm = 1e-3;
  options.target_every = 2;
  DqnUpdate<double> update(2, 3, options, 5);
  fill(update);
  update.update();
  // The first moment after one step is 0.1 of the gradient that was taken.
  EXPECT_NEAR(update.moments.first.norm(), 0.1 * 1e-3, 1e-12);
  EXPECT_NE(update.target, update.weights);
  update.update();
  EXPECT_EQ(update.target, update.weights);
}

}  // namespace
}  // namespace mercer::learn
