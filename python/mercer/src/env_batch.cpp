#include "env_batch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/perturb.hpp"

namespace py = pybind11;
using mercer::Draws;
using mercer::Error;
using mercer::ErrorCode;
using mercer::MatrixView;
using mercer::Stage;

EnvBatch::EnvBatch(EnvPointer env, std::size_t count) : env_(std::move(env)), count_(count) {
  mercer::require_in_range("num_envs", static_cast<double>(count), 1, 1 << 20, "Take fewer, several times");
  numbers_.resize(env_->rows() * count_);
  items_.resize(count_);
  steps_.resize(count_);
  ended_.resize(count_);
  if (!mercer::needs_spread(*env_)) reset(0, py::none());
}

py::object EnvBatch::reset(std::optional<std::uint64_t> seed, const py::object& mask) {
  if (seed) {
    seed_ = *seed;
    next_item_ = 0;
  }
  std::vector<std::uint8_t> chosen(count_, 1);
  if (!mask.is_none()) {
    const auto given = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(mask);
    if (!given || given.size() != static_cast<py::ssize_t>(count_)) {
      throw Error(ErrorCode::shape_mismatch, fmt::format("a mask for other than {} episodes", count_),
                  "Give one truth value for each");
    }
    std::copy_n(given.data(), count_, chosen.begin());
  }
  for (std::size_t i = 0; i < count_; ++i) {
    if (chosen[i] == 0) continue;
    items_[i] = next_item_ + i;
    steps_[i] = 0;
    ended_[i] = mercer::StepEnd::none;
    env_->reset({seed_, Stage::start, 0, std::span(items_).subspan(i, 1)}, columns().columns(i, 1));
  }
  next_item_ += count_;
  return observe();
}

py::object EnvBatch::set_state(const py::object& given) {
  const MatrixView<double> states = env_->states_of(columns());
  const Batch batch(given, states.rows(), "states");
  if (batch.size() != count_ && batch.size() != 1) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} states for {} episodes", batch.size(), count_),
                "Give one for all or one for each");
  }
  for (std::size_t d = 0; d < states.rows(); ++d) {
    for (std::size_t i = 0; i < count_; ++i) states(d, i) = batch.view()(d, batch.size() == 1 ? 0 : i);
  }
  env_->settle(columns());
  std::ranges::fill(steps_, 0U);
  std::ranges::fill(ended_, mercer::StepEnd::none);
  return observe();
}

py::object EnvBatch::state() const {
  const MatrixView<const double> states = env_->states_of(columns());
  Columns out(states.rows(), count_);
  for (std::size_t d = 0; d < states.rows(); ++d) std::ranges::copy(states.row(d), out.view.row(d).begin());
  return out.array;
}

py::object EnvBatch::observe() const {
  Columns out(env_->task().observation.dimensions(), count_);
  env_->observe(columns(), out.view);
  return out.array;
}

mercer::Figure EnvBatch::figure(std::size_t index) const {
  mercer::require_in_range("index of an episode", static_cast<double>(index), 0, static_cast<double>(count_ - 1),
                           "Take one that there is");
  const MatrixView<const double> states = env_->states_of(columns());
  std::vector<double> state(states.rows());
  for (std::size_t d = 0; d < state.size(); ++d) state[d] = states(d, index);
  return env_->figure(state);
}

py::object EnvBatch::broken() const {
  py::array_t<bool> out(static_cast<py::ssize_t>(count_));
  for (std::size_t i = 0; i < count_; ++i) out.mutable_data()[i] = ended_[i] == mercer::StepEnd::broken;
  return out;
}

py::tuple EnvBatch::step(const py::object& given) {
  const mercer::Space& space = env_->task().action;
  const Batch actions(given, space.dimensions(), "actions");
  if (actions.size() != count_) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} actions for {} episodes", actions.size(), count_),
                "Give one for each");
  }
  for (std::size_t i = 0; space.is_discrete() && i < count_; ++i) {
    const double action = actions.view()(0, i);
    if (action >= 0 && action < static_cast<double>(space.count) && action == std::floor(action)) continue;
    throw Error(ErrorCode::out_of_range,
                fmt::format("action {} of episode {}; legal: integers 0 to {}", action, i, space.count - 1),
                "Give one of those");
  }
  const auto count = static_cast<py::ssize_t>(count_);
  py::array_t<double> rewards(count);
  py::array_t<bool> terminated(count), truncated(count);
  const std::span<double> reward(rewards.mutable_data(), count_);
  {
    const py::gil_scoped_release release;
    // Draws of one call share the number of the step.
    for (std::size_t begin = 0; begin < count_;) {
      std::size_t end = begin + 1;
      while (end < count_ && steps_[end] == steps_[begin]) ++end;
      const std::size_t size = end - begin;
      const Draws draws{seed_, Stage::transition, steps_[begin], std::span(items_).subspan(begin, size)};
      env_->step(columns().columns(begin, size), actions.view().columns(begin, size), draws,
                 reward.subspan(begin, size), std::span(ended_).subspan(begin, size));
      begin = end;
    }
  }
  for (std::size_t i = 0; i < count_; ++i) {
    terminated.mutable_data()[i] = ended_[i] != mercer::StepEnd::none;
    truncated.mutable_data()[i] = ++steps_[i] >= env_->task().time_limit;
  }
  return py::make_tuple(observe(), rewards, terminated, truncated);
}
