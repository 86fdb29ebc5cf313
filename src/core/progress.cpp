#include <algorithm>
#include <cstring>

#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

void Progress::check() const {
  if (stop.stop_requested()) {
    throw Error(ErrorCode::interrupted, "interrupted before the work was done",
                "No result was written; run the same command again");
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

namespace {

Team& current() {
  static Team only;
  return only;
}

}  // namespace

void join_team(Team team) { current() = std::move(team); }
const Team& team() { return current(); }
bool shares_work() { return team().size > 1 && !inside_block(); }

Share share_of(std::size_t rank, std::size_t size, std::size_t items, std::size_t block) {
  const std::size_t blocks = (items + block - 1) / block;
  const auto bound = [&](std::size_t r) { return std::min(items, blocks * r / size * block); };
  return {bound(rank), bound(rank + 1)};
}

void fill_shared(std::span<double> values, const std::function<void(Share)>& fill) {
  if (!shares_work()) return fill({0, values.size()});
  const Team& all = team();
  const Share own = share_of(all.rank, all.size, values.size(), 1);
  fill(own);
  std::string mine(8 * (own.end - own.begin), '\0');
  std::memcpy(mine.data(), values.data() + own.begin, mine.size());
  const std::vector<std::string> parts = all.gather(mine);
  for (std::size_t r = 0; r < all.size; ++r) {
    const Share theirs = share_of(r, all.size, values.size(), 1);
    std::memcpy(values.data() + theirs.begin, parts[r].data(), 8 * (theirs.end - theirs.begin));
  }
}

}  // namespace mercer
