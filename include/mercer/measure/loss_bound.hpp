#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mercer/env/space.hpp"

namespace mercer {

/// How a loss is bounded. All hold for every distribution of returns inside their range; betting is the tightest.
enum class LossMethod { betting, predictable_bernstein, empirical_bernstein, hoeffding };

/// "betting", "predictable-bernstein", "empirical-bernstein", "hoeffding", and back. Throws `unknown_name`.
std::string_view loss_method_name(LossMethod method);
LossMethod parse_loss_method(const std::string& name);

/// What a student loses against its teacher, measured on paired episodes, and what it loses at most. The two upper
/// bounds hold with the confidence each, not together. A negative loss is a gain.
struct LossBound {
  std::size_t episodes = 0;
  double confidence = 0;
  LossMethod method = LossMethod::betting;
  double loss_mean = 0;                 ///< mean of D = teacher's return - student's
  double loss_percent = 0;              ///< in percent of |mean of the teacher's returns|: an estimate
  double upper_loss = 0;                ///< E[D] is at most this
  std::optional<double> upper_percent;  ///< E[D] is at most this percentage of |E[teacher's return]|; see `no_percent`
  std::string no_percent;               ///< why there is none, or empty
};

/// Bounds the loss from N paired returns of independent episodes, all inside `range`, the task's declared return range.
///
/// The percentage is not a quotient of estimates. Where all returns have one sign, "loss <= x |eta|" is
/// E[(1 + x) G - G'] <= 0 (returns up to 0) or E[(1 - x) G - G'] <= 0 (from 0 up), G the teacher's return and G' the
/// student's: one mean, tested at 1 - confidence, and the smallest x that passes is given. That is legal on the same
/// data because whoever passes at x passes at every larger x: betting does by construction, the two bounds that are
/// convex in x when they fall for ever. With returns of both signs, and for `predictable_bernstein`, nine tenths of
/// 1 - confidence go to E[D] and one tenth to E[G], and there is no percentage when the interval of E[G] holds 0.
///
/// O(N) for each of about 60 x. Throws `shape_mismatch` unless there are as many returns of each and two or more,
/// `out_of_range` for returns outside the range, `not_finite` for a range that is infinite.
LossBound certify_loss(std::span<const double> teacher, std::span<const double> student, Range range,
                       double confidence = 0.95, LossMethod method = LossMethod::betting);

/// The percentage. Throws `missing_option` asking for an absolute budget where there is none.
double require_percent(const LossBound& bound);

/// Throws `out_of_range` unless the confidence is between 0 and 1.
void require_confidence(double confidence);

/// Confidence for the j-th of several candidates that are certified one after the other until one passes, j from 1: it
/// spends (1 - confidence) / (j (j + 1)), so that all of them together hold with `confidence`.
double confidence_of_attempt(double confidence, std::size_t attempt);

}  // namespace mercer
