#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/certify.hpp"
#include "mercer/mdp.hpp"
#include "mercer/random.hpp"
#include "rules/rules.hpp"
#include "trials.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t states = 20, actions = 4;
constexpr double sharpness[] = {0, 1, 2, 4, 8};  // of transitions: 0 uniform, 8 nearly certain

// Numbers that are softmax rows of normal ones.
std::vector<double> soft_rows(std::size_t rows, std::size_t columns, double sharp, std::uint64_t seed,
                              std::uint32_t purpose) {
  std::vector<double> all(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    Random random({seed, Stage::simulate, r, purpose});
    double sum = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += all[r * columns + c] = std::exp(sharp * random.normal());
    for (std::size_t c = 0; c < columns; ++c) all[r * columns + c] /= sum;
  }
  return all;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["bounds"] = {{"seed", "sharpness", "norm", "largest", "k", "printed", "l1"}};
  const std::uint64_t seed = 1000 * bench.seed;
  // The same policy for every kernel: only the transitions differ.
  const Table policy{{states, actions}, soft_rows(states, actions, 1, seed, 1)};
  const auto basis = make_basis("fourier");
  basis->train(policy);
  const std::vector<double> coefficients = basis->apply(policy.values);
  for (const double sharp : sharpness) {
    TabularMdp mdp;
    mdp.n = states, mdp.m = actions, mdp.gamma = 0.99, mdp.horizon = 100;
    mdp.P = soft_rows(states * actions, states, sharp, seed, 2);
    mdp.mu.assign(states, 1.0 / states);
    mdp.r.assign(states * actions, 0);
    mdp.r[0] = 1;
    const SchattenNorms norms = schatten_norms({mdp.P.data(), states * actions, states});
    for (std::size_t k = 4; k <= states * (actions - 1); k += 8) {
      std::vector<double> close = basis->reverse(keep_only(coefficients, basis->choose(coefficients, k)));
      project_rows({close.data(), states, actions});
      const TabularComparison both = compare(mdp, policy.values, close);
      BoundInputs inputs;
      inputs.kernel = make_action_kernel(ActionKernelKind::identity, actions);
      const std::vector<Bound> bounds = paper_bounds(both, inputs);
      const Bound* const printed = find_bound(bounds, "paper_coverage");
      double l1 = 0;
      for (std::size_t s = 0; s < states; ++s) l1 += std::abs(both.long_run1.rho[s] - both.long_run2.rho[s]);
      frame.add({double(bench.seed), sharp, norms.s2, norms.sinf, double(k),
                 printed != nullptr && printed->applicable ? printed->value : std::nan(""), l1});
    }
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("bounds"));
  Told told{
      fmt::format("{} states, {} actions, one policy. For transitions from uniform to nearly certain, Schatten "
                  "2-norm, printed bound and true 1-norm distance at K = 4, slope of the bound over K: ",
                  states, actions)};
  for (const double sharp : sharpness) {
    const Rows own = all.where("sharpness", sharp), few = own.where("k", own.least("k"));
    Seeds slopes;
    for (const double seed : own.distinct("seed")) {
      slopes.push_back(
          log_line(own.where("seed", seed).numbers("k"), own.where("seed", seed).numbers("printed")).slope);
    }
    told.saw += fmt::format("{:.2f}, {:.3g} and {:.2g}, {:.2f}; ", own.mean("norm"), few.mean("printed"),
                            few.mean("l1"), mean_of(slopes));
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  told.why = {
      "The norm of the transitions is a factor of the printed bound, and the distance of the policies, which "
      "truncation sets, is another: a larger kernel lifts the whole curve and leaves its slope alone."};
  return told;
}

}  // namespace

Item kernels() {
  return {17,
          "kernels",
          "Coverage bound under large and small transition kernels",
          "For processes with particularly large singular values of the transition tensor the bound on stationary "
          "distributions converges less quickly.",
          {"random processes: transitions are softmax rows of normal numbers times 0, 1, 2, 4 or 8",
           "a random policy of 20 states and 4 actions, its largest Fourier coefficients kept",
           "less quickly: a flatter slope of log bound over log K; the size of the bound is a rule of its own"},
          {},
          true,
          0.5,
          1,
          measure,
          kernels_rules,
          tell};
}

}  // namespace mercer::paper
