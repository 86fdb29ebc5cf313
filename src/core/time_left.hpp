#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace mercer {

/// Seconds since some moment. Tests give one that they move by hand.
using SecondsClock = std::function<double()>;
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds that work still takes, from the share of its time that has passed. The work begins when this is made.
class TimeLeft {
 public:
  explicit TimeLeft(SecondsClock clock = steady_seconds) : clock_(std::move(clock)), begin_(clock_()) {}

  /// Empty as long as nothing is known: the share is 0.
  std::optional<double> at(double share) const {
    if (!(share > 0)) return std::nullopt;
    return (clock_() - begin_) * (1 - share) / share;
  }

 private:
  SecondsClock clock_;
  double begin_;
};

}  // namespace mercer
