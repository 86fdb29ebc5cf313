#pragma once

#include <optional>
#include <vector>

#include "arrays.hpp"
#include "handles.hpp"

/// Several episodes of one task, stepped together: what `mercer.make` gives.
///
/// Episode i of the first reset with a seed is episode i of `rollout` with that seed: the same start, the same noise.
/// Resets without a seed go on to episodes that were not played before. Nothing is reset by itself.
class EnvBatch {
 public:
  EnvBatch(EnvPointer env, std::size_t count);

  const mercer::Env& env() const { return *env_; }
  const EnvPointer& shared() const { return env_; }
  std::size_t count() const { return count_; }

  /// New episodes where `mask` says so, everywhere without one. Gives all observations.
  pybind11::object reset(std::optional<std::uint64_t> seed, const pybind11::object& mask);
  /// One state for all or one for each; episodes begin there.
  pybind11::object set_state(const pybind11::object& states);
  pybind11::object state() const;
  pybind11::object observe() const;
  /// One episode as a picture.
  mercer::Figure figure(std::size_t index) const;
  /// Where the simulator failed in the last step.
  pybind11::object broken() const;
  /// obs, rewards, terminated, truncated.
  pybind11::tuple step(const pybind11::object& actions);

 private:
  mercer::MatrixView<double> columns() { return {numbers_.data(), env_->rows(), count_}; }
  mercer::MatrixView<const double> columns() const { return {numbers_.data(), env_->rows(), count_}; }

  EnvPointer env_;
  std::size_t count_;
  std::vector<double> numbers_;       // of all columns
  std::vector<std::uint64_t> items_;  // number of the episode in each column
  std::vector<std::uint32_t> steps_;
  std::vector<std::uint8_t> ended_;  // what the last step wrote for each column
  std::uint64_t seed_ = 0, next_item_ = 0;
};
