#include "compress/forecast.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mercer {

Forecast::Forecast(const Progress& outer) : outer_(outer), inner_(outer) {
  if (!outer.report) return;
  inner_.report = [this](std::string_view stage, double) { report(stage); };
}

void Forecast::expect(double seconds) {
  left_ = seconds;
  when_ = this->seconds();
}

double Forecast::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

// Stages are those of the parts: "rollout" is playing for some purpose, "choice of terms" and "imitate" are fits.
void Forecast::report(std::string_view stage) const {
  const double passed = seconds();
  constexpr double late = 0.05;  // of an estimate that turned out too short
  const double left = std::max(left_ - (passed - when_), late * left_);
  const std::string phase = stage == "rollout"                                 ? playing_
                            : stage == "choice of terms" || stage == "imitate" ? "fit"
                                                                               : std::string(stage);
  outer_.report(detail_.empty() ? phase : fmt::format("{}, {}", phase, detail_), passed / (passed + left));
}

}  // namespace mercer
