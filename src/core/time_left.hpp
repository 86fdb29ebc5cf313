#pragma once

#include <chrono>
#include <optional>

namespace mercer {

/// Seconds that work still takes, from the share that is done and the time that passed. Work that was taken up again
/// did not begin at zero; work of several parts that each report from zero begins anew with each of them.
class TimeLeft {
 public:
  /// Empty as long as nothing was done.
  std::optional<double> at(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    const bool next_part = last_ > 0.99 && fraction < 0.5;
    if (!first_ || fraction < *first_ || next_part) {
      first_ = fraction;
      start_ = now;
    }
    last_ = fraction;
    if (!(fraction > *first_)) return std::nullopt;
    const double passed = std::chrono::duration<double>(now - start_).count();
    return passed * (1 - fraction) / (fraction - *first_);
  }

 private:
  std::optional<double> first_;
  double last_ = 0;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace mercer
