#include "explorer/serve_work.hpp"

#include <algorithm>

using Clock = std::chrono::steady_clock;

WorkLimit::WorkLimit(std::size_t at_once, std::chrono::milliseconds longest)
    : at_once_(at_once), longest_(longest), watcher_([this](const std::stop_token& ended) { watch(ended); }) {}

WorkLimit::~WorkLimit() { stop_all(); }

WorkLimit::Place::~Place() {
  const std::lock_guard lock(limit_.mutex_);
  limit_.under_way_.erase(number_);
}

std::unique_ptr<WorkLimit::Place> WorkLimit::take(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (under_way_.size() >= at_once_) return nullptr;
  const auto [place, is_new] = under_way_.emplace(++count_, Work{name, Clock::now() + longest_, {}});
  is_new_ = true;
  changed_.notify_all();
  return std::make_unique<Place>(*this, count_, place->second.source.get_token());
}

bool WorkLimit::stop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  bool found = false;
  for (auto& [number, work] : under_way_) {
    if (name.empty() || work.name != name) continue;
    work.source.request_stop();
    found = true;
  }
  return found;
}

void WorkLimit::stop_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, work] : under_way_) work.source.request_stop();
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
