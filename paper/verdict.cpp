#include "verdict.hpp"

#include <algorithm>

namespace mercer::paper {

Rule below(std::string name, std::string says, double left, double right) {
  return {std::move(name), std::move(says), left, right, left < right};
}

Rule at_most(std::string name, std::string says, double left, double right) {
  return {std::move(name), std::move(says), left, right, left <= right};
}

std::string Verdict::word() const {
  if (rules.empty()) return "not measured";
  const auto held = std::ranges::count_if(rules, [](const Rule& rule) { return rule.holds; });
  if (held == 0) return "does not hold";
  return held == static_cast<std::ptrdiff_t>(rules.size()) ? "holds" : "holds in part";
}

}  // namespace mercer::paper
