#include "learn/learner.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer::learn {

Replay::Replay(std::size_t observations, std::size_t actions, std::size_t capacity, std::size_t expected)
    : width_(2 * observations + actions + 2), capacity_(capacity) {
  numbers_.reserve(width_ * std::min(capacity, expected));
}

void Replay::add(std::span<const float> observation, std::span<const float> action, std::span<const float> next,
                 float reward, bool terminated) {
  if (size() < capacity_) numbers_.resize(numbers_.size() + width_);
  float* out = numbers_.data() + cursor_ * width_;
  for (const auto part : {observation, action, next}) out = std::ranges::copy(part, out).out;
  out[0] = reward;
  out[1] = terminated ? 0.0F : 1.0F;
  cursor_ = (cursor_ + 1) % capacity_;
}

void Replay::draw(std::uint64_t seed, std::uint64_t update, std::span<std::size_t> indices) const {
  Random random({seed, Stage::replay, update >> 32, static_cast<std::uint32_t>(update)});
  const std::uint64_t count =
      size();  // below 2^32: 32 random bits times it, shifted down, are even to one in 2^32/count
  for (std::size_t i = 0; i < indices.size(); i += 2) {
    const std::uint64_t bits = random.bits();
    indices[i] = (bits >> 32) * count >> 32;
    if (i + 1 < indices.size()) indices[i + 1] = (bits & 0xffffffff) * count >> 32;
  }
}

void Replay::restore(std::span<const float> numbers, std::size_t cursor) {
  numbers_.assign(numbers.begin(), numbers.end());
  cursor_ = cursor;
}

void require_bounded_actions(const Task& task, std::string_view algorithm) {
  if (task.action.is_discrete()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("{} needs continuous actions and task '{}' has {} discrete ones", algorithm, task.name,
                            task.action.count),
                "Use dqn, or a task with a box of actions");
  }
  for (const Axis& axis : task.action.axes) {
    if (std::isfinite(axis.range.width())) continue;
    throw Error(ErrorCode::bad_value, fmt::format("action '{}' of task '{}' has no bounds", axis.name, task.name),
                fmt::format("Give the task finite bounds: {} spreads its actions over them", algorithm));
  }
}

}  // namespace mercer::learn
