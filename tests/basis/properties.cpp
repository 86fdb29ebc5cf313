// What must hold for any table: checked with RapidCheck on shapes, levels and numbers that it draws and shrinks.
#include <bit>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mercer/basis.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

Table any_table(std::size_t axes, std::size_t longest) {
  std::vector<std::size_t> shape;
  for (std::size_t axis = 0; axis < axes; ++axis) shape.push_back(*rc::gen::inRange<std::size_t>(1, longest + 1));
  Table table{shape, std::vector<double>(table_size(shape))};
  for (double& value : table.values) value = 0.001 * *rc::gen::inRange(-100000, 100001);
  return table;
}

// A table on which the basis is orthonormal, where there is one: tensor wavelets need powers of two.
Table table_for(const std::string& basis, std::size_t axes, std::size_t longest) {
  Table table = any_table(axes, longest);
  if (!basis.ends_with(":tensor")) return table;
  for (std::size_t& length : table.shape) length = std::bit_floor(length);
  table.values.resize(table_size(table.shape));
  return table;
}

std::string any_orthonormal_basis() {
  return *rc::gen::element<std::string>("fourier", "dct", "haar:level=1", "db1:level=2", "db2:level=1", "db3:level=2",
                                        "db4", "db7:level=1", "db10", "haar:tensor", "db4:tensor", "svd");
}

std::string any_basis() {
  return *rc::gen::element<std::string>("fourier", "dct", "haar", "db2:level=2", "db4", "db7:level=1", "svd",
                                        "db3:mode=symmetric,level=2", "svd:centred", "svd:weighted", "db2:tensor");
}

void train(Basis& basis, const Table& table) {
  std::vector<double> weights;
  for (std::size_t row = 0; row < table.rows(); ++row) weights.push_back(1 + static_cast<double>(row % 3));
  basis.train(table, weights);
}

RC_GTEST_PROP(Property, any_table_comes_back_from_all_its_coefficients, ()) {
  const Table table = any_table(*rc::gen::inRange<std::size_t>(1, 4), 12);
  const auto basis = make_basis(any_basis());
  train(*basis, table);
  const std::vector<double> back = basis->reverse(basis->apply(table.values));
  RC_ASSERT(largest_difference(back, table.values) < 1e-10);
}

RC_GTEST_PROP(Property, coefficients_of_an_orthonormal_basis_have_the_tables_energy, ()) {
  const std::string name = any_orthonormal_basis();
  const Table table = table_for(name, *rc::gen::inRange<std::size_t>(1, 4), 12);
  const auto basis = make_basis(name);
  train(*basis, table);
  RC_PRE(basis->orthonormal());
  const double energy = squares(table.values);
  RC_ASSERT(std::abs(squares(basis->apply(table.values)) - energy) <= 1e-12 * energy + 1e-12);
}

// The curve is what truncation really costs, and does not rise.
RC_GTEST_PROP(Property, error_is_the_discarded_energy_and_does_not_rise_with_k, ()) {
  const std::string name = *rc::gen::element(any_orthonormal_basis(), std::string("svd:centred"));
  const Table table = table_for(name, 2, 9);
  const auto basis = make_basis(name);
  train(*basis, table);
  RC_PRE(basis->orthonormal());
  const std::vector<double> coefficients = basis->apply(table.values);
  const Truncation truncation(basis->terms(coefficients), *rc::gen::arbitrary<bool>());
  const double energy = squares(table.values);
  double before = HUGE_VAL;
  for (std::size_t k = 0; k <= truncation.size(); ++k) {
    const std::vector<double> values = basis->reverse(keep_only(coefficients, truncation.kept(k)));
    const double error = squared_distance(values, table.values);
    RC_ASSERT(std::abs(error - truncation.discarded_energy(k)) <= 1e-11 * energy + 1e-12);
    RC_ASSERT(error <= before + 1e-11 * energy);
    RC_ASSERT(truncation.kept(k).size() <= k);
    before = error;
  }
}

RC_GTEST_PROP(Property, kept_sets_hold_whole_pairs, ()) {
  const Table table = any_table(*rc::gen::inRange<std::size_t>(1, 4), 8);
  const auto basis = make_basis("fourier");
  train(*basis, table);
  const std::vector<double> coefficients = basis->apply(table.values);
  const Truncation truncation(basis->terms(coefficients));
  const std::size_t k = *rc::gen::inRange<std::size_t>(0, truncation.size() + 1);
  const std::vector<std::size_t> kept = truncation.kept(k);
  for (const Term& term : truncation.ranked()) {
    RC_ASSERT(std::ranges::binary_search(kept, term.first) == std::ranges::binary_search(kept, term.second));
  }
}

RC_GTEST_PROP(Property, projected_rows_are_distributions_and_projecting_again_changes_nothing, ()) {
  Table table = any_table(2, 12);
  const SimplexRule rule = *rc::gen::element(SimplexRule::clip, SimplexRule::euclidean, SimplexRule::softmax);
  project_rows(table.matrix(), rule);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    double sum = 0;
    for (const double value : table.matrix().row(row)) {
      RC_ASSERT(value >= 0);
      sum += value;
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-12);
  }
  if (rule == SimplexRule::softmax) return;
  const std::vector<double> once = table.values;
  project_rows(table.matrix(), rule);
  RC_ASSERT(largest_difference(once, table.values) < 1e-12);
}

// Mass: with the mean kept, truncated rows of a policy still sum to one before any projection.
RC_GTEST_PROP(Property, rows_of_a_policy_keep_their_mass, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20), columns = *rc::gen::inRange<std::size_t>(1, 10);
  const Table policy = random_policy(rows, columns, *rc::gen::inRange<std::uint64_t>(0, 1000));
  const auto basis = make_basis(*rc::gen::element<std::string>("fourier", "dct", "svd:centred"));
  basis->train(policy);
  const std::vector<double> coefficients = basis->apply(policy.values);
  const Truncation truncation(basis->terms(coefficients));
  const std::size_t least = truncation.ranked()[0].mean ? 1 : 0;
  const std::size_t k = *rc::gen::inRange<std::size_t>(least, truncation.size() + 1);
  const std::vector<double> values = basis->reverse(keep_only(coefficients, truncation.kept(k)));
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < columns; ++column) sum += values[row * columns + column];
    RC_ASSERT(std::abs(sum - 1) < 1e-12);
  }
}

}  // namespace
}  // namespace mercer
