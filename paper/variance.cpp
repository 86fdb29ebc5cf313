#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/certify.hpp"
#include "mercer/mdp.hpp"
#include "mercer/random.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t cases = 100;  // for each seed

// A random process with rewards in (0, 1), where the publication expects condition 1, or in (-1, 1), and a Boltzmann
// policy in it.
struct Made {
  TabularMdp mdp;
  Table policy;
};
Made make_case(std::uint64_t seed, bool positive) {
  Random random({seed, Stage::simulate, 0, 0});
  Made made;
  TabularMdp& mdp = made.mdp;
  mdp.n = 4 + static_cast<std::size_t>(12 * random.uniform());
  mdp.m = 2 + static_cast<std::size_t>(4 * random.uniform());
  mdp.gamma = 0.5 + 0.49 * random.uniform();
  mdp.horizon = 100;
  const auto rows = [&](std::size_t count, std::size_t columns, double sharp) {
    std::vector<double> all(count * columns);
    for (double& value : all) value = std::exp(sharp * random.normal());
    project_rows({all.data(), count, columns});
    return all;
  };
  mdp.P = rows(mdp.n * mdp.m, mdp.n, 2);
  mdp.mu.assign(mdp.n, 1 / static_cast<double>(mdp.n));
  for (std::size_t i = 0; i < mdp.n * mdp.m; ++i)
    mdp.r.push_back(positive ? random.uniform() : 2 * random.uniform() - 1);
  // Boltzmann of the values that the uniform policy has: what the lemma's sigma stands for.
  const std::vector<double> uniform(mdp.n * mdp.m, 1 / static_cast<double>(mdp.m));
  const double temperature = 0.05 + random.uniform();
  made.policy = {{mdp.n, mdp.m}, solve_tabular(sparse_mdp(mdp), uniform).Q};
  for (double& value : made.policy.values) value = std::exp(value / temperature);
  project_rows(made.policy.matrix());
  return made;
}

double variance(const std::vector<double>& values) {
  double sum = 0;
  const double centre = mean_of(values);
  for (const double value : values) sum += (value - centre) * (value - centre) / static_cast<double>(values.size());
  return sum;
}

// Whether sqrt(E[x^2] / 3) >= E[x] for Student's t with nu degrees of freedom about `place`, by its moments.
bool student_meets(double nu, double place) {
  if (nu <= 2) return true;  // the second moment is infinite
  const double square = nu / (nu - 2) + place * place;
  return std::sqrt(square / 3) >= place;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["cases"] = {{"seed", "case", "positive", "condition1", "condition2", "condition3",
                                     "lower_return", "v_true", "v_truncated", "shrinks"}};
  const auto met = [](const std::vector<Bound>& bounds, const char* id) { return find_bound(bounds, id)->value; };
  for (std::size_t i = 0; i < cases; ++i) {
    const bool positive = i % 2 == 0;
    const Made made = make_case(1'000'000 * bench.seed + i, positive);
    const auto basis = make_basis("fourier");
    basis->train(made.policy);
    const std::vector<double> coefficients = basis->apply(made.policy.values);
    const std::size_t k = std::max<std::size_t>(2, made.policy.values.size() / 3);
    const std::vector<double> raw = basis->reverse(keep_only(coefficients, basis->choose(coefficients, k)));
    std::vector<double> close = raw;
    project_rows({close.data(), made.mdp.n, made.mdp.m});
    const TabularComparison both = compare(made.mdp, made.policy.values, close);
    BoundInputs inputs;
    inputs.kernel = make_action_kernel(ActionKernelKind::identity, made.mdp.m);
    inputs.raw = raw;
    const std::vector<Bound> bounds = paper_bounds(both, inputs);
    const double before = variance(both.policy1.Q), after = variance(both.policy2.Q);
    frame.add({double(bench.seed), double(i), double(positive), met(bounds, "paper_variance_1"),
               met(bounds, "paper_variance_2"), met(bounds, "paper_variance_3"),
               both.policy2.eta <= both.policy1.eta ? 1.0 : 0.0, before, after, after <= before ? 1.0 : 0.0});
  }
  Frame& student = tables["student"] = {{"seed", "degrees", "place", "meets"}};
  for (const double nu : {1.5, 2.5, 3.0, 5.0, 10.0, 30.0}) {
    for (const double place : {0.0, 0.5, 1.0, 2.0}) {
      student.add({double(bench.seed), nu, place, student_meets(nu, place) ? 1.0 : 0.0});
    }
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("cases")), first = all.where("condition1", 1.0), two = first.where("condition2", 1.0),
                                      three = two.where("condition3", 1.0), reversed = all.where("condition1", 0.0);
  const Rows student(tables.at("student"));
  const auto percent = [](const Rows& rows, const char* column) { return 100 * rows.mean(column); };
  return {
      fmt::format(
          "Of {} random processes and truncated policies condition 1 is met by {:.0f}%, condition 2 by {:.0f}%, "
          "condition 3 by {:.0f}%, conditions 1 and 2 by {:.0f}%, all by {:.1f}%. The variance of Q falls in {:.0f}% "
          "of "
          "all, in {:.0f}% where condition 1 is met, in {:.0f}% where 1 and 2 are, in {:.0f}% where it is reversed. "
          "Where rewards are positive and truncation lowers the return, condition 1 is met in {:.0f}%. Student's t "
          "meets condition 2 in "
          "{:.0f}% of the cases: about 0 always, about 1 for {:.0f}% of the degrees of freedom, about 2 for {:.0f}%.",
          all.size(), percent(all, "condition1"), percent(all, "condition2"), percent(all, "condition3"),
          100 * static_cast<double>(two.size()) / static_cast<double>(all.size()),
          100 * static_cast<double>(three.size()) / static_cast<double>(all.size()), percent(all, "shrinks"),
          percent(first, "shrinks"), percent(two, "shrinks"), percent(reversed, "shrinks"),
          percent(all.where("positive", 1.0).where("lower_return", 1.0), "condition1"), percent(student, "meets"),
          percent(student.where("place", 1.0), "meets"), percent(student.where("place", 2.0), "meets")),
      {"Condition 1 stands the wrong way round: the logistic's derivative falls where returns are positive, so a lower "
       "return has the larger derivative.",
       "Condition 2 asks the spread of a mean to be larger than the mean itself: whether Student's t meets it depends "
       "on where it is centred, and not on its degrees of freedom alone."}};
}

}  // namespace

Item variance_lemma() {
  return {
      20,
      "variance",
      "The variance lemma, condition by condition",
      "Under three conditions, which are met in practice, truncation does not raise the variance of Q over initial "
      "states and actions; condition 2 is not restrictive and met by Student's t with more than one degree of freedom.",
      {"random processes of 4 to 15 states and 2 to 5 actions, rewards in (0, 1) or in (-1, 1), discounts 0.5 to 0.99",
       "policies: Boltzmann of the uniform policy's Q, temperatures 0.05 to 1.05; a third of the Fourier coefficients "
       "kept",
       "sigma: logistic; beta: uniform; condition 3 within one half",
       "a first run had positive rewards only: 2 of 1,000 cases met condition 1, so those of both signs were added"},
      {},
      true,
      0.5,
      1,
      measure,
      variance_rules,
      tell};
}

}  // namespace mercer::paper
