#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "measure/check_sample.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// Beyond a loss of this many times the teacher's return nothing is worth telling.
constexpr double most_x = 1000;
constexpr std::string_view near_zero = "the teacher's mean return cannot be distinguished from 0";
constexpr std::string_view zero = "the teacher's mean return is 0";

using Numbers = std::span<const double>;

Range interval(const LossOptions& by, Numbers x, Range range, double delta, Sides sides) {
  switch (by.method) {
    case LossMethod::betting:
      return betting_interval(x, range, delta, sides, by.anytime);
    case LossMethod::predictable_bernstein:
      return predictable_bernstein_interval(x, range, delta, sides);
    case LossMethod::empirical_bernstein:
      return empirical_bernstein_interval(x, range, delta, sides);
    case LossMethod::hoeffding:
    case LossMethod::student_t:
      break;
  }
  return hoeffding_interval(x, range, delta, sides);
}

// The smallest x in [-1, most_x] that passes, where all above a passing x pass; none if not even the largest does.
template <class Passes>
std::optional<double> smallest(Passes passes) {
  double low = -1, high = most_x;
  if (!passes(high)) return std::nullopt;
  if (passes(low)) return low;
  for (int i = 0; i < 60 && high - low > 1e-12; ++i) {
    const double middle = low + (high - low) / 2;
    (passes(middle) ? high : low) = middle;
  }
  return high;
}

// Z = s G - G' with s = 1 + x for returns up to 0, 1 - x for those from 0 up.
struct Ratio {
  Numbers teacher, student;
  Range range;
  double delta;
  double sign;  // of x in s

  double s(double x) const { return 1 + sign * x; }
  double most(double x) const { return std::max(s(x) * range.high, s(x) * range.low) - range.low; }
  double least(double x) const { return std::min(s(x) * range.high, s(x) * range.low) - range.high; }
};

std::optional<double> ratio_by_betting(const Ratio& ratio, bool anytime) {
  std::vector<double> residuals(ratio.teacher.size()), minus(ratio.student.begin(), ratio.student.end());
  double teacher = 0, student = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    // The s at which the returns so far balance: near it the test will be decided.
    const double s = teacher != 0 ? std::clamp(student / teacher, 0.0, 2.0) : 1;
    residuals[i] = s * ratio.teacher[i] - ratio.student[i];
    teacher += ratio.teacher[i];
    student += ratio.student[i];
    minus[i] = -minus[i];
  }
  const BettingPlans plans = predictable_bets(residuals, ratio.range.width(), ratio.delta, anytime);
  return smallest([&](double x) {
    return refutes({minus, ratio.teacher}, ratio.s(x), ratio.most(x), plans, ratio.delta);
  });
}

// U(x) = mean Z + c1 sd(Z) + c2 width(Z) is convex in x: if it still falls at the end it falls everywhere.
std::optional<double> ratio_by_convexity(const Ratio& ratio, const LossOptions& by) {
  std::vector<double> z(ratio.teacher.size());
  const auto upper = [&](double x) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = ratio.s(x) * ratio.teacher[i] - ratio.student[i];
    return interval(by, z, {ratio.least(x), ratio.most(x)}, ratio.delta, Sides::upper).high;
  };
  if (!(upper(most_x) < upper(most_x - 1))) return std::nullopt;
  return smallest([&](double x) { return upper(x) <= 0; });
}

// E[D] <= upper and |E[G]| in an interval, each with its share: their quotient holds when both do.
std::optional<double> ratio_by_two_bounds(Numbers teacher, Numbers loss, Range range, double delta,
                                          const LossOptions& by) {
  const double width = range.width();
  const double upper = interval(by, loss, {-width, width}, 0.9 * delta, Sides::upper).high;
  const Range mean = interval(by, teacher, range, 0.1 * delta, Sides::two);
  if (mean.low <= 0 && mean.high >= 0) return std::nullopt;
  const double least = std::min(std::abs(mean.low), std::abs(mean.high));
  const double most = std::max(std::abs(mean.low), std::abs(mean.high));
  return upper / (upper > 0 ? least : most);
}

double mean_of(Numbers x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }

// Teacher's returns less the student's.
std::vector<double> paired_losses(Numbers teacher, Numbers student, double delta) {
  check_sample(teacher, 2, delta);
  check_sample(student, 2, delta);
  if (teacher.size() != student.size()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} episodes cannot be paired with {}", teacher.size(), student.size()),
                "Play both policies for the same episodes");
  }
  std::vector<double> loss(teacher.size());
  for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = teacher[i] - student[i];
  return loss;
}

LossBound measured_loss(Numbers teacher, Numbers loss, double confidence) {
  LossBound bound;
  bound.episodes = loss.size();
  bound.confidence = confidence;
  bound.loss_mean = mean_of(loss);
  const double scale = std::abs(mean_of(teacher));
  bound.loss_percent = scale > 0 ? 100 * bound.loss_mean / scale : std::numeric_limits<double>::quiet_NaN();
  return bound;
}

