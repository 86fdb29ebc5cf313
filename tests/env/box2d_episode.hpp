#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

/// One episode of a task, played by hand: its column, what is seen of it, the last reward and end.
struct Episode {
  explicit Episode(const Env& of, std::uint64_t item_ = 0)
      : env(of), item(item_), column(of.rows()), seen(of.task().observation.dimensions()) {
    env.reset({seed, Stage::start, 0, {&item, 1}}, view());
    look();
  }

  /// Starts anew in a state.
  void set_state(const std::vector<double>& state) {
    std::fill(column.begin(), column.end(), std::nan(""));  // settle must fill all it needs
    std::copy(state.begin(), state.end(), column.begin() + static_cast<std::ptrdiff_t>(env.carried()));
    env.settle(view());
    steps = 0;
    look();
  }

  void step(const std::vector<double>& action) {
    env.step(view(), {action.data(), action.size(), 1}, {seed, Stage::transition, steps++, {&item, 1}}, {&reward, 1},
             {&end, 1});
    look();
  }

  std::vector<double> state() const {
    return {column.begin() + static_cast<std::ptrdiff_t>(env.carried()), column.end()};
  }
  MatrixView<double> view() { return {column.data(), column.size(), 1}; }
  void look() { env.observe(view(), {seen.data(), seen.size(), 1}); }

  static constexpr std::uint64_t seed = 7;
  const Env& env;
  std::uint64_t item;
  std::vector<double> column, seen;
  std::uint32_t steps = 0;
  double reward = 0;
  std::uint8_t end = StepEnd::none;
};

}  // namespace mercer
