#include "mercer/lattice/edges.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lattice/kmeans.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/nearest.hpp"

namespace mercer {
namespace {

// Between neighbours of sorted data, at a place that counts from 0 to N - 1. The end that is nearer is the one that is
// added to, so that both ends are met exactly.
double interpolate(std::span<const double> sorted, double place) {
  const auto below = static_cast<std::size_t>(std::min(place, static_cast<double>(sorted.size() - 1)));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = place - static_cast<double>(below);
  const double step = sorted[above] - sorted[below];
  return share < 0.5 ? sorted[below] + step * share : sorted[above] - step * (1 - share);
}

std::vector<double> quantile(std::span<const double> sorted, std::size_t bins) {
  std::vector<double> edges(bins + 1);
  const auto last = static_cast<double>(sorted.size() - 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    edges[i] = interpolate(sorted, static_cast<double>(i) / static_cast<double>(bins) * last);
  }
  return edges;
}

std::vector<double> data_quantile(std::span<const double> sorted, std::size_t bins) {
  std::vector<double> edges{sorted.front()};
  for (std::size_t i = 1; i <= bins; ++i) {
    const std::size_t rank = (sorted.size() * i + bins - 1) / bins;  // the i/bins-th of N, rounded up
    edges.push_back(sorted[std::max<std::size_t>(rank, 1) - 1]);
  }
  return edges;
}

std::vector<double> uniform(double low, double high, std::size_t bins) {
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges[i] = low + (high - low) * share;
  }
  edges[bins] = high;
  return edges;
}

// F(x) = t * (rank of x, interpolated) + (1 - t) * (x - low) / (high - low) rises along straight lines between the
// data: one walk along them meets all levels i / bins.
std::vector<double> tempered(std::span<const double> sorted, std::size_t bins, double temper) {
  const double low = sorted.front(), width = sorted.back() - low;
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto mass = [&](std::size_t k) {
    return temper * static_cast<double>(k) / last + (1 - temper) * (sorted[k] - low) / width;
  };
  std::vector<double> edges{low};
  std::size_t k = 0;
  for (std::size_t i = 1; i < bins; ++i) {
    const double level = static_cast<double>(i) / static_cast<double>(bins);
    while (k + 2 < sorted.size() && mass(k + 1) < level) ++k;
    const double before = mass(k), after = mass(k + 1);
    const double share = after > before ? std::clamp((level - before) / (after - before), 0.0, 1.0) : 1;
    edges.push_back(sorted[k] + share * (sorted[k + 1] - sorted[k]));
  }
  edges.push_back(sorted.back());
  return edges;
}

// Bins too narrow to tell from rounding are left out, as scikit-learn does.
Edges without_narrow_bins(const std::vector<double>& wanted) {
  Edges edges;
  for (const double edge : wanted) {
    if (edges.values.empty() || edge - edges.values.back() > 1e-8) edges.values.push_back(edge);
  }
  edges.values.back() = wanted.back();  // the last bin ends at the largest datum, whichever of two close edges stayed
  edges.collapsed = wanted.size() - edges.values.size();
  return edges;
}

// One bin around a single value, wide enough to be told apart.
Edges around(double value, std::size_t asked) {
  const double half = std::max(0.5e-6, std::abs(value) * 1e-6);
  return {{value - half, value + half}, asked - 1};
}

}  // namespace

EdgeRule parse_edge_rule(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  if (name == "tempered") {
    EdgeRule rule{EdgeKind::tempered, 0.5};
    if (name == text) return rule;
    const std::string_view number = text.substr(name.size() + 1);
    const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), rule.temper);
    if (trouble != std::errc{} || end != number.data() + number.size()) {
      throw Error(ErrorCode::bad_value, fmt::format("edge rule '{}': '{}' is not a number", text, number),
                  "Write tempered:0.5");
    }
    require_in_range("t of tempered edges", rule.temper, 0, 1, "1 is quantile, 0 is uniform");
    return rule;
  }
  if (text == "quantile") return {EdgeKind::quantile, 1};
  if (text == "data-quantile") return {EdgeKind::data_quantile, 1};
  if (text == "uniform") return {EdgeKind::uniform, 0};
  if (text == "kmeans") return {EdgeKind::kmeans, 0};
  throw_unknown("edge rule", text,
                std::vector<std::string>{"quantile", "data-quantile", "uniform", "kmeans", "tempered"});
}

std::string to_text(const EdgeRule& rule) {
  switch (rule.kind) {
    case EdgeKind::quantile:
      return "quantile";
    case EdgeKind::data_quantile:
      return "data-quantile";
    case EdgeKind::uniform:
      return "uniform";
    case EdgeKind::kmeans:
      return "kmeans";
    case EdgeKind::tempered:
      break;
  }
  return fmt::format("tempered:{}", rule.temper);
}

Edges make_edges(std::span<const double> data, std::size_t bins, const EdgeRule& rule) {
  require_in_range("the number of bins", static_cast<double>(bins), 1, 1 << 20, "Ask for a number in that range");
  require_in_range("the number of data to make edges from", static_cast<double>(data.size()), 1, 1e15,
                   "Give at least one number");
  for (const double number : data) {
    if (std::isfinite(number)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("{} among the data to make edges from", number),
                "Leave out what is no number");
  }
  std::vector<double> sorted(data.begin(), data.end());
  std::ranges::sort(sorted);
  if (sorted.back() - sorted.front() <= 1e-8) return around(sorted.front(), bins);
  switch (rule.kind) {
    case EdgeKind::quantile:
      return without_narrow_bins(quantile(sorted, bins));
    case EdgeKind::data_quantile:
      return without_narrow_bins(data_quantile(sorted, bins));
    case EdgeKind::uniform:
      return without_narrow_bins(uniform(sorted.front(), sorted.back(), bins));
    case EdgeKind::kmeans:
      return without_narrow_bins(kmeans_edges(sorted, uniform(sorted.front(), sorted.back(), bins)));
    case EdgeKind::tempered:
      break;
  }
  return without_narrow_bins(tempered(sorted, bins, rule.temper));
}

std::optional<Edges> whole_number_edges(std::span<const double> data, std::size_t bins) {
  constexpr double most = 1 << 22;
  std::set<double> values;
  for (const double number : data) {
    if (std::abs(number) <= most && std::rint(number) == number) {
      values.insert(number);
      if (values.size() <= bins) continue;
    }
    return std::nullopt;
  }
  if (values.empty()) return std::nullopt;
  Edges edges;
  for (const double value : values) {
    if (edges.values.empty() || value - 0.5 > edges.values.back()) edges.values.push_back(value - 0.5);
    edges.values.push_back(value + 0.5);
  }
  return edges;
}

}  // namespace mercer
