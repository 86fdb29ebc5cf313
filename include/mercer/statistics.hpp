#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// Mean and spread of returns. The interval is Student's: an estimate that assumes roughly normal means, no guarantee.
/// With a single episode the spread and the interval are unknown: NaN.
struct ReturnSummary {
  double mean = 0;
  double std = 0;  ///< with N - 1 in the denominator
  Range ci95;      ///< of the mean
};
ReturnSummary summarise(std::span<const double> returns);

/// What policy 2 loses against policy 1 on the same start states and noise.
struct PairedLoss {
  double loss_mean = 0;     ///< mean of returns1 - returns2
  double loss_percent = 0;  ///< in percent of |mean of returns1|; NaN, as its interval, where that mean is 0
  Range ci95_percent;       ///< Student's interval of the paired differences, same unit
};
/// Throws `shape_mismatch` unless both have the same number of episodes.
PairedLoss paired_loss(std::span<const double> returns1, std::span<const double> returns2);

/// Which ends of an interval are promised. The other end of a one-sided interval is infinite.
enum class Sides { two, lower, upper };
template <>
struct Names<Sides> {
  static constexpr std::string_view kind = "kind of interval";
  static constexpr Spelling<Sides> table[] = {{Sides::two, "two"}, {Sides::lower, "lower"}, {Sides::upper, "upper"}};
};

// Intervals for the mean of independent numbers of one distribution. An interval misses the mean with probability at
// most `delta`, in (0, 1). L below is ln(2 / delta) for two sides, ln(1 / delta) for one.
//
// Those that know a range [a, b] of the numbers hold for every distribution and every number of them; they throw
// `out_of_range` when a number lies outside. All throw `shape_mismatch` for too few numbers. O(N).

/// mean +- (b - a) sqrt(L / 2N).
Range hoeffding_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// Maurer and Pontil: mean +- [ sqrt(2 v (L + ln 2) / N) + 7 (b - a) (L + ln 2) / (3 (N - 1)) ], v the variance with
/// N - 1. Two numbers or more.
Range empirical_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// Waudby-Smith and Ramdas, predictable plug-in: with y = (x - a) / (b - a), lambda_t = min(sqrt(2 L / (N v_{t-1})),
/// 1/2), mu_t = (1/2 + sum y) / (t + 1), v_t = (1/4 + sum (y_i - mu_i)^2) / (t + 1): centre sum(lambda y) /
/// sum(lambda), radius [L + sum (y_i - mu_{i-1})^2 (-ln(1 - lambda_i) - lambda_i)] / sum(lambda).
Range predictable_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// The tightest here: see `betting_upper`, whose `anytime` it hands on.
Range betting_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two,
                       bool anytime = false);

/// Student's: assumes that the mean is roughly normal. An estimate; it misses far too often when what matters is rare.
/// Two numbers or more.
Range student_t_interval(std::span<const double> x, double delta, Sides sides = Sides::two);

/// Clopper and Pearson: of the probability of what happened `hits` times in `n` independent trials. Exact; n from 1.
/// Throws `out_of_range` for more hits than trials.
Range clopper_pearson_interval(std::size_t hits, std::size_t n, double delta, Sides sides = Sides::two);

/// Dvoretzky, Kiefer and Wolfowitz, with Massart's constant: for n independent numbers of any distribution function F,
/// with probability 1 - delta |F_n(x) - F(x)| <= sqrt(ln(2 / delta) / (2 n)) at all x together; at most 1. F_n(x) is
/// the share of numbers that are at most x.
double dkw_band(std::size_t n, double delta);

/// Upper bound for the mean of independent numbers in `range`, missed with probability at most `delta`; never above
/// the range.
///
/// Waudby-Smith and Ramdas, one-sided: test the claim that the mean is u or more by betting against it at fair odds.
/// Bet beta_t, chosen before x_t is seen, on numbers below u: it multiplies the capital by 1 - beta_t (x_t - u). If the
/// mean is u or more, the capital ever reaches 1 / delta with probability at most delta. The bound is the smallest u at
/// which it did; capital rises with u, so bisection finds it. beta_t = min(sqrt(2 ln(1 / delta) / (N v_{t-1})), 9/10 of
/// what can be lost at most); v runs over the numbers seen before. O(N) for each of about 45 halvings.
///
/// `anytime`: the bounds for N = 1, 2, ... hold together with probability 1 - delta, so that one may look after every
/// batch and stop. Bets must not depend on N then: the capital is the mean of three, which start with 1 each and bet
/// beta_t = min(sqrt(2 ln(3 / delta) / (max(h, t) v_{t-1})), ...) for planned horizons h of 10^3, 10^4 and 10^5. The
/// bound lies up to a quarter farther from the mean, and takes 2.5 times as long.
double betting_upper(std::span<const double> x, Range range, double delta, bool anytime = false);

