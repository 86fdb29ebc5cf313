#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/certify.hpp"
#include "mercer/env.hpp"
#include "mercer/random.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t usual_states = 20;

// Probability of going right in each state. A constant one, as described, has two Fourier coefficients that are not
// zero; the other varies from state to state, so that there is something to truncate.
std::vector<double> chain_policy(std::size_t n, bool constant, std::uint64_t seed) {
  std::vector<double> pi;
  for (std::size_t s = 0; s < n; ++s) {
    Random random({seed, Stage::simulate, s, 0});
    const double wave = std::sin(2 * std::numbers::pi * static_cast<double>(s) / static_cast<double>(n));
    const double right = constant ? 0.6 : 0.55 + 0.15 * wave + 0.3 * (random.uniform() - 0.5);
    pi.insert(pi.end(), {1 - right, right});
  }
  return pi;
}

// Fourier coefficients beside those that are zero because rows sum to one.
std::size_t all_coefficients(std::size_t n) { return n + 1; }

std::vector<double> truncated(const std::vector<double>& pi, std::size_t k) {
  const auto basis = make_basis("fourier");
  const Table table{{pi.size() / 2, 2}, pi};
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(pi);
  std::vector<double> rows = basis->reverse(keep_only(coefficients, largest_kept(basis->terms(coefficients), k)));
  project_rows({rows.data(), rows.size() / 2, 2});
  return rows;
}

double value(const std::vector<Bound>& bounds, const char* id) {
  const Bound* bound = find_bound(bounds, id);
  return bound == nullptr || !bound->applicable ? std::nan("") : bound->value;
}

void add(Frame& frame, const Bench& bench, const char* policy, std::size_t n, std::size_t k) {
  const std::vector<double> pi = chain_policy(n, policy == std::string("constant"), bench.seed);
  TabularMdp mdp = make_chain(n, 1, 100);
  mdp.gamma = 0.99;
  const TabularComparison both = compare(mdp, pi, truncated(pi, k));
  BoundInputs inputs;
  inputs.kernel = make_action_kernel(ActionKernelKind::identity, 2);
  const std::vector<Bound> printed = paper_bounds(both, inputs), rigorous = rigorous_bounds(both, inputs);
  double l1 = 0, l2 = 0;
  for (std::size_t s = 0; s < n; ++s) {
    const double gap = both.long_run1.rho[s] - both.long_run2.rho[s];
    l1 += std::abs(gap);
    l2 += gap * gap;
  }
  frame.add({double(bench.seed), policy, double(n), double(k), std::sqrt(l2), l1, value(printed, "paper_coverage"),
             value(rigorous, "C1"), value(rigorous, "C3")});
}

Tables measure(const Bench& bench) {
  const std::vector<std::string> columns{"seed", "policy", "states", "k", "l2", "l1", "printed", "c1", "c3"};
  Tables tables{{"components", {columns}}, {"states", {columns}}};
  for (const char* policy : {"constant", "varying"}) {
    for (std::size_t k = 1; k <= all_coefficients(usual_states); k += bench.quick ? 2 : 1) {
      add(tables["components"], bench, policy, usual_states, k);
    }
  }
  for (std::size_t n = 4; n <= (bench.quick ? 40 : 80); n += bench.quick ? 6 : 4) {
    add(tables["states"], bench, "varying", n, all_coefficients(n) / 2);
  }
  return tables;
}

// The largest of true distance / bound; rounding makes 0 / 0.
double worst_ratio(const Rows& rows, const char* distance, const char* bound) {
  const std::vector<double> truth = rows.numbers(distance), limit = rows.numbers(bound);
  double worst = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] > 1e-12) worst = std::max(worst, truth[i] / limit[i]);
  }
  return truth.empty() ? std::nan("") : worst;
}

Told tell(const Tables& tables) {
  Tables all;
  append(all, {{"all", tables.at("components")}});
  append(all, {{"all", tables.at("states")}});
  const Rows rows(all.at("all")), varying = Rows(tables.at("components")).where("policy", "varying"),
                                  constant = Rows(tables.at("components")).where("policy", "constant"),
                                  states(tables.at("states"));
  const auto printed = [](const Rows& of, const char* by, double value) { return of.where(by, value).mean("printed"); };
  return {fmt::format(
      "20 states: the printed bound falls from {:.3g} at K = {} to {:.2g} at K = {}; the true 1-norm distance at the "
      "fewest is {:.3g}. Over all cases the truth is at most {:.2f} (2-norm) and {:.2f} (1-norm) of the printed "
      "bound; the rigorous C1 is {:.1f} times smaller on average. From {} to {} states at half of the coefficients it "
      "grows from {:.3g} to {:.3g}. With a constant policy two coefficients are exact (bound {:.1g} from K = 2 on).",
      printed(varying, "k", varying.least("k")), varying.least("k"), printed(varying, "k", varying.most("k")),
      varying.most("k"), varying.where("k", varying.least("k")).mean("l1"), worst_ratio(rows, "l2", "printed"),
      worst_ratio(rows, "l1", "printed"), rows.mean("printed") / rows.mean("c1"), states.least("states"),
      states.most("states"), printed(states, "states", states.least("states")),
      printed(states, "states", states.most("states")), constant.between("k", 2, 1e9).most("printed"))};
}

}  // namespace

Item chain() {
  return {10,
          "chain",
          "Chain: coverage bound against components and states",
          "The bound on the distance between stationary distributions holds and converges as Fourier components are "
          "added; it depends on the number of states.",
          {"norm of the distance: the printed Schatten 1-norm of a row is its 2-norm; the 1-norm is shown beside it",
           "a constant policy has only two coefficients, so one that varies from state to state is truncated too",
           "states are varied at half of the coefficients"},
          {},
          true,
          0.3,
          3,
          measure,
          chain_rules,
          tell};
}

}  // namespace mercer::paper
