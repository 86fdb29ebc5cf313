#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mercer::learn {

/// The last `capacity` steps. A step is one record, so that drawing it touches one place in memory:
/// observation, action, next observation, reward, and 0 where the task ended or 1 where it goes on.
class Replay {
 public:
  /// `expected` steps are made room for at once.
  Replay(std::size_t observations, std::size_t actions, std::size_t capacity, std::size_t expected);

  void add(std::span<const float> observation, std::span<const float> action, std::span<const float> next, float reward,
           bool terminated);

  std::size_t size() const { return numbers_.size() / width_; }
  std::size_t cursor() const { return cursor_; }  ///< where the next step goes
  std::size_t width() const { return width_; }
  const float* record(std::size_t index) const { return numbers_.data() + index * width_; }

  /// Steps of minibatch number `update`, drawn uniformly with replacement.
  void draw(std::uint64_t seed, std::uint64_t update, std::span<std::size_t> indices) const;

  std::span<const float> numbers() const { return numbers_; }
  void restore(std::span<const float> numbers, std::size_t cursor);

 private:
  std::size_t width_;
  std::size_t capacity_;
  std::size_t cursor_ = 0;
  std::vector<float> numbers_;
};

}  // namespace mercer::learn