/// Numbers that are affine in an unknown s: z_i = offset_i + s slope_i. Claims about s are tested on them.
struct AffineSample {
  std::span<const double> offset;
  std::span<const double> slope;
};

/// One bet for each item, made before the item is seen. The capital is the mean over the plans.
using BettingPlans = std::vector<std::vector<double>>;

/// Bets for a claim that the mean of z is 0 or more, as in `betting_upper`. `residuals` are z at any s that was guessed
/// before the item was seen; `scale` is the width of their range.
BettingPlans predictable_bets(std::span<const double> residuals, double scale, double delta, bool anytime = false);

/// Whether betting against "the mean of z at s is 0 or more" ever reaches 1 / delta, as seen after every 32 items and
/// at the end; bets are cut to 9/10 of 1 / most, `most` the largest value z can have at s. True where `most` is not
/// above 0 and some z is below it.
bool refutes(const AffineSample& z, double s, double most, const BettingPlans& plans, double delta);

/// What a bootstrap looks at.
enum class Statistic { mean, std };
template <>
struct Names<Statistic> {
  static constexpr std::string_view kind = "statistic";
  static constexpr Spelling<Statistic> table[] = {{Statistic::mean, "mean"}, {Statistic::std, "std"}};
};

struct BootstrapOptions {
  std::size_t resamples = 2000;  ///< 100 to 10^6
  std::uint64_t seed = 0;
  bool corrected = true;  ///< BCa: corrected for bias and skewness; otherwise plain percentiles
};

/// Interval by resampling with replacement. An estimate, good for large samples; it cannot know of what never happened
/// in the sample. O(resamples N) on all allowed threads, the same result for any number of them. Throws
/// `shape_mismatch` for fewer than three numbers.
Range bootstrap_interval(std::span<const double> x, Statistic statistic, double delta, Sides sides = Sides::two,
                         const BootstrapOptions& options = {});

/// How a loss is bounded. All but `student_t` hold for every distribution of returns inside their range; betting is the
/// tightest.
enum class LossMethod {
  betting,
  predictable_bernstein,
  empirical_bernstein,
  hoeffding,
  student_t,  ///< an estimate, for returns without a known range: `certify_loss` refuses it
};
template <>
struct Names<LossMethod> {
  static constexpr std::string_view kind = "method";
  static constexpr Spelling<LossMethod> table[] = {
      {LossMethod::betting, "betting"},
      {LossMethod::predictable_bernstein, "predictable_bernstein", "predictable-bernstein"},
      {LossMethod::empirical_bernstein, "empirical_bernstein", "empirical-bernstein"},
      {LossMethod::hoeffding, "hoeffding"},
      {LossMethod::student_t, "student_t", "student-t"}};
};

/// How a loss is bounded, and how surely.
struct LossOptions {
  double confidence = 0.95;  ///< of each bound alone, in (0, 1)
  LossMethod method = LossMethod::betting;
  bool anytime = false;  ///< betting: the bounds hold for all numbers of episodes at once; see `betting_upper`
};

