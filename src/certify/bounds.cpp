#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "certify/action_metric.hpp"
#include "certify/bound_list.hpp"
#include "mercer/certify.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

void check(const TabularComparison& c, const BoundInputs& inputs) {
  const std::size_t n = c.mdp.n, m = c.mdp.m;
  const auto fits = [](std::span<const double> given, std::size_t size) {
    return given.empty() || given.size() == size;
  };
  if (inputs.kernel.m != m || !fits(inputs.kept_difference, n * m) || !fits(inputs.raw, n * m) ||
      !fits(inputs.counts, n * m) || !fits(inputs.joint_TV, n) ||
      (!inputs.atoms.empty() && ActionMetric(inputs.atoms).size() != m) ||
      inputs.state_samples.cols() != inputs.action_samples.cols()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("inputs of bounds that do not fit {} states and {} actions (the kernel has {})", n, m,
                            inputs.kernel.m),
                "Give tables of n x m, an atom for each action and a kernel over the actions");
  }
  require_in_range("K", static_cast<double>(inputs.K), 0, static_cast<double>(inputs.kernel.size()),
                   "Keep at most all functions");
  require_in_range("the confidence delta", inputs.confidence_delta, 1e-12, 1 - 1e-12, "0.05 is usual");
  require_in_range("the horizon's discount", inputs.horizon_gamma, 0, 1, "Give a discount from 0 to 1");
  require_in_range("hits", static_cast<double>(inputs.hits), 0, static_cast<double>(inputs.held_out),
                   "At most all held-out trajectories");
}

double distance(std::span<const double> a, std::span<const double> b, int norm) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double gap = std::abs(a[i] - b[i]);
    sum = norm == 0 ? std::max(sum, gap) : sum + (norm == 1 ? gap : gap * gap);
  }
  return norm == 2 ? std::sqrt(sum) : sum;
}

std::optional<double> measure(const TabularComparison& c, Quantity quantity) {
  if (quantity == Quantity::discounted_return || quantity == Quantity::pruning) return std::abs(c.difference());
  if (quantity == Quantity::occupancy_l1) return distance(c.policy1.d, c.policy2.d, 1);
  if (!c.long_run_applicable()) return {};
  if (quantity == Quantity::stationary_l1) return distance(c.long_run1.rho, c.long_run2.rho, 1);
  if (quantity == Quantity::stationary_l2) return distance(c.long_run1.rho, c.long_run2.rho, 2);
  if (quantity == Quantity::stationary_max) return distance(c.long_run1.rho, c.long_run2.rho, 0);
  return {};
}

}  // namespace

double trivial_bound(const TabularComparison& c, Quantity quantity, const BoundInputs& inputs) {
  const double g = c.mdp.gamma;
  if (quantity == Quantity::discounted_return || quantity == Quantity::pruning ||
      quantity == Quantity::discretisation || quantity == Quantity::projection) {
    return c.delta_r / (1 - g);
  }
  if (quantity == Quantity::episode_return) {
    double steps = 0, weight = 1;
    for (std::size_t t = 0; t < inputs.T; ++t, weight *= inputs.horizon_gamma) steps += weight;
    return c.delta_r * steps;
  }
  if (quantity == Quantity::reward) return c.delta_r;
  if (quantity == Quantity::stationary_l1 || quantity == Quantity::occupancy_l1) return 2;
  if (quantity == Quantity::stationary_l2) return std::sqrt(2.0);
  if (quantity == Quantity::stationary_max) return 1;
  // The spread of numbers in an interval is at most half its length.
  if (quantity == Quantity::sd_q) return c.delta_r / (1 - g) / 2;
  if (quantity == Quantity::mean_action && !inputs.atoms.empty()) return ActionMetric(inputs.atoms).width();
  return HUGE_VAL;
}

BoundList::BoundList(const TabularComparison& comparison, const BoundInputs& inputs, Level level)
    : comparison_(comparison), inputs_(inputs), level_(level) {
  check(comparison, inputs);
}

