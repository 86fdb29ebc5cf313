#include "distil/action_costs.hpp"

#include <algorithm>

#include "mercer/parallel.hpp"

namespace mercer::distil {
namespace {

using learn::Index;

std::vector<std::size_t> hidden_of(const std::vector<DenseLayer>& layers) {
  std::vector<std::size_t> hidden;
  for (std::size_t l = 0; l + 1 < layers.size(); ++l) hidden.push_back(layers[l].outputs);
  return hidden;
}

Vector<float> weights_of(const learn::Network& network, const std::vector<DenseLayer>& layers) {
  Vector<float> weights = Vector<float>::Zero(network.size);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const learn::Layer& own = network.layers[l];
    for (Index o = 0; o < own.outputs; ++o) {
      for (Index i = 0; i < own.inputs; ++i) {
        weights[own.weight + i * own.outputs + o] =
            static_cast<float>(layers[l].weight[static_cast<std::size_t>(o * own.inputs + i)]);
      }
      weights[own.bias + o] = static_cast<float>(layers[l].bias[static_cast<std::size_t>(o)]);
    }
  }
  return weights;
}

}  // namespace

CriticNetworks::CriticNetworks(const DenseCritics& critics)
    : network(critics.networks[0].front().inputs, hidden_of(critics.networks[0]), 1),
      normalisation(critics.normalisation) {
  for (const auto& layers : critics.networks) weights.push_back(weights_of(network, layers));
}

Matrix<float> action_costs(const CriticNetworks& critics, const Matrix<float>& states, const Matrix<float>& actions) {
  constexpr float reach = 0.25F;
  constexpr std::size_t states_a_block = 256;
  const Index n = states.rows(), m = actions.rows(), tries = 2 * m + 1;
  Matrix<float> out = Matrix<float>::Zero(m, states.cols());
  for_each_block(static_cast<std::size_t>(states.cols()), states_a_block, [&](Block block) {
    const auto begin = static_cast<Index>(block.begin), count = static_cast<Index>(block.end - block.begin);
    Matrix<float> input(n + m, count * tries);
    for (Index c = 0; c < count; ++c) {
      auto own = input.middleCols(c * tries, tries);
      for (Index d = 0; d < n; ++d) {
        const float raw = states(d, begin + c);
        own.row(d).setConstant(critics.normalisation.empty()
                                   ? raw
                                   : static_cast<float>(critics.normalisation.apply(static_cast<std::size_t>(d), raw)));
      }
      own.bottomRows(m).colwise() = actions.col(begin + c);
      for (Index d = 0; d < m; ++d) {
        own(n + d, 2 * d + 1) = std::min(own(n + d, 0) + reach, 1.0F);
        own(n + d, 2 * d + 2) = std::max(own(n + d, 0) - reach, -1.0F);
      }
    }
    learn::Pass<float> pass(critics.network, input.cols());
    const float share = 1 / static_cast<float>(critics.weights.size());
    for (const Vector<float>& weights : critics.weights) {
      learn::forward<float>(critics.network, weights.data(), input, {0, input.cols()}, pass);
      for (Index c = 0; c < count; ++c) {
        const auto value = pass.output().row(0).segment(c * tries, tries);
        for (Index d = 0; d < m; ++d) {
          float sum = 0, sides = 0;
          for (const Index side : {2 * d + 1, 2 * d + 2}) {
            const float step = input(n + d, c * tries + side) - input(n + d, c * tries);
            if (std::abs(step) < 0.1F * reach) continue;  // at a bound: the other side counts
            sum += (value[0] - value[side]) / (step * step);
            ++sides;
          }
          out(d, begin + c) += share * sum / sides;
        }
      }
    }
  });
  return out.cwiseMax(0.0F);
}

}  // namespace mercer::distil