/// What a student loses against its teacher, measured on paired episodes, and what it loses at most. Each bound holds
/// with the confidence, not all of them together. A negative loss is a gain.
struct LossBound {
  std::size_t episodes = 0;
  double confidence = 0;
  LossMethod method = LossMethod::betting;
  double loss_mean = 0;                 ///< mean of D = teacher's return - student's
  double loss_percent = 0;              ///< in percent of |mean of the teacher's returns|: an estimate; NaN of 0
  double upper_loss = 0;                ///< E[D] is at most this
  double lower_loss = 0;                ///< E[D] is at least this
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
/// `out_of_range` for returns outside the range, `not_finite` for a range that is infinite, `bad_value` for
/// `LossMethod::student_t`, and for `anytime` with another method than betting.
LossBound certify_loss(std::span<const double> teacher, std::span<const double> student, Range range,
                       const LossOptions& options = {});

/// The same without a range of returns: Student's t of the paired differences, and the percentage as its quotient by
/// the teacher's |mean return|, where that can be told from 0. An estimate, no guarantee, not even where all returns
/// are equal: nothing is known of what never happened. `method` is not set.
LossBound estimate_loss(std::span<const double> teacher, std::span<const double> student, double confidence = 0.95);

/// A range for returns whose bounds nobody knows: that of both, widened by half of its width on each side. Where all
/// are equal, by half of their size, or of 1 if they are 0. Choose it on other episodes than those that certify.
/// Throws `shape_mismatch` without any returns, `not_finite` for a return that is not.
Range generous_range(std::span<const double> first, std::span<const double> second);

/// Every number moved to the nearest one in the range.
std::vector<double> cut_to(std::span<const double> numbers, Range range);

/// The percentage. Throws `missing_option` asking for an absolute budget where there is none.
double require_percent(const LossBound& bound);

/// Throws `out_of_range` unless the confidence is between 0 and 1.
void require_confidence(double confidence);

/// Confidence for the j-th of several candidates that are certified one after the other until one passes, j from 1: it
/// spends (1 - confidence) / (j (j + 1)), so that all of them together hold with `confidence`.
double confidence_of_attempt(double confidence, std::size_t attempt);

/// Standard deviation of returns and how well it is known. Both intervals are estimates.
struct Spread {
  double std = 0;
  Range normal_theory;  ///< from chi-square: right only where returns are normal
  Range bootstrap;      ///< BCa
};
/// Three numbers or more; `confidence` in (0, 1).
Spread spread_of(std::span<const double> returns, double confidence = 0.95, std::uint64_t seed = 0);

/// Wasserstein distance between distributions on numbers: the area between their distribution functions. Weights are
/// not negative and are normalised; left out, all count the same. O((n + m) log (n + m)). Throws `shape_mismatch` for
/// no numbers or weights that do not fit, `bad_distribution` for weights that are negative, not finite or sum to zero,
/// `not_finite` for numbers that are not.
double wasserstein(std::span<const double> x, std::span<const double> y, std::span<const double> wx = {},
                   std::span<const double> wy = {});

/// The same for two rows of probabilities on one set of rising atoms: sum over j of |F_j - G_j| (a_{j+1} - a_j), in
/// O(m).
double wasserstein_on_atoms(std::span<const double> p, std::span<const double> q, std::span<const double> atoms);

/// Half of the sum of |p - q|.
double total_variation(std::span<const double> p, std::span<const double> q);

/// Distances between two tables of probabilities, averaged over rows with `weights` (visits; empty: all rows equal).
struct TableDistance {
  double w1 = 0;       ///< mean of the rows' Wasserstein distances
  double tv = 0;       ///< mean of the rows' total variations
  double most_tv = 0;  ///< the largest of them
};
/// Row-major tables with `atoms.size()` columns. Throws `shape_mismatch` when sizes differ.
TableDistance table_distance(std::span<const double> p, std::span<const double> q, std::span<const double> atoms,
                             std::span<const double> weights = {});

/// Points are columns, one row for each dimension; weights are as in `wasserstein`, one for each point or none.
struct WeightedPoints {
  MatrixView<const double> points;
  std::span<const double> weights{};
};

/// Largest number of points on either side for which the exact distance is computed.
inline constexpr std::size_t most_transport_points = 2000;

/// Wasserstein distance in several dimensions, the least mean Euclidean distance over which the mass of `x` must be
/// moved to become `y`: exact, by the network simplex method on whole numbers (weights are rounded to 2^-50 of their
/// sum). At most 2,000 points each. About a second for 2,000 each. Throws `too_large` beyond, and what
/// `wasserstein` throws.
double transport_distance(const WeightedPoints& x, const WeightedPoints& y);

/// Mean of the one-dimensional distances along random directions: never above the distance itself. O(directions n log
/// n), `directions` from 1.
double sliced_wasserstein(const WeightedPoints& x, const WeightedPoints& y, std::size_t directions = 64,
                          std::uint64_t seed = 0);

/// Between normal distributions, in closed form. Squashing both by one monotone function changes neither. Standard
/// deviations above 0.
double gaussian_total_variation(double mean1, double std1, double mean2, double std2);
/// Kullback-Leibler divergence of the second from the first, in nats.
double gaussian_divergence(double mean1, double std1, double mean2, double std2);

/// How far two policies are apart, averaged over states. Bounds between them that hold in every state: the means of
/// actions differ by at most W1, and TV <= sqrt(KL / 2).
struct PolicyDistance {
  double tv = 0;
  double most_tv = 0;   ///< largest over the states
  double kl = 0;        ///< of the second from the first, nats; infinite where it does not go
  double w1 = 0;        ///< in units of the action; for discrete actions of their numbers
  double mean_gap = 0;  ///< mean over the states of |E a - E' a|
  double inside = 1;    ///< smallest mass of either in the action space that the densities account for
};

/// For one action dimension, from the log-densities: sums over discrete actions; on a bounded box 8-point
/// Gauss-Legendre in panels between `breaks` (places where a density may jump, such as the edges of bins), halved
/// towards both bounds, where squashed densities pile up. About (breaks + 130) * 8 evaluations a state. `observations`
/// are columns. Throws `shape_mismatch` for policies of other or several action dimensions, `not_finite` for a box
/// without bounds.
PolicyDistance policy_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               const std::vector<double>& breaks = {});

/// Mean over states of the Wasserstein distance between samples of `draws` actions each, for policies without densities
/// too and for any action dimensions (exact transport, up to 2,000 draws). It overestimates: two samples of one policy
/// are apart by about 1 / sqrt(draws) of its spread. Two policies draw from the same random numbers.
double sampled_wasserstein(const Policy& first, const Policy& second, MatrixView<const double> observations,
                           std::size_t draws = 256, std::uint64_t seed = 0);

}  // namespace mercer
