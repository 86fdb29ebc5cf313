#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lattice/quantile_sketch.hpp"
#include "mercer/error.hpp"
#include "mercer/lattice.hpp"

namespace mercer {

/// Edges half-way between the centres of k-means in one dimension, from the middles of the bins `start` on until no
/// datum changes its centre (at most 300 rounds, as scikit-learn). Sorted data makes a round O(k log N).
std::vector<double> kmeans_edges(std::span<const double> sorted, const std::vector<double>& start);

std::vector<double> kmeans_edges(std::span<const double> sorted, const std::vector<double>& start) {
  std::vector<double> sums{0};  // of the first k data
  for (const double number : sorted) sums.push_back(sums.back() + number);
  std::vector<double> edges = start;
  std::vector<std::size_t> ends, before;
  for (int round = 0; round < 300; ++round) {
    // A sorted cluster is a run of data between two edges.
    ends.assign(1, 0);
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), edges[i]);
      ends.push_back(static_cast<std::size_t>(place - sorted.begin()));
    }
    ends.push_back(sorted.size());
    if (ends == before) break;
    before = ends;
    std::vector<double> centres;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto count = static_cast<double>(ends[i + 1] - ends[i]);
      // A centre without data stays in the middle of its bin.
      centres.push_back(count > 0 ? (sums[ends[i + 1]] - sums[ends[i]]) / count : (edges[i] + edges[i + 1]) / 2);
    }
    std::ranges::sort(centres);
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) edges[i] = (centres[i - 1] + centres[i]) / 2;
  }
  return edges;
}

namespace {

// Every rank of `ranks`, which rise, gets the number that sorting would put there; the others hold whatever. Data are
// counted into many buckets, and only those are looked into that hold a rank. O(N) unless they gather closer and
// closer.
void sort_at(std::span<double> data, std::span<const std::size_t> ranks, int depth = 0) {
  constexpr std::size_t few = 64;
  constexpr int deepest = 3;
  const auto [low, high] = std::ranges::minmax(data);
  if (low == high) return;
  const std::size_t buckets = std::min<std::size_t>(data.size() / 8 + 1, 8192);
  const double per_width = static_cast<double>(buckets) / (high - low);
  if (data.size() <= few || depth == deepest || !std::isfinite(high - low) || !std::isfinite(per_width)) {
    std::ranges::sort(data);
    return;
  }
  const auto last = static_cast<std::int32_t>(buckets - 1);
  std::vector<std::uint16_t> bucket_of(data.size());
  std::vector<std::size_t> begins(buckets + 1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    bucket_of[i] = static_cast<std::uint16_t>(std::min(static_cast<std::int32_t>((data[i] - low) * per_width), last));
  }
  for (const std::uint16_t bucket : bucket_of) ++begins[bucket + std::size_t{1}];
  for (std::size_t b = 0; b < buckets; ++b) begins[b + 1] += begins[b];

  // The buckets that hold a rank, one after the other; all other data go to the last place of all.
  std::vector<std::size_t> looked_into;
  std::size_t size = 0;
  for (std::size_t bucket = 0, r = 0; r < ranks.size(); ++r) {
    while (begins[bucket + 1] <= ranks[r]) ++bucket;
    if (!looked_into.empty() && looked_into.back() == bucket) continue;
    looked_into.push_back(bucket);
    size += begins[bucket + 1] - begins[bucket];
  }
  std::vector<double> placed(size + 1);
  std::vector<std::uint32_t> slot(buckets);  // one more than the place in `looked_into`
  std::vector<std::size_t> next(looked_into.size() + 1, size);
  for (std::size_t i = 0, place = 0; i < looked_into.size(); ++i) {
    const std::size_t bucket = looked_into[i];
    slot[bucket] = static_cast<std::uint32_t>(i + 1);
    next[i + 1] = place;
    place += begins[bucket + 1] - begins[bucket];
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::uint32_t own = slot[bucket_of[i]];
    placed[next[own]] = data[i];
    next[own] += own > 0 ? 1 : 0;
  }
  std::vector<std::size_t> inside;
  const double* from = placed.data();
  for (std::size_t r = 0; const std::size_t bucket : looked_into) {
    inside.clear();
    for (; r < ranks.size() && ranks[r] < begins[bucket + 1]; ++r) inside.push_back(ranks[r] - begins[bucket]);
    const std::span<double> own = data.subspan(begins[bucket], begins[bucket + 1] - begins[bucket]);
    std::copy_n(from, own.size(), own.begin());
    from += own.size();
    sort_at(own, inside, depth + 1);
  }
}

std::vector<double> quantile(std::vector<double> data, std::size_t bins) {
  std::vector<QuantilePlace> places;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i <= bins; ++i) {
    places.emplace_back(i, bins, data.size());
    ranks.push_back(places.back().below);
    ranks.push_back(places.back().above);
  }
  sort_at(data, ranks);
  std::vector<double> edges;
  for (const QuantilePlace& place : places) edges.push_back(place.between(data[place.below], data[place.above]));
  return edges;
}

