#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "mercer/policy.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// A Gaussian teacher without a task: two tanh layers of 64, weights Normal(0, 1 / fan-in), log-spread -1.
inline GaussianPolicy tanh_teacher(std::size_t observations, std::size_t actions, std::uint64_t seed) {
  constexpr std::size_t hidden = 64;
  struct Layer {
    std::size_t in, out;
    std::vector<double> weights;
  };
  auto layers = std::make_shared<std::vector<Layer>>();
  for (const auto& [in, out] :
       std::vector<std::pair<std::size_t, std::size_t>>{{observations, hidden}, {hidden, hidden}, {hidden, actions}}) {
    Random random({seed, Stage::weights, layers->size(), 0});
    Layer layer{in, out, {}};
    for (std::size_t i = 0; i < in * out; ++i) {
      layer.weights.push_back(random.normal() / std::sqrt(static_cast<double>(in)));
    }
    layers->push_back(std::move(layer));
  }
  Contract contract;
  for (std::size_t d = 0; d < observations; ++d) {
    contract.observation.axes.push_back({fmt::format("x{}", d), {-HUGE_VAL, HUGE_VAL}, "", false});
  }
  for (std::size_t d = 0; d < actions; ++d) {
    contract.action.axes.push_back({fmt::format("a{}", d), {-HUGE_VAL, HUGE_VAL}, "", false});
  }
  contract.centre.assign(actions, 0);
  contract.scale.assign(actions, 1);
  return {"tanh teacher", std::move(contract), [layers, actions](MatrixView<const double> in, MatrixView<double> out) {
            for (std::size_t i = 0; i < in.cols(); ++i) {
              std::vector<double> value(in.rows());
              for (std::size_t d = 0; d < in.rows(); ++d) value[d] = in(d, i);
              for (const Layer& layer : *layers) {
                std::vector<double> next(layer.out);
                for (std::size_t o = 0; o < layer.out; ++o) {
                  for (std::size_t d = 0; d < layer.in; ++d) next[o] += layer.weights[o * layer.in + d] * value[d];
                  if (&layer != &layers->back()) next[o] = std::tanh(next[o]);
                }
                value = std::move(next);
              }
              for (std::size_t o = 0; o < actions; ++o) {
                out(o, i) = value[o];
                out(actions + o, i) = -1;
              }
            }
          }};
}

/// States of unit variance with AR(1) correlation 0.9, in one of two ways. One row for each axis.
enum class Correlated {
  along_time,  ///< each axis by itself, s' = 0.9 s + sqrt(1 - 0.81) e; every eighth state is kept
  along_axes,  ///< each state by itself, its axes one after the other
};
inline std::vector<double> correlated_states(std::size_t axes, std::size_t count, std::uint64_t seed,
                                             Correlated how = Correlated::along_time) {
  std::vector<double> out(axes * count);
  const auto follow = [](double now, Random& random) { return 0.9 * now + std::sqrt(1 - 0.81) * random.normal(); };
  if (how == Correlated::along_axes) {
    for (std::size_t i = 0; i < count; ++i) {
      Random random({seed, Stage::start, i, 1});
      double now = random.normal();
      for (std::size_t d = 0; d < axes; ++d, now = follow(now, random)) out[d * count + i] = now;
    }
    return out;
  }
  for (std::size_t d = 0; d < axes; ++d) {
    Random random({seed, Stage::start, d, 0});
    double now = random.normal();
    for (std::size_t i = 0; i < count; ++i) {
      out[d * count + i] = now;
      for (int step = 0; step < 8; ++step) now = follow(now, random);
    }
  }
  return out;
}

}  // namespace mercer
