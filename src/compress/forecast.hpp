#pragma once

#include <chrono>
#include <string>

#include "mercer/parallel.hpp"

namespace mercer {

/// One bar for a whole search. Its parts report how far each of them is; what is passed on is the phase (teacher plays,
/// fit, polish, choose, certify) and the share of all the time that has passed.
class Forecast {
 public:
  /// `outer` must outlive this.
  explicit Forecast(const Progress& outer);
  Forecast(const Forecast&) = delete;
  Forecast& operator=(const Forecast&) = delete;

  /// For the parts of the work.
  const Progress& inner() const { return inner_; }

  /// What episodes that are played from now on are for.
  void play_for(std::string phase) { playing_ = std::move(phase); }
  /// A word about what is at work, such as "5 terms".
  void detail(std::string words) { detail_ = std::move(words); }
  /// All of the work will take so many seconds from now on.
  void expect(double seconds);
  double seconds() const;

 private:
  void report(std::string_view stage) const;

  const Progress& outer_;
  Progress inner_;
  std::string playing_ = "teacher plays", detail_;
  double left_ = 1, when_ = 0;  // the last estimate, and the time it was made
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace mercer
