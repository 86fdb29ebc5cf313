#include "embed/lattice/truncate_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "embed/lattice/table_layout.hpp"
#include "mercer/error.hpp"

namespace mercer {

std::size_t k_for_energy(const Truncation& truncation, double energy) {
  require_in_range("the share of energy to keep", energy, 1e-6, 1 - 1e-12, "0.99 is usual");
  const double whole = truncation.discarded_energy(0);
  double varies = 0;
  for (const Term& term : truncation.ranked()) {
    if (!term.mean) varies += term.energy;
  }
  // Where rows are all uniform the mean is everything, and the rest is rounding.
  const double may_go = std::max((1 - energy) * varies, 1e-20 * whole);
  return std::max<std::size_t>(1, truncation.smallest_k(may_go));
}

namespace {

// A rank-k table is left * right. The right factor's rows are orthonormal, so the best left one is the table times its
// transpose, whatever weights the right one was found with. Returns the energy of the table off its centre.
double keep_rank(const SvdBasis& svd, const Table& table, LatticeCode& code) {
  const std::size_t columns = table.columns();
  const double centre = svd_centre(svd.options(), columns);
  const std::vector<double>& right = svd.factors().vt;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    for (std::size_t i = 0; i < code.k; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c)
        sum += (table.values[r * columns + c] - centre) * right[i * columns + c];
      code.numbers.push_back(static_cast<float>(sum));
    }
  }
  for (std::size_t i = 0; i < code.k * columns; ++i) code.numbers.push_back(static_cast<float>(right[i]));
  double energy = 0;
  for (const double value : table.values) energy += std::pow(value - centre, 2);
  return energy;
}

// Cells that nobody visits may hold anything. What the kept coefficients make of them costs none, so each round moves
// them there, and nearly as far beyond (which takes a third of the rounds), and chooses again: the error of the visited
// rows falls.
void refill(const Basis& basis, const TableLayout& layout, std::size_t k, Table& table) {
  constexpr std::size_t rounds = 10;
  constexpr double stride = 1.9;
  std::vector<bool> visited(layout.rows);
  for (const std::size_t place : layout.places) visited[place] = true;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<double> coefficients = basis.apply(table.values);
    const std::vector<double> close =
        basis.reverse(keep_only(coefficients, largest_kept(basis.terms(coefficients), k)));
    for (std::size_t i = 0; i < close.size(); ++i) {
      if (!visited[i / layout.columns]) table.values[i] += stride * (close[i] - table.values[i]);
    }
  }
}

// Returns the energy of all coefficients.
double keep_largest(const Basis& basis, const Table& table, LatticeCode& code) {
  const std::vector<double> coefficients = basis.apply(table.values);
  const std::vector<Term> terms = basis.terms(coefficients);
  double energy = 0;
  for (const Term& term : terms) energy += term.energy;
  code.kept = largest_kept(terms, code.k);
  for (const std::size_t index : code.kept) code.numbers.push_back(static_cast<float>(coefficients[index]));
  return energy;
}

// Half of the coefficients that can differ from zero, for a trained basis of a table with `rows` distributions.
std::size_t half_of_free(const Basis& basis, std::size_t rows) {
  const std::size_t free = basis.splits_row_sums() ? basis.size() - rows + 1 : basis.size();
  return std::max<std::size_t>(1, free / 2);
}

std::size_t choose_k(const Basis& basis, const Table& table, std::size_t rows, const TruncationOptions& options) {
  if (options.k > 0) return options.k;
  if (options.energy == 0) return half_of_free(basis, rows);
  return k_for_energy(Truncation(basis.terms(basis.apply(table.values))), options.energy);
}

}  // namespace

double svd_centre(const SvdOptions& svd, std::size_t columns) {
  return svd.centred ? 1 / static_cast<double>(columns) : 0;
}

KeptTable truncate_table(const Lattice& lattice, const TruncationOptions& options, std::uint64_t seed,
                         LatticeCode& code) {
  const bool factored = options.basis.family == BasisFamily::svd;
  if (factored && options.order == RowOrder::axes) {
    throw Error(ErrorCode::bad_value, "the order of rows 'axes' with basis svd, which has rows and columns only",
                "Choose another order of rows: svd keeps as much in any");
  }
  code.order = options.order;
  code.rows = order_rows(*lattice.cells, lattice.table, lattice.actions, options.order);
  const TableLayout layout = options.order == RowOrder::axes ? axes_layout(*lattice.cells, lattice.actions)
                                                             : list_layout(code.rows, lattice.table.cols);
  Table table = spread(lattice.table, layout);
  const std::vector<double> visits = lattice.visits();
  std::vector<double> weights(layout.rows);
  for (std::size_t r = 0; r < layout.places.size(); ++r) weights[layout.places[r]] = visits[r];
  const auto choose = [&](Basis& basis) {
    basis.train(table, weights);
    code.k = choose_k(basis, table, layout.rows, options);
    require_in_range(fmt::format("k for basis '{}'", to_text(code.basis)), static_cast<double>(code.k), 1,
                     static_cast<double>(basis.size()), "0 chooses it");
  };
  if (factored) {
    SvdOptions factoring = options.basis.svd;
    factoring.sketch.seed = seed;
    SvdBasis svd(factoring);
    choose(svd);
    return {keep_rank(svd, table, code), svd.parameters(code.k)};
  }
  const std::unique_ptr<Basis> basis = make_basis(options.basis, seed);
  choose(*basis);
  if (layout.has_gaps()) refill(*basis, layout, code.k, table);
  return {keep_largest(*basis, table, code), basis->parameters(code.k)};
}

}  // namespace mercer