std::vector<double> data_quantile(std::vector<double> data, std::size_t bins) {
  std::vector<std::size_t> ranks{0};
  for (std::size_t i = 1; i <= bins; ++i) {
    const std::size_t rank = (data.size() * i + bins - 1) / bins;  // the i/bins-th of N, rounded up
    ranks.push_back(std::max<std::size_t>(rank, 1) - 1);
  }
  sort_at(data, ranks);
  std::vector<double> edges;
  for (const std::size_t rank : ranks) edges.push_back(data[rank]);
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

// Bins as narrow as rounding errors are left out, as scikit-learn does.
Edges without_narrow_bins(const std::vector<double>& wanted) {
  Edges edges;
  for (const double edge : wanted) {
    if (edges.values.empty() || edge - edges.values.back() > 1e-8) edges.values.push_back(edge);
  }
  edges.values.back() = wanted.back();  // the last bin ends at the largest datum, whichever of two close edges stayed
  edges.collapsed = wanted.size() - edges.values.size();
  return edges;
}

// One bin around a single value, wide enough that its edges differ.
Edges around(double value, std::size_t asked) {
  const double half = std::max(0.5e-6, std::abs(value) * 1e-6);
  return {{value - half, value + half}, asked - 1};
}

}  // namespace

EdgeRule parse_edge_rule(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  EdgeRule rule{parse<EdgeKind>(name), 0.5};
  if (name == text) return rule;
  if (rule.kind != EdgeKind::tempered) throw_unknown("edge rule", text, names<EdgeKind>());
  const std::string_view number = text.substr(name.size() + 1);
  const auto [end, trouble] = std::from_chars(number.data(), number.data() + number.size(), rule.temper);
  if (trouble != std::errc{} || end != number.data() + number.size()) {
    throw Error(ErrorCode::bad_value, fmt::format("edge rule '{}': '{}' is not a number", text, number),
                "Write tempered:0.5");
  }
  require_in_range("t of tempered edges", rule.temper, 0, 1, "1 is quantile, 0 is uniform");
  return rule;
}

std::string to_text(const EdgeRule& rule) {
  const std::string text(name(rule.kind));
  return rule.kind == EdgeKind::tempered ? fmt::format("{}:{}", text, rule.temper) : text;
}

Edges make_edges(std::span<const double> data, std::size_t bins, const EdgeRule& rule) {
  require_in_range("the number of bins", static_cast<double>(bins), 1, 1 << 20, "Ask for a number in that range");
  require_in_range("the number of data to make edges from", static_cast<double>(data.size()), 1, 1e15,
                   "Give at least one number");
  double low = data[0], high = data[0];
  for (const double number : data) {
    if (!std::isfinite(number)) {
      throw Error(ErrorCode::not_finite, fmt::format("{} among the data to make edges from", number),
                  "Remove values that are not finite numbers");
    }
    low = std::min(low, number);
    high = std::max(high, number);
  }
  if (high - low <= 1e-8) return around(low, bins);
  if (rule.kind == EdgeKind::uniform) return without_narrow_bins(uniform(low, high, bins));
  std::vector<double> sorted(data.begin(), data.end());
  if (rule.kind == EdgeKind::quantile) return without_narrow_bins(quantile(std::move(sorted), bins));
  if (rule.kind == EdgeKind::data_quantile) {
    return without_narrow_bins(data_quantile(std::move(sorted), bins));
  }
  std::ranges::sort(sorted);
  if (rule.kind == EdgeKind::kmeans) return without_narrow_bins(kmeans_edges(sorted, uniform(low, high, bins)));
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
