#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace mercer {

/// Items [begin, end) of a loop that was cut into blocks; `index` counts the blocks.
struct Block {
  std::size_t index;
  std::size_t begin;
  std::size_t end;
};

/// Runs `body` once for every block of `block_size` items (the last may be shorter), on all allowed threads.
///
/// The blocks depend on `items` and `block_size` alone, never on the number of threads or on scheduling, so a body that
/// writes only what belongs to its block gives the same result on any machine. The exception of the earliest block
/// that failed is rethrown here, also the same each time; blocks after it may not have run.
void for_each_block(std::size_t items, std::size_t block_size, const std::function<void(Block)>& body);

/// The number of threads that loops may use now.
std::size_t thread_count();

/// While it lives, loops use at most `threads` threads (0: as many as the machine has; legal up to 1024).
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace mercer
