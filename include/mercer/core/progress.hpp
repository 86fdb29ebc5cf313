#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace mercer {

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

}  // namespace mercer
