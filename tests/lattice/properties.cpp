// What must hold for any data: checked with RapidCheck on sizes, maps and rules that it draws and shrinks.
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mercer/lattice.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"
#include "support/density.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Skewed numbers of which no two are equal: k-means of data with ties may break one in two ways.
std::vector<double> any_data() {
  Random random({*rc::gen::inRange<std::uint64_t>(0, 1'000'000), Stage::task, 0, 0});
  std::vector<double> data(*rc::gen::inRange<std::size_t>(2, 300));
  const double skew = 0.1 * *rc::gen::inRange(0, 15);
  for (double& number : data) number = random.normal() + std::exp(skew * random.normal());
  return data;
}

EdgeRule any_rule() {
  return parse_edge_rule(*rc::gen::element<std::string>("quantile", "data-quantile", "uniform", "kmeans",
                                                        "tempered:0.2", "tempered", "tempered:0.9"));
}

std::size_t any_bins() { return *rc::gen::inRange<std::size_t>(1, 40); }

RC_GTEST_PROP(LatticeProperty, edges_follow_affine_maps, ()) {
  const std::vector<double> data = any_data();
  const double scale = 0.125 * *rc::gen::inRange(1, 400), shift = 0.5 * *rc::gen::inRange(-40, 41);
  std::vector<double> mapped;
  for (const double x : data) mapped.push_back(scale * x + shift);
  const EdgeRule rule = any_rule();
  const std::size_t bins = any_bins();
  const Edges before = make_edges(data, bins, rule), after = make_edges(mapped, bins, rule);
  RC_ASSERT(before.bins() == after.bins());
  for (std::size_t i = 0; i < before.values.size(); ++i) {
    RC_ASSERT(std::abs(after.values[i] - (scale * before.values[i] + shift)) < 1e-9 * (scale + std::abs(shift)));
  }
}

RC_GTEST_PROP(LatticeProperty, data_quantiles_follow_every_rising_map, ()) {
  const std::vector<double> data = any_data();
  const int kind = *rc::gen::inRange(0, 3);
  const auto map = [kind](double x) {
    return kind == 0 ? std::exp(x / 3) : kind == 1 ? x * x * x + x : 20 * std::atan(x);
  };
  std::vector<double> mapped;
  for (const double x : data) mapped.push_back(map(x));
  const std::size_t bins = any_bins();
  const Edges before = make_edges(data, bins, {EdgeKind::data_quantile});
  const Edges after = make_edges(mapped, bins, {EdgeKind::data_quantile});
  RC_ASSERT(before.bins() == after.bins());
  for (std::size_t i = 0; i < before.values.size(); ++i) RC_ASSERT(after.values[i] == map(before.values[i]));
}

// Data of few values: edges still rise from the smallest to the largest, and what is missing is counted.
RC_GTEST_PROP(LatticeProperty, ties_collapse, ()) {
  const int values = *rc::gen::inRange(2, 8);
  std::vector<double> data{0, static_cast<double>(values - 1)};
  for (std::size_t i = *rc::gen::inRange<std::size_t>(0, 60); i > 0; --i) data.push_back(*rc::gen::inRange(0, values));
  const EdgeRule rule = any_rule();
  const std::size_t bins = any_bins();
  const Edges edges = make_edges(data, bins, rule);
  RC_ASSERT(edges.bins() + edges.collapsed == bins);
  RC_ASSERT(std::ranges::adjacent_find(edges.values, std::greater_equal<>()) == edges.values.end());
  RC_ASSERT(edges.values.front() == 0);
  RC_ASSERT(edges.values.back() == values - 1);
  const std::set<double> different(data.begin(), data.end());
  if (rule.kind == EdgeKind::data_quantile) RC_ASSERT(edges.bins() < different.size());
}

RC_GTEST_PROP(LatticeProperty, whole_numbers_have_a_bin_each, ()) {
  std::vector<double> data;
  for (std::size_t i = *rc::gen::inRange<std::size_t>(1, 60); i > 0; --i) data.push_back(*rc::gen::inRange(-30, 31));
  const std::set<double> different(data.begin(), data.end());
  const std::size_t bins = any_bins();
  const auto edges = whole_number_edges(data, bins);
  RC_ASSERT(edges.has_value() == (different.size() <= bins));
  if (!edges) return;
  RC_ASSERT(std::ranges::adjacent_find(edges->values, std::greater_equal<>()) == edges->values.end());
  std::set<std::size_t> taken;
  for (const double value : different) {
    RC_ASSERT(edges->centre(edges->bin(value)) == value);
    taken.insert(edges->bin(value));
  }
  RC_ASSERT(taken.size() == different.size());
  data.push_back(0.25);
  RC_ASSERT(!whole_number_edges(data, 100).has_value());
}

GaussianPolicy leaning(double slope, double log_spread, std::size_t actions) {
  return {"g", squashed_contract(1, actions), [=](MatrixView<const double> in, MatrixView<double> out) {
            for (std::size_t i = 0; i < in.cols(); ++i) {
              for (std::size_t r = 0; r < out.rows(); ++r) out(r, i) = r < actions ? slope * in(0, i) : log_spread;
            }
          }};
}

// Whatever the policy, the rule and the edges, those of a cell's own among them.
RC_GTEST_PROP(LatticeProperty, rows_sum_to_one, ()) {
  const auto actions = *rc::gen::inRange<std::size_t>(1, 3), cells_count = *rc::gen::inRange<std::size_t>(1, 80);
  const GaussianPolicy policy = leaning(0.1 * *rc::gen::inRange(-40, 41), 0.1 * *rc::gen::inRange(-40, 10), actions);
  Rollouts rollouts;
  Random random({*rc::gen::inRange<std::uint64_t>(0, 1000), Stage::task, 0, 0});
  const std::size_t steps = *rc::gen::inRange<std::size_t>(1, 400);
  rollouts.offsets = {0, static_cast<std::int64_t>(steps)};
  rollouts.rewards.assign(steps, 0);
  for (std::size_t t = 0; t < steps; ++t) rollouts.observations.push_back(2 * random.uniform() - 1);
  for (std::size_t t = 0; t < steps * actions; ++t) rollouts.actions.push_back(4 * random.uniform() - 2);
  const Cells cells({{even_edges(-1, 1, cells_count)}}, {rollouts.observations.data(), 1, steps});
  Grid grid;
  for (std::size_t d = 0; d < actions; ++d)
    grid.axes.push_back(make_edges(rollouts.actions, any_bins() / 4 + 1, any_rule()));
  const OwnEdges own = *rc::gen::arbitrary<bool>()
                           ? make_own_edges(rollouts, cells, grid, any_rule(), *rc::gen::arbitrary<bool>())
                           : OwnEdges{};
  const int rule = *rc::gen::inRange(0, 3);
  const PolicyTable table = rule == 2
                                ? count_actions(rollouts, cells, grid, own)
                                : tabulate(policy, cells, grid, rule == 0 ? TableRule::mass : TableRule::centre, own);
  RC_ASSERT(table.rows == cells.size());
  for (std::size_t r = 0; r < table.rows; ++r) {
    double sum = 0;
    for (const double p : table.row(r)) {
      RC_ASSERT(p >= 0);
      sum += p;
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-12);
  }
}

}  // namespace
}  // namespace mercer
