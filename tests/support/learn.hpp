#pragma once

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "learn/network.hpp"
#include "mercer/random.hpp"

namespace mercer::learn {

/// Fills the minibatch of an update with made-up steps and noise.
template <class Update>
void fill_batch(Update& update, std::uint64_t seed) {
  Random random({seed, Stage::task, 0, 0});
  const auto fill = [&random](auto&& part) {
    for (Index c = 0; c < part.cols(); ++c) {
      for (Index r = 0; r < part.rows(); ++r) {
        part(r, c) = static_cast<std::decay_t<decltype(part(r, c))>>(2 * random.uniform() - 1);
      }
    }
  };
  const auto draw = [&random](auto& part) {
    for (Index i = 0; i < part.size(); ++i) {
      part.data()[i] = static_cast<std::decay_t<decltype(part.data()[i])>>(random.normal());
    }
  };
  const Index observations = update.actor_network().inputs();
  fill(update.data);
  fill(update.next);
  update.now.topRows(observations) = update.data.topRows(observations);
  fill(update.reward);
  for (Index i = 0; i < update.batch(); ++i) update.continues[i] = i % 4 == 0 ? 0 : 1;
  draw(update.next_actions.noise);
  draw(update.now_actions.noise);
}

/// Compares `gradient` with central differences of `loss()`, which depends on `weights`, for every weight of the
/// network.
template <class Loss>
void expect_gradient(const Network& network, Vector<double>& weights, const Vector<double>& gradient, Loss loss) {
  constexpr double width = 1e-5;
  ASSERT_GT(gradient.cwiseAbs().maxCoeff(), 1e-3);
  const auto check = [&](Index i) {
    const double kept = weights[i];
    weights[i] = kept + width;
    const double above = loss();
    weights[i] = kept - width;
    const double below = loss();
    weights[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * width), 1e-6 + 1e-5 * std::abs(gradient[i])) << "weight " << i;
  };
  for (const Layer& layer : network.layers) {
    for (Index i = 0; i < layer.inputs * layer.outputs; ++i) check(layer.weight + i);
    for (Index i = 0; i < layer.outputs; ++i) check(layer.bias + i);
  }
  loss();
}

}  // namespace mercer::learn
