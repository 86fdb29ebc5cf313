#include "compress/forecast.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mercer {

Forecast::Forecast(const Progress& outer, SecondsClock clock)
    : outer_(outer), inner_(outer), clock_(std::move(clock)), begin_(clock_()), when_(begin_) {
  if (!outer.report) return;
  inner_.report = [this](std::string_view stage, double) { report(stage); };
}

void Forecast::expect(double seconds) {
  left_ = seconds;
  when_ = clock_();
}

// Stages are those of the parts: "rollout" is playing for some purpose, "choice of terms" and "imitate" are fits.
void Forecast::report(std::string_view stage) const {
  const double now = clock_(), passed = now - begin_;
  double share = 0;
  if (left_ && passed > 0) {
    constexpr double late = 0.1;  // of an estimate that turned out too short, and of the time since it was made
    const double since = now - when_, left = std::max({*left_ - since, late * *left_, late * since});
    share = passed / (passed + left);
  }
  const std::string phase = stage == "rollout"                                 ? playing_
                            : stage == "choice of terms" || stage == "imitate" ? "fit"
                                                                               : std::string(stage);
  outer_.report(detail_.empty() ? phase : fmt::format("{}, {}", phase, detail_), share);
}

}  // namespace mercer
