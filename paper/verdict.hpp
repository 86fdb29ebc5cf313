#pragma once

#include <string>
#include <vector>

#include "frame.hpp"

namespace mercer::paper {

/// What the data say about a rule.
enum class Outcome {
  holds,      ///< shown, at the level of the item
  undecided,  ///< the data point its way, but chance may do that, too
  fails,      ///< they point the other way, or there are none
};

/// A hypothesis that was written down before the data was there: effect < bound.
///
/// The effect is a mean over the seeds; its test is against effect >= bound. Rules about what no seed changes are
/// certain: they have no p.
struct Rule {
  std::string name;            ///< few words
  std::string says;            ///< what is compared, in words
  std::string test;            ///< how
  double left = 0, right = 0;  ///< the two sides, means over the seeds
  double effect = 0, bound = 0;
  double low = 0, high = 0;  ///< 95% interval of the effect, Student's
  double p = 0;              ///< NaN for what is certain
  double adjusted = 0;       ///< p by Holm over the rules of the item
  std::size_t seeds = 0;
  Outcome outcome = Outcome::fails;

  bool certain() const { return p != p; }
};

/// What "steadily" means for a correlation over all values.
inline constexpr double steady = 0.5;

/// One number for each seed.
using Seeds = std::vector<double>;

/// A line for each seed: what is measured over K, bins or anything else that is varied.
struct Curves {
  std::vector<Seeds> x, y;
};

/// left < right + margin, seed by seed: mean of left - right.
Rule less(std::string name, std::string says, const Seeds& left, const Seeds& right, double margin = 0);
/// mean of values < bound.
Rule below(std::string name, std::string says, const Seeds& values, double bound);
/// |mean of values - centre| < margin: two tests, the larger p.
Rule within(std::string name, std::string says, const Seeds& values, double centre, double margin);
/// left / right < bound for positive numbers: the geometric mean of the ratios.
Rule ratio_below(std::string name, std::string says, const Seeds& left, const Seeds& right, double bound = 1);
/// All ratios lie between 1 / factor and factor, on geometric average.
Rule alike(std::string name, std::string says, const Seeds& left, const Seeds& right, double factor);
/// The curves fall steadily: the mean of Kendall's tau between x and y, over all x, is below -`least`. With 0.5 three
/// pairs of x in four are in order.
Rule falls(std::string name, std::string says, const Curves& curves, double least = steady);
Rule rises(std::string name, std::string says, const Curves& curves, double least = steady);
/// Slopes of log y over log x are below `bound`: y falls faster than x^bound. For each seed over the places where y is
/// above its `floor` (one for each seed; empty: none), and the first beyond; fewer than two such places make the rule
/// fail.
Rule steeper(std::string name, std::string says, const Curves& curves, double bound, const Seeds& floor = {});
/// The slope of log y over log x, of one curve without seeds, is within `margin` of `centre`: Student's t of the
/// regression, as times at different sizes scatter independently.
Rule slope_within(std::string name, std::string says, const Seeds& x, const Seeds& y, double centre, double margin);
Rule slope_below(std::string name, std::string says, const Seeds& x, const Seeds& y, double bound);
/// left <= right where nothing is random.
Rule certain(std::string name, std::string says, double left, double right);
/// All parts hold: the largest p, and what is shown is the part that it comes from.
Rule every(std::string name, std::string says, const std::vector<Rule>& parts);

/// Outcomes at a joint level of 5%: Holm's adjustment over the rules that have a p.
void decide(std::vector<Rule>& rules);

/// The hypotheses of an item. They stand in a file of their own, paper/rules/ID.cpp, which is committed before results.
struct Rules {
  std::vector<Rule> claims;        ///< what the claim says, part by part
  std::vector<Rule> reasons = {};  ///< of experiments that may tell why a part fails
};

/// What an item says about its numbers.
struct Told {
  std::string saw;                    ///< what was measured, in words and numbers
  std::vector<std::string> why = {};  ///< what each of `Rules::reasons` tells where it holds
};

/// What the data say about a claim.
struct Verdict {
  Verdict() = default;
  /// Decides all rules, and the reasons among themselves. Throws `shape_mismatch` unless each reason has a text.
  Verdict(Rules stated, Told told);

  std::vector<Rule> rules, because;
  std::string saw;
  std::vector<std::string> why;

  /// "holds" where every rule does, "holds in part" where some do, "does not hold" where all fail, "undecided"
  /// otherwise; "not measured" without rules.
  std::string word() const;
  /// What the experiments that hold tell, and which ones were not confirmed.
  std::string reason() const;
};

}  // namespace mercer::paper