void BoundList::add(std::string id, Quantity quantity, double value, std::string needs,
                    std::optional<double> measured) {
  if (!measured) measured = measure(comparison_, quantity);
  const bool vacuous = !(value < trivial_bound(comparison_, quantity, inputs_) * (1 - 1e-12));
  rows.push_back({std::move(id), level_, quantity, value, true, vacuous, std::move(needs), measured});
}

void BoundList::skip(std::string id, Quantity quantity, std::string why) {
  rows.push_back({std::move(id), level_, quantity, 0, false, false, std::move(why), measure(comparison_, quantity)});
}

void BoundList::least(const std::string& id) {
  const Bound* best = nullptr;
  for (const Bound& row : rows) {
    if (!row.id.starts_with(id + "/") || !row.applicable) continue;
    if (best == nullptr || row.value < best->value) best = &row;
  }
  if (best == nullptr) return;
  Bound row = *best;
  row.id = id;
  rows.push_back(std::move(row));
}

double sum_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t s = 0; s < a.size(); ++s) sum += a[s] * b[s];
  return sum;
}

double sum_of(std::span<const double> a, std::span<const double> b, std::span<const double> c) {
  double sum = 0;
  for (std::size_t s = 0; s < a.size(); ++s) sum += a[s] * b[s] * c[s];
  return sum;
}

KernelNorms kernel_norms(const TabularComparison& c, const BoundInputs& inputs) {
  const std::size_t D = inputs.kernel.size(), K = inputs.K == 0 ? D : inputs.K;
  KernelNorms norms;
  const std::vector<double> xi = kernel_coefficients(inputs.kernel, c.delta);
  norms.all = squared_norms(inputs.kernel, xi, 0, D);
  if (inputs.kept_difference.empty()) {
    norms.kept = squared_norms(inputs.kernel, xi, 0, K);
    norms.tail = geometric_tail(xi, inputs.kernel.lambda, K);
    return norms;
  }
  const std::vector<double> kept = kernel_coefficients(inputs.kernel, inputs.kept_difference);
  norms.kept = squared_norms(inputs.kernel, kept, 0, D);
  std::vector<double> dropped(xi.size());
  for (std::size_t i = 0; i < xi.size(); ++i) dropped[i] = xi[i] - kept[i];
  norms.tail = geometric_tail(dropped, inputs.kernel.lambda, 0);
  return norms;
}

std::vector<Bound> rigorous_bounds(const TabularComparison& comparison, const BoundInputs& inputs) {
  BoundList list(comparison, inputs, Level::rigorous);
  add_return_bounds(comparison, inputs, list);
  add_kernel_bounds(comparison, inputs, list);
  add_horizon_bounds(comparison, inputs, list);
  add_coverage_bounds(comparison, list);
  add_step_bounds(comparison, inputs, list);
  return std::move(list.rows);
}

std::vector<Bound> horizon_bounds(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                  std::size_t T, double gamma) {
  require_in_range("the horizon", static_cast<double>(T), 1, 1e9, "Give the number of steps");
  const TabularComparison comparison = compare_rows(mdp, pi1, pi2);
  const BoundInputs inputs{
      .kernel = make_action_kernel(ActionKernelKind::identity, mdp.m), .T = T, .horizon_gamma = gamma};
  BoundList list(comparison, inputs, Level::rigorous);
  add_horizon_bounds(comparison, inputs, list);
  return std::move(list.rows);
}

const Bound* best_bound(std::span<const Bound> bounds, Quantity quantity) {
  const Bound* best = nullptr;
  for (const Bound& bound : bounds) {
    if (!bound.applicable || bound.level == Level::paper || bound.quantity != quantity) continue;
    if (best == nullptr || bound.value < best->value) best = &bound;
  }
  return best;
}

const Bound* find_bound(std::span<const Bound> bounds, std::string_view id) {
  for (const Bound& bound : bounds) {
    if (bound.id == id) return &bound;
  }
  return nullptr;
}

}  // namespace mercer
