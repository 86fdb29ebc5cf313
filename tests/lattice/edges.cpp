#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "mercer/lattice.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

std::vector<double> normal_data(std::size_t count, std::uint64_t seed) {
  Random random({seed, Stage::task, 0, 0});
  std::vector<double> data(count);
  for (double& number : data) number = random.normal();
  return data;
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

std::vector<double> without_repeats(std::vector<double> values) {
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// KBinsDiscretizer(strategy="quantile") of scikit-learn 1.2.1, ties included.
TEST(Edges, agree_with_scikit_learn) {
  const nlohmann::json document = read_golden("kernels/kbins.json");
  for (const nlohmann::json& golden : document["cases"]) {
    const auto data = golden["samples"].get<std::vector<double>>();
    const auto bins = golden["n_bins"].get<std::size_t>();
    const Edges edges = make_edges(data, bins, {EdgeKind::quantile});
    if (golden["edges"][0] == -1e300) {  // equal data: scikit-learn's only bin has no ends, ours lies around the value
      EXPECT_EQ(edges.bins(), 1);
      continue;
    }
    expect_close(edges.values, golden["edges"].get<std::vector<double>>(), 1e-12);
    EXPECT_EQ(edges.bins() + edges.collapsed, bins) << golden["name"];
    const auto centres = golden["centers"].get<std::vector<double>>();
    for (std::size_t i = 0; i < edges.bins(); ++i) EXPECT_NEAR(edges.centre(i), centres[i], 1e-12);
    for (std::size_t i = 0; i < golden["probe"].size(); ++i) {
      EXPECT_EQ(edges.bin(golden["probe"][i].get<double>()), golden["probe_bin"][i].get<std::size_t>());
    }
  }
}

TEST(Edges, both_kinds_of_quantiles_agree_with_exact_ones) {
  const nlohmann::json document = read_golden("theory/discretisation.json");
  for (const nlohmann::json& golden : document["cases"]) {
    const auto data = golden["samples"].get<std::vector<double>>();
    const auto bins = golden["b"].get<std::size_t>();
    expect_close(make_edges(data, bins, {EdgeKind::data_quantile}).values,
                 without_repeats(golden["edges_type1"].get<std::vector<double>>()), 0);
    expect_close(make_edges(data, bins, {EdgeKind::quantile}).values,
                 without_repeats(golden["edges_type7"].get<std::vector<double>>()), 1e-12);
  }
}

// The brute-force twin sorts everything.
std::vector<double> sorted_quantiles(std::vector<double> data, std::size_t bins, EdgeKind kind) {
  std::ranges::sort(data);
  std::vector<double> edges{data.front()};
  for (std::size_t i = 1; i <= bins; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(bins) * static_cast<double>(data.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, data.size() - 1);
    const double share = place - static_cast<double>(below), step = data[above] - data[below];
    const double between = share < 0.5 ? data[below] + step * share : data[above] - step * (1 - share);
    const double edge = kind == EdgeKind::quantile ? between : data[(data.size() * i + bins - 1) / bins - 1];
    if (edge - edges.back() > 1e-8) edges.push_back(edge);
  }
  edges.back() = data.back();
  return edges;
}

// Data that are even, in heaps, of very different sizes, nearly all the same, or further apart than a number can say.
TEST(Edges, quantiles_are_those_of_sorted_data) {
  Random random({7, Stage::task, 0, 0});
  const std::vector<std::function<double()>> kinds{
      [&] { return random.uniform(); }, [&] { return std::floor(4 * random.uniform()); },
      [&] { return std::exp(60 * random.uniform() - 30); },
      [&] { return random.uniform() < 0.99 ? 1 + 1e-5 * random.uniform() : 1e300 * random.normal(); },
      [&] { return 1.7e308 * (2 * random.uniform() - 1); }};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const std::size_t size : {2, 17, 5000, 100'000}) {
      std::vector<double> data(size);
      for (double& number : data) number = kinds[kind]();
      for (const std::size_t bins : {1, 7, 35}) {
        for (const EdgeKind rule : {EdgeKind::quantile, EdgeKind::data_quantile}) {
          const Edges edges = make_edges(data, bins, {rule});
          if (edges.values.back() - edges.values.front() < 1e-4) continue;  // one heap only
          EXPECT_EQ(edges.values, sorted_quantiles(data, bins, rule)) << kind << ", " << size << " in " << bins;
        }
      }
    }
  }
}

// The brute-force twin: count inner edges that are not above x.
TEST(Edges, bins_are_found) {
  for (const std::size_t bins : {1, 2, 3, 7, 8, 35, 100}) {
    const Edges edges = make_edges(normal_data(5000, bins), bins, {EdgeKind::quantile});
    std::vector<double> probes = normal_data(500, 99);
    probes.insert(probes.end(), edges.values.begin(), edges.values.end());
    probes.insert(probes.end(), {-1e300, 1e300, -HUGE_VAL, HUGE_VAL});
    for (const double x : probes) {
      std::size_t expected = 0;
      for (std::size_t i = 1; i + 1 < edges.values.size(); ++i) expected += edges.values[i] <= x ? 1 : 0;
      EXPECT_EQ(edges.bin(x), expected) << x << " in " << bins;
    }
    EXPECT_LT(edges.bin(std::nan("")), bins);
  }
}

// With t = 1 the quantiles, with t = 0 equal widths, between them equal mass of the mixture.
TEST(Edges, tempered_edges_share_the_mixture) {
  std::vector<double> data = normal_data(4001, 5);
  for (double& number : data) number = std::exp(number);  // a long tail
  const auto edges_of = [&](EdgeRule rule) { return make_edges(data, 20, rule).values; };
  expect_close(edges_of({EdgeKind::tempered, 1}), edges_of({EdgeKind::quantile}), 1e-9);
  expect_close(edges_of({EdgeKind::tempered, 0}), edges_of({EdgeKind::uniform}), 1e-9);
  const std::vector<double> edges = edges_of({EdgeKind::tempered, 0.5});
  const double low = std::ranges::min(data), width = std::ranges::max(data) - low;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto below = static_cast<double>(std::ranges::count_if(data, [&](double x) { return x <= edges[i]; }));
    const double mass = 0.5 * below / 4001 + 0.5 * (edges[i] - low) / width;
    EXPECT_NEAR(mass, static_cast<double>(i) / 20, 1.0 / 4000);
  }
}