void check_method(const LossOptions& by) {
  if (by.method == LossMethod::student_t) {
    throw Error(ErrorCode::bad_value, "method 'student_t' gives an estimate, not a bound",
                "Take betting, predictable_bernstein, empirical_bernstein or hoeffding");
  }
  if (by.anytime && by.method != LossMethod::betting) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("method '{}' gives no bounds that hold for all numbers of episodes at once", name(by.method)),
        "Take betting, or fix the number of episodes beforehand");
  }
}

// The smallest x such that E[D] <= x |E[G]| is not doubted.
std::optional<double> ratio_bound(Numbers teacher, Numbers student, Numbers loss, Range range, const LossOptions& by) {
  const double delta = 1 - by.confidence;
  const bool one_sign = range.high <= 0 || range.low >= 0;
  if (!one_sign || by.method == LossMethod::predictable_bernstein) {
    return ratio_by_two_bounds(teacher, loss, range, delta, by);
  }
  const Ratio ratio{teacher, student, range, delta, range.high <= 0 ? 1.0 : -1.0};
  return by.method == LossMethod::betting ? ratio_by_betting(ratio, by.anytime) : ratio_by_convexity(ratio, by);
}

}  // namespace

LossBound certify_loss(Numbers teacher, Numbers student, Range range, const LossOptions& options) {
  check_method(options);
  const double delta = 1 - options.confidence;
  const std::vector<double> loss = paired_losses(teacher, student, delta);
  check_inside(teacher, range);
  check_inside(student, range);
  LossBound bound = measured_loss(teacher, loss, options.confidence);
  bound.method = options.method;
  const double width = range.width();
  // A bet may be won early and lost again: no bound contradicts the mean that stands beside it.
  bound.upper_loss =
      std::clamp(interval(options, loss, {-width, width}, delta, Sides::upper).high, bound.loss_mean, width);
  bound.lower_loss =
      std::clamp(interval(options, loss, {-width, width}, delta, Sides::lower).low, -width, bound.loss_mean);
  if (std::isnan(bound.loss_percent)) {
    bound.no_percent = zero;
  } else if (const std::optional<double> x = ratio_bound(teacher, student, loss, range, options)) {
    bound.upper_percent = std::max(100 * *x, bound.loss_percent);
  } else {
    bound.no_percent = near_zero;
  }
  return bound;
}

LossBound estimate_loss(Numbers teacher, Numbers student, double confidence) {
  const double delta = 1 - confidence;
  const std::vector<double> loss = paired_losses(teacher, student, delta);
  LossBound bound = measured_loss(teacher, loss, confidence);
  bound.upper_loss = student_t_interval(loss, delta, Sides::upper).high;
  bound.lower_loss = student_t_interval(loss, delta, Sides::lower).low;
  const Range mean = student_t_interval(teacher, delta);
  if (std::isnan(bound.loss_percent)) {
    bound.no_percent = zero;
  } else if (mean.low > 0 || mean.high < 0) {
    bound.upper_percent = 100 * bound.upper_loss / std::abs(mean_of(teacher));
  } else {
    bound.no_percent = near_zero;
  }
  return bound;
}

Range generous_range(Numbers first, Numbers second) {
  if (first.empty() && second.empty()) {
    throw Error(ErrorCode::shape_mismatch, "there are no returns to choose a range by", "Give at least one episode");
  }
  Range seen{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Numbers returns : {first, second}) {
    check_finite(returns);
    for (const double value : returns) seen = {std::min(seen.low, value), std::max(seen.high, value)};
  }
  const double size = std::abs(seen.low), all_equal = size > 0 ? size : 1;
  const double margin = (seen.width() > 0 ? seen.width() : all_equal) / 2;
  return {seen.low - margin, seen.high + margin};
}

std::vector<double> cut_to(Numbers numbers, Range range) {
  std::vector<double> cut(numbers.begin(), numbers.end());
  for (double& value : cut) value = std::clamp(value, range.low, range.high);
  return cut;
}

double require_percent(const LossBound& bound) {
  if (bound.upper_percent) return *bound.upper_percent;
  throw Error(ErrorCode::missing_option,
              fmt::format("no percentage can be promised from {} episodes: {}", bound.episodes, bound.no_percent),
              "Give an absolute limit (--max-loss-return), or use more episodes");
}

void require_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return;
  throw Error(ErrorCode::out_of_range, fmt::format("the confidence is {}; legal: between 0 and 1", confidence),
              "Give 0.95 for 95%");
}

double confidence_of_attempt(double confidence, std::size_t attempt) {
  check_delta(1 - confidence);
  require_in_range("attempt", static_cast<double>(attempt), 1, 1e6, "Count the attempts from 1");
  const double j = static_cast<double>(attempt);
  return 1 - (1 - confidence) / (j * (j + 1));
}

}  // namespace mercer
