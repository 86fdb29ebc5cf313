#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "mercer/policy.hpp"
#include "mercer/random.hpp"

/// States all over a policy's observations (a little beyond them, too), the same in every process.
inline std::vector<double> probe_states(const mercer::Contract& contract, std::size_t count) {
  const std::size_t dimensions = contract.observation.dimensions();
  std::vector<double> states(dimensions * count);
  for (std::size_t i = 0; i < count; ++i) {
    mercer::Random random({11, mercer::Stage::start, i, 0});
    for (std::size_t d = 0; d < dimensions; ++d) {
      const mercer::Range range = contract.observation.axes[d].range;
      states[d * count + i] = range.low + range.width() * (1.2 * random.uniform() - 0.1);
    }
  }
  return states;
}

/// What a policy does there, without drawing and drawn, to the last bit: a line for each state.
inline std::string actions_in_hex(const mercer::Policy& policy, std::size_t count) {
  const std::vector<double> states = probe_states(policy.contract(), count);
  const std::size_t actions = policy.action_space().dimensions();
  std::vector<double> mean(actions * count), drawn(actions * count);
  std::vector<std::uint64_t> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = i;
  const mercer::MatrixView<const double> at(states.data(), states.size() / count, count);
  policy.mean_action(at, {mean.data(), actions, count});
  policy.sample(at, {13, mercer::Stage::action, 0, items}, {drawn.data(), actions, count});
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < actions; ++d)
      text += fmt::format("{:a} {:a} ", mean[d * count + i], drawn[d * count + i]);
    text += '\n';
  }
  return text;
}