// Lloyd's algorithm, one datum at a time.
TEST(Edges, kmeans_is_lloyds) {
  std::vector<double> data = normal_data(400, 8);
  for (std::size_t i = 0; i < 200; ++i) data[i] += 4;
  constexpr std::size_t k = 6;
  const double low = std::ranges::min(data), width = std::ranges::max(data) - low;
  std::vector<double> centres;
  for (std::size_t i = 0; i < k; ++i) centres.push_back(low + width * (static_cast<double>(i) + 0.5) / k);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> sums(k), counts(k);
    for (const double x : data) {
      std::size_t nearest = 0;
      for (std::size_t c = 1; c < k; ++c) {
        if (std::abs(x - centres[c]) < std::abs(x - centres[nearest])) nearest = c;
      }
      sums[nearest] += x;
      ++counts[nearest];
    }
    for (std::size_t c = 0; c < k; ++c) {
      ASSERT_GT(counts[c], 0);
      centres[c] = sums[c] / counts[c];
    }
  }
  const Edges edges = make_edges(data, k, {EdgeKind::kmeans});
  ASSERT_EQ(edges.bins(), k);
  for (std::size_t i = 1; i < k; ++i) EXPECT_NEAR(edges.values[i], (centres[i - 1] + centres[i]) / 2, 1e-9);
  EXPECT_EQ(edges.values.front(), low);
}

constexpr EdgeKind all_kinds[] = {EdgeKind::quantile, EdgeKind::data_quantile, EdgeKind::uniform, EdgeKind::kmeans,
                                  EdgeKind::tempered};

TEST(Edges, follow_affine_maps) {
  const std::vector<double> data = normal_data(777, 3);
  std::vector<double> mapped;
  for (const double x : data) mapped.push_back(4 * x - 16);
  for (const EdgeKind kind : all_kinds) {
    const Edges before = make_edges(data, 12, {kind}), after = make_edges(mapped, 12, {kind});
    ASSERT_EQ(before.bins(), after.bins());
    for (std::size_t i = 0; i < before.values.size(); ++i) {
      EXPECT_NEAR(after.values[i], 4 * before.values[i] - 16, 1e-11);
    }
  }
}

TEST(Edges, data_quantiles_follow_every_rising_map) {
  const std::vector<double> data = normal_data(777, 4);
  std::vector<double> mapped;
  for (const double x : data) mapped.push_back(std::exp(3 * x));
  const Edges before = make_edges(data, 12, {EdgeKind::data_quantile});
  const Edges after = make_edges(mapped, 12, {EdgeKind::data_quantile});
  for (std::size_t i = 0; i < before.values.size(); ++i) EXPECT_EQ(after.values[i], std::exp(3 * before.values[i]));
}

TEST(Edges, equal_data_have_one_bin) {
  for (const EdgeKind kind : all_kinds) {
    const Edges edges = make_edges(std::vector<double>(5, 3.5), 4, {kind});
    EXPECT_EQ(edges.bins(), 1);
    EXPECT_EQ(edges.collapsed, 3);
    EXPECT_NEAR(edges.centre(0), 3.5, 1e-12);
  }
}

TEST(Edges, rules_have_names) {
  for (const char* const name : {"quantile", "data-quantile", "uniform", "kmeans", "tempered:0.25"}) {
    EXPECT_EQ(to_text(parse_edge_rule(name)), name);
  }
  EXPECT_EQ(parse_edge_rule("tempered").temper, 0.5);
  expect_error(ErrorCode::unknown_name, "Did you mean 'quantile'?", [] { parse_edge_rule("quantiles"); });
  expect_error(ErrorCode::bad_value, "'x' is not a number", [] { parse_edge_rule("tempered:x"); });
  expect_error(ErrorCode::out_of_range, "legal: 0 to 1", [] { parse_edge_rule("tempered:2"); });
}

TEST(Edges, refuse_what_makes_no_sense) {
  const std::vector<double> data{1, 2, 3};
  expect_error(ErrorCode::out_of_range, "number of bins", [&] { make_edges(data, 0, {}); });
  expect_error(ErrorCode::out_of_range, "number of data", [&] { make_edges({}, 2, {}); });
  expect_error(ErrorCode::not_finite, "nan", [&] { make_edges(std::vector<double>{1, std::nan("")}, 2, {}); });
}

}  // namespace
}  // namespace mercer
