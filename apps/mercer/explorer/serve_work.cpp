#include "explorer/serve_work.hpp"

#include <algorithm>

using Clock = std::chrono::steady_clock;

WorkLimit::WorkLimit(std::size_t at_once, std::chrono::milliseconds longest)
    : at_once_(at_once), longest_(longest), watcher_([this](const std::stop_token& ended) { watch(ended); }) {}

WorkLimit::~WorkLimit() { stop_all(); }

WorkLimit::Place::~Place() {
  const std::lock_guard lock(limit_.mutex_);
  limit_.under_way_.erase(number_);
  limit_.changed_.notify_all();
}

std::unique_ptr<WorkLimit::Place> WorkLimit::take(const std::string& name, const std::function<bool()>& is_gone) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = ++count_;
  const auto last = Clock::now() + longest_;
  const auto mine = waiting_.emplace(number, Work{name, last, {}}).first;
  const auto ready = [&] {
    return mine->second.source.stop_requested() || (mine == waiting_.begin() && under_way_.size() < at_once_);
  };
  for (auto now = Clock::now();
       !changed_.wait_until(lock, std::min(last, now + std::chrono::milliseconds(100)), ready);) {
    lock.unlock();
    now = Clock::now();
    const bool gone = now >= last || (is_gone && is_gone());
    lock.lock();
    if (!gone || ready()) continue;
    waiting_.erase(mine);
    changed_.notify_all();  // the next one may be the first now
    return nullptr;
  }
  auto own = waiting_.extract(mine);
  own.mapped().until = Clock::now() + longest_;
  const std::stop_token stop = own.mapped().source.get_token();
  under_way_.insert(std::move(own));
  is_new_ = true;
  changed_.notify_all();
  return std::make_unique<Place>(*this, number, stop);
}

bool WorkLimit::stop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  bool found = false;
  for (auto* all : {&under_way_, &waiting_}) {
    for (auto& [number, work] : *all) {
      if (name.empty() || work.name != name) continue;
      work.source.request_stop();
      found = true;
    }
  }
  changed_.notify_all();
  return found;
}

void WorkLimit::stop_all() {
  const std::lock_guard lock(mutex_);
  for (auto* all : {&under_way_, &waiting_}) {
    for (auto& [number, work] : *all) work.source.request_stop();
  }
  changed_.notify_all();
}

// Sleeps until the next work's time is up, or other work comes.
void WorkLimit::watch(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (!ended.stop_requested()) {
    auto next = Clock::now() + std::chrono::hours(1);
    for (auto& [number, work] : under_way_) {
      if (work.until <= Clock::now()) {
        work.source.request_stop();
      } else {
        next = std::min(next, work.until);
      }
    }
    is_new_ = false;
    changed_.wait_until(lock, ended, next, [this] { return is_new_; });
  }
}
