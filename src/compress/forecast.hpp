#pragma once

#include <optional>
#include <string>

#include "core/time_left.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// One bar for a whole search. Its parts report how far each of them is; what is passed on is the phase (teacher plays,
/// fit, polish, choose, certify) and the share of all the time that has passed.
class Forecast {
 public:
  /// `outer` must outlive this.
  explicit Forecast(const Progress& outer, SecondsClock clock = steady_seconds);
  Forecast(const Forecast&) = delete;
  Forecast& operator=(const Forecast&) = delete;

  /// For the parts of the work.
  const Progress& inner() const { return inner_; }

  /// What episodes that are played from now on are for.
  void play_for(std::string phase) { playing_ = std::move(phase); }
  /// A word about what is at work, such as "5 terms".
  void detail(std::string words) { detail_ = std::move(words); }
  /// All of the work will take so many seconds from now on. Until this is called the share is 0: nothing is known.
  void expect(double seconds);

 private:
  void report(std::string_view stage) const;

  const Progress& outer_;
  Progress inner_;
  std::string playing_ = "teacher plays", detail_;
  SecondsClock clock_;
  double begin_, when_;         // the last estimate was made then
  std::optional<double> left_;  // and it was this
};

}  // namespace mercer
