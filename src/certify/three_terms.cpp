#include "certify/three_terms.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mercer {
namespace {

// The least of some rows as the term `id`.
Bound term_of(const std::vector<Bound>& rows, std::initializer_list<const char*> ids, std::string id, Quantity about) {
  const Bound* least = nullptr;
  for (const char* wanted : ids) {
    const Bound* const row = find_bound(rows, wanted);
    if (row == nullptr || (least != nullptr && (!row->applicable || (least->applicable && least->value <= row->value))))
      continue;
    least = row;
  }
  Bound term = *least;
  if (term.applicable) term.needs = fmt::format("{}: {}", term.id, term.needs);
  term.id = std::move(id);
  term.quantity = about;
  return term;
}

}  // namespace

std::vector<Bound> three_term_bounds(const SparseMdp& mdp, const PolicySteps& steps, const BoundInputs& inputs) {
  const auto rows_of = [&](std::span<const double> one, std::span<const double> two, bool projection) {
    BoundInputs own = inputs;
    own.T = 0;  // of the discounted return
    own.kept_difference = own.raw = own.counts = {};
    if (!projection) own.joint_TV = {};
    return rigorous_bounds(compare(mdp, one, two, {.solver = {}, .long_run = false}), own);
  };
  std::vector<Bound> out{
      term_of(rows_of(steps.teacher, steps.discretised, false), {"D1"}, "three_terms/discretisation",
              Quantity::discretisation),
      term_of(rows_of(steps.discretised, steps.pruned, false), {"B5"}, "three_terms/pruning", Quantity::pruning),
      term_of(rows_of(steps.pruned, steps.embedded, true), {"B7", "B7'", "B7j"}, "three_terms/projection",
              Quantity::projection)};
  const TabularComparison whole = compare(mdp, steps.teacher, steps.embedded, {.solver = {}, .long_run = false});
  Bound sum;
  sum.id = "three_terms";
  sum.level = Level::rigorous;
  sum.quantity = Quantity::discounted_return;
  sum.measured = std::abs(whole.difference());
  for (const Bound& term : out) {
    sum.value += term.value;
    sum.applicable = sum.applicable && term.applicable;
  }
  sum.vacuous = !(sum.value < trivial_bound(whole, sum.quantity, inputs) * (1 - 1e-12));
  sum.needs = "the sum of its three terms";
  for (const Bound& term : out) {
    if (!term.applicable) sum.needs = fmt::format("{} is missing: {}", term.id, term.needs);
  }
  if (!sum.applicable) sum.value = 0;
  out.insert(out.begin(), std::move(sum));
  return out;
}

}  // namespace mercer
