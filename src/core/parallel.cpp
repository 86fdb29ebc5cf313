#include "mercer/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include "mercer/error.hpp"

// oneTBB is not built with the thread sanitizer, which therefore does not see that a loop starts after what precedes it
// and ends before what follows. These two calls say so, and say nothing about bodies against each other: a race between
// two bodies is still reported. src/CMakeLists.txt defines the macro.
#ifdef MERCER_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void* address);  // NOLINT(bugprone-reserved-identifier)
void __tsan_release(void* address);  // NOLINT(bugprone-reserved-identifier)
}
#else
static void __tsan_acquire(void*) {}  // NOLINT(bugprone-reserved-identifier)
static void __tsan_release(void*) {}  // NOLINT(bugprone-reserved-identifier)
#endif

namespace mercer {
namespace {

thread_local std::size_t depth = 0;  // of loop bodies that this thread is in

struct Inside {
  Inside() { ++depth; }
  ~Inside() { --depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// The failure of the earliest block, so that the same error comes out on any number of threads. Blocks after one that
// failed need not run; blocks before it must, since they may fail too.
class EarliestFailure {
 public:
  bool is_before(std::size_t block) const { return failed_.load(std::memory_order_relaxed) < block; }
  void record(std::size_t block) {
    const std::scoped_lock lock(mutex_);
    if (is_before(block)) return;
    failed_ = block;
    trouble_ = std::current_exception();
  }
  void rethrow() const {
    if (trouble_) std::rethrow_exception(trouble_);
  }

 private:
  std::atomic<std::size_t> failed_ = SIZE_MAX;
  std::exception_ptr trouble_;
  std::mutex mutex_;
};

}  // namespace

void for_each_block(std::size_t items, std::size_t block_size, const std::function<void(Block)>& body, bool in_turn) {
  if (items == 0) return;
  const std::size_t size = std::max<std::size_t>(1, block_size);
  const std::size_t blocks = items / size + (items % size == 0 ? 0 : 1);
  EarliestFailure failure;
  const auto run_block = [&](std::size_t index) {
    if (failure.is_before(index)) return;
    const std::size_t begin = index * size;
    const Inside inside;
    try {
      body({index, begin, begin + std::min(size, items - begin)});
    } catch (...) {
      failure.record(index);
    }
  };
  if (in_turn || blocks == 1 || thread_count() == 1) {  // no team, which would ask for memory and threads
    for (std::size_t index = 0; index < blocks; ++index) run_block(index);
    return failure.rethrow();
  }
  char fork = 0;
  char join = 0;
  __tsan_release(&fork);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, blocks, 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        __tsan_acquire(&fork);
        for (std::size_t index = range.begin(); index != range.end(); ++index) run_block(index);
        __tsan_release(&join);
      },
      tbb::simple_partitioner());
  __tsan_acquire(&join);
  failure.rethrow();
}

bool inside_block() { return depth > 0; }

std::size_t thread_count() {
  return std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                               static_cast<std::size_t>(tbb::info::default_concurrency()));
}

struct ThreadLimit::Control {
  explicit Control(std::size_t threads) : control(tbb::global_control::max_allowed_parallelism, threads) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(std::size_t threads) {
  require_in_range("threads", static_cast<double>(threads), 0, 1024, "Use 0 for all cores of this machine");
  if (threads > 0) control_ = std::make_unique<Control>(threads);
}
ThreadLimit::~ThreadLimit() = default;

}  // namespace mercer
