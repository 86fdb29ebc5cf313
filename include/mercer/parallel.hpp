#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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
/// that failed is rethrown here, also the same each time; blocks after it may not have run. With `in_turn` the blocks
/// run one after the other on this thread, for bodies that cannot run side by side.
void for_each_block(std::size_t items, std::size_t block_size, const std::function<void(Block)>& body,
                    bool in_turn = false);

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

/// How long work tells its caller where it is, and how the caller asks it to stop. Both parts may be left empty.
struct Progress {
  /// Called with the stage and the fraction done in [0, 1]; from any thread, but never from two at once.
  std::function<void(std::string_view stage, double fraction)> report;
  /// When a stop is requested the work ends with an `interrupted` error, leaving files as they were.
  std::stop_token stop;

  /// Throws `interrupted` if a stop was requested.
  void check() const;
};

/// Counts finished items of one stage over all threads and reports each whole percent.
class ProgressCounter {
 public:
  ProgressCounter(const Progress& progress, std::string stage, std::uint64_t total);
  /// Adds finished items; throws `interrupted` if a stop was requested.
  void add(std::uint64_t items);

 private:
  const Progress& progress_;
  std::string stage_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t reported_percent_ = 0;
  std::mutex mutex_;
};

/// Processes that run the same program on the same input side by side, as mpirun starts them: each does a share of the
/// work, and all hold all of its results.
struct Team {
  std::size_t rank = 0;  ///< of this process, below `size`
  std::size_t size = 1;
  /// Hands bytes to all others; returns those of all, by rank. Every process calls it as often and in the same order.
  std::function<std::vector<std::string>(const std::string& mine)> gather{};
};

/// Makes this process one of a team. Before any work; by default it is alone.
void join_team(Team team);
const Team& team();

/// True in the body of a parallel loop: processes pass through bodies in no common order, so nothing is shared there.
bool inside_block();

/// Whether work here is to be shared: there are others, and this is not inside a loop.
bool shares_work();

/// Items [begin, end) of the process `rank`: all are cut into as many runs of whole blocks as there are processes.
struct Share {
  std::size_t begin, end;
};
Share share_of(std::size_t rank, std::size_t size, std::size_t items, std::size_t block);

/// Fills `values`, item by item: `fill` is called once with the items of this process, and the rest comes from the
/// others. Alone, or inside a loop, all items are this process's.
void fill_shared(std::span<double> values, const std::function<void(Share)>& fill);

}  // namespace mercer
