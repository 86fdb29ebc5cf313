#include "verdict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "trials.hpp"

namespace mercer::paper {
namespace {

constexpr double level = 0.05;

bool known(const Seeds& values) {
  return !values.empty() && std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

Seeds minus(const Seeds& left, const Seeds& right) {
  if (left.size() != right.size()) return {};
  Seeds all;
  for (std::size_t i = 0; i < left.size(); ++i) all.push_back(left[i] - right[i]);
  return all;
}

Seeds map(Seeds values, double (*of)(double)) {
  for (double& value : values) value = of(value);
  return values;
}

constexpr const char* flips = "sign flips over seeds, one-sided";

// mean of values < bound, tested over the seeds.
Rule tested(std::string name, std::string says, const Seeds& values, double bound) {
  Rule rule{std::move(name), std::move(says), flips};
  rule.bound = bound;
  rule.seeds = values.size();
  rule.left = rule.effect = mean_of(values);
  rule.right = bound;
  rule.p = 1;
  if (!known(values)) return rule;
  const Range interval = student_interval(values);
  rule.low = interval.low, rule.high = interval.high;
  rule.p = mean_below_p(values, bound);
  return rule;
}

Seeds taus(const Curves& curves, double sign) {
  Seeds all;
  for (std::size_t i = 0; i < curves.x.size(); ++i) all.push_back(sign * kendall(curves.x[i], curves.y[i]));
  return all;
}

Rule slope_rule(std::string name, std::string says, const Seeds& x, const Seeds& y) {
  Rule rule{std::move(name), std::move(says), "Student's t of a regression"};
  const Line line = log_line(x, y);
  rule.left = rule.effect = line.slope;
  rule.low = line.interval.low, rule.high = line.interval.high;
  rule.p = 1;
  return rule;
}

}  // namespace

Rule less(std::string name, std::string says, const Seeds& left, const Seeds& right, double margin) {
  Rule rule = tested(std::move(name), std::move(says), minus(left, right), margin);
  rule.left = mean_of(left), rule.right = mean_of(right) + margin;
  return rule;
}

Rule below(std::string name, std::string says, const Seeds& values, double bound) {
  return tested(std::move(name), std::move(says), values, bound);
}

Rule within(std::string name, std::string says, const Seeds& values, double centre, double margin) {
  Seeds away = values, back = values;
  for (double& value : away) value -= centre;
  for (double& value : back) value = centre - value;
  const Rule up = tested(name, says, away, margin), down = tested(name, says, back, margin);
  Rule rule = up.effect >= down.effect ? up : down;
  rule.test = "sign flips over seeds, both sides";
  rule.p = std::max(up.p, down.p);
  rule.left = mean_of(values), rule.right = centre;
  return rule;
}

Rule ratio_below(std::string name, std::string says, const Seeds& left, const Seeds& right, double bound) {
  Rule rule =
      tested(std::move(name), std::move(says), minus(map(left, std::log), map(right, std::log)), std::log(bound));
  rule.test = "sign flips of log ratios over seeds, one-sided";
  rule.left = mean_of(left), rule.right = mean_of(right);
  rule.effect = std::exp(rule.effect), rule.low = std::exp(rule.low), rule.high = std::exp(rule.high);
  rule.bound = bound;
  return rule;
}

Rule alike(std::string name, std::string says, const Seeds& left, const Seeds& right, double factor) {
  const Rule up = ratio_below(name, says, left, right, factor), down = ratio_below(name, says, right, left, factor);
  Rule rule = up.effect >= down.effect ? up : down;
  rule.test = "sign flips of log ratios over seeds, both sides";
  rule.p = std::max(up.p, down.p);
  return rule;
}

Rule falls(std::string name, std::string says, const Curves& curves, double least) {
  return tested(std::move(name), std::move(says) + ": Kendall's tau", taus(curves, 1), -least);
}

Rule rises(std::string name, std::string says, const Curves& curves, double least) {
  return tested(std::move(name), std::move(says) + ": minus Kendall's tau", taus(curves, -1), -least);
}

Rule steeper(std::string name, std::string says, const Curves& curves, double bound, const Seeds& floor) {
  Seeds slopes;
  for (std::size_t i = 0; i < curves.x.size(); ++i) {
    Seeds x, y;
    const double least = i < floor.size() ? floor[i] : 0;
    for (std::size_t j = 0; j < curves.x[i].size(); ++j) {
      x.push_back(curves.x[i][j]), y.push_back(curves.y[i][j]);
      if (!(y.back() > least)) break;  // beyond its floor nothing falls
    }
    slopes.push_back(log_line(x, y).slope);
  }
  return tested(std::move(name), std::move(says) + ": slope of the logarithms", slopes, bound);
}

Rule slope_within(std::string name, std::string says, const Seeds& x, const Seeds& y, double centre, double margin) {
  Rule rule = slope_rule(std::move(name), std::move(says), x, y);
  const Line line = log_line(x, y);
  rule.right = centre, rule.bound = margin;
  rule.effect = std::abs(line.slope - centre);
  rule.low = line.interval.low - centre, rule.high = line.interval.high - centre;
  rule.p = std::max(slope_p(line, centre + margin), 1 - slope_p(line, centre - margin));
  return rule;
}

Rule slope_below(std::string name, std::string says, const Seeds& x, const Seeds& y, double bound) {
  Rule rule = slope_rule(std::move(name), std::move(says), x, y);
  rule.right = rule.bound = bound;
  rule.p = slope_p(log_line(x, y), bound);
  return rule;
}

Rule certain(std::string name, std::string says, double left, double right) {
  Rule rule{std::move(name), std::move(says), "no randomness"};
  rule.left = left, rule.right = right;
  rule.effect = rule.low = rule.high = left, rule.bound = right;
  rule.p = rule.adjusted = std::nan("");
  rule.outcome = left <= right ? Outcome::holds : Outcome::fails;
  return rule;
}

Rule every(std::string name, std::string says, const std::vector<Rule>& parts) {
  if (parts.empty()) return tested(std::move(name), std::move(says), {}, 0);
  // A part that is certain counts as the worst where it fails, and as none otherwise.
  const auto badness = [](const Rule& part) {
    if (part.certain()) return part.outcome == Outcome::holds ? -1.0 : 2.0;
    return part.p;
  };
  Rule rule = *std::ranges::max_element(parts, {}, badness);
  // Among equally likely ones show the one that is farthest from its bound.
  for (const Rule& part : parts) {
    if (badness(part) == badness(rule) && part.effect - part.bound > rule.effect - rule.bound) rule = part;
  }
  rule.says = fmt::format("{} (all of {}; shown: {})", says, parts.size(), rule.name);
  rule.name = std::move(name);
  return rule;
}

void decide(std::vector<Rule>& rules) {
  std::vector<Rule*> family;
  for (Rule& rule : rules) {
    if (!rule.certain()) family.push_back(&rule);
  }
  std::vector<double> p;
  for (const Rule* rule : family) p.push_back(rule->p);
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->adjusted = adjusted[i];
    family[i]->outcome = adjusted[i] <= level                   ? Outcome::holds
                         : family[i]->effect < family[i]->bound ? Outcome::undecided
                                                                : Outcome::fails;
  }
}

Verdict::Verdict(Rules stated, Told told)
    : rules(std::move(stated.claims)),
      because(std::move(stated.reasons)),
      saw(std::move(told.saw)),
      why(std::move(told.why)) {
  if (why.size() != because.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} texts for {} reasons", why.size(), because.size()),
                "Give one for each");
  }
  decide(rules);
  decide(because);
}

std::string Verdict::word() const {
  if (rules.empty()) return "not measured";
  const auto count = [&](Outcome outcome) { return std::ranges::count(rules, outcome, &Rule::outcome); };
  const auto held = count(Outcome::holds);
  if (held == static_cast<std::ptrdiff_t>(rules.size())) return "holds";
  if (held > 0) return "holds in part";
  return count(Outcome::undecided) == 0 ? "does not hold" : "undecided";
}

std::string Verdict::reason() const {
  std::string told, missed;
  for (std::size_t i = 0; i < because.size(); ++i) {
    const Rule& rule = because[i];
    if (rule.outcome == Outcome::holds) {
      told += (told.empty() ? "" : " ") + why[i];
    } else {
      missed +=
          fmt::format("{}{} ({:.3g} against {:.3g})", missed.empty() ? "" : "; ", rule.name, rule.left, rule.right);
    }
  }
  if (missed.empty()) return told;
  return fmt::format("{}{}Expected, and not confirmed by its own rule: {}.", told, told.empty() ? "" : " ", missed);
}

}  // namespace mercer::paper
