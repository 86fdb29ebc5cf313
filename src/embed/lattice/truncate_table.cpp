#include "embed/lattice/truncate_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// The row nearest to every place: waves that start at all rows at once and go on cell by cell.
std::vector<std::size_t> nearest_rows(const TableLayout& layout) {
  std::vector<std::size_t> nearest(layout.rows, nobody), wave = layout.places;
  for (std::size_t r = 0; r < layout.places.size(); ++r) nearest[layout.places[r]] = r;
  for (std::size_t next = 0; next < wave.size(); ++next) {
    const std::size_t here = wave[next];
    const auto reach = [&](std::size_t place) {
      if (nearest[place] != nobody) return;
      nearest[place] = nearest[here];
      wave.push_back(place);
    };
    std::size_t step = layout.rows;
    for (std::size_t axis = 0; step > 1; ++axis) {
      const std::size_t length = layout.shape[axis];
      step /= length;
      const std::size_t bin = here / step % length;
      if (bin > 0) reach(here - step);
      if (bin + 1 < length) reach(here + step);
    }
  }
  return nearest;
}

}  // namespace

TableLayout list_layout(const std::vector<std::size_t>& order, std::size_t columns) {
  TableLayout layout{{order.size(), columns}, std::vector<std::size_t>(order.size()), order.size(), columns};
  for (std::size_t i = 0; i < order.size(); ++i) layout.places[order[i]] = i;
  return layout;
}

TableLayout axes_layout(const Cells& cells, const Grid& actions) {
  constexpr double most_entries = 2.5e7;
  constexpr std::size_t most_axes = 8;
  const double entries = cells.grid().cells() * actions.cells();
  const std::size_t axes = cells.grid().dimensions() + actions.dimensions();
  if (entries > most_entries || axes > most_axes) {
    throw Error(ErrorCode::too_large,
                fmt::format("the order of rows 'axes' needs the whole lattice, {:.3g} entries on {} axes; legal: up to "
                            "{:.3g} on {}",
                            entries, axes, most_entries, most_axes),
                "Take fewer bins, or another order of rows");
  }
  TableLayout layout;
  layout.rows = static_cast<std::size_t>(cells.grid().cells());
  layout.columns = static_cast<std::size_t>(actions.cells());
  for (const Grid* grid : {&cells.grid(), &actions}) {
    for (const Edges& axis : grid->axes) layout.shape.push_back(axis.bins());
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < cells.grid().dimensions(); ++d) place = place * layout.shape[d] + cells.bin(c, d);
    layout.places.push_back(place);
  }
  return layout;
}

Table spread(const PolicyTable& rows, const TableLayout& layout) {
  Table table{layout.shape, {}};
  table.values.reserve(layout.rows * layout.columns);
  for (const std::size_t row : nearest_rows(layout)) {
    table.values.insert(table.values.end(), rows.row(row).begin(), rows.row(row).end());
  }
  return table;
}

std::vector<double> gather(std::span<const double> values, const TableLayout& layout) {
  std::vector<double> rows;
  rows.reserve(layout.places.size() * layout.columns);
  for (const std::size_t place : layout.places) {
    const auto row = values.subspan(place * layout.columns, layout.columns);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

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

// A table of logits has no mean that must be kept.
std::vector<std::size_t> kept_of(const Basis& basis, std::span<const double> coefficients, std::size_t k,
                                 bool keep_mean) {
  return keep_mean ? basis.choose(coefficients, k) : largest_kept(basis.terms(coefficients), k, false);
}

// Cells that nobody visits may hold anything. What the kept coefficients make of them costs none, so each round moves
// them there, and nearly as far beyond (which takes a third of the rounds), and chooses again: the error of the visited
// rows falls.
void refill(const Basis& basis, const TableLayout& layout, std::size_t k, bool keep_mean, Table& table) {
  constexpr std::size_t rounds = 10;
  constexpr double stride = 1.9;
  std::vector<bool> visited(layout.rows);
  for (const std::size_t place : layout.places) visited[place] = true;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<double> coefficients = basis.apply(table.values);
    const std::vector<double> close =
        basis.reverse(keep_only(coefficients, kept_of(basis, coefficients, k, keep_mean)));
    for (std::size_t i = 0; i < close.size(); ++i) {
      if (!visited[i / layout.columns]) table.values[i] += stride * (close[i] - table.values[i]);
    }
  }
}

// Returns the energy of all coefficients.
double keep_largest(const Basis& basis, const Table& table, bool keep_mean, LatticeCode& code) {
  const std::vector<double> coefficients = basis.apply(table.values);
  double energy = 0;
  for (const Term& term : basis.terms(coefficients)) energy += term.energy;
  code.kept = kept_of(basis, coefficients, code.k, keep_mean);
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
  if (options.basis.family == BasisFamily::printed_fourier) {
    throw Error(ErrorCode::bad_value,
                fmt::format("a share of {} of the energy with basis fourier:printed, which ranks coefficients by sign",
                            options.energy),
                "Give k, or an energy of 0 for half of all coefficients");
  }
  const bool keep_mean = options.simplex != SimplexRule::softmax;
  return k_for_energy(Truncation(basis.terms(basis.apply(table.values)), keep_mean), options.energy);
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
  const bool logits = options.simplex == SimplexRule::softmax;
  code.order = options.order;
  code.rows = order_rows(*lattice.cells, lattice.table, lattice.actions, options.order);
  const TableLayout layout = options.order == RowOrder::axes ? axes_layout(*lattice.cells, lattice.actions)
                                                             : list_layout(code.rows, lattice.table.cols);
  PolicyTable rows = lattice.table;
  if (logits) logits_of_rows({rows.pi.data(), rows.rows, rows.cols});
  Table table = spread(rows, layout);
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
  if (layout.has_gaps()) refill(*basis, layout, code.k, !logits, table);
  return {keep_largest(*basis, table, !logits, code), basis->parameters(code.k)};
}

}  // namespace mercer
