#include "mercer/core/progress.hpp"

#include "mercer/core/error.hpp"

namespace mercer {

void Progress::check() const {
  if (stop.stop_requested()) {
    throw Error(ErrorCode::interrupted, "interrupted before the work was done",
                "Nothing was written; run the same command again");
  }
}

ProgressCounter::ProgressCounter(const Progress& progress, std::string stage, std::uint64_t total)
    : progress_(progress), stage_(std::move(stage)), total_(total) {}

void ProgressCounter::add(std::uint64_t items) {
  progress_.check();
  if (!progress_.report) return;
  const std::scoped_lock lock(mutex_);
  done_ += items;
  const std::uint64_t percent = total_ == 0 ? 100 : done_ * 100 / total_;
  if (percent == reported_percent_) return;
  reported_percent_ = percent;
  progress_.report(stage_, total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_));
}

}  // namespace mercer
