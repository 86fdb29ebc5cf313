#include "mercer/embed/lattice_embedding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "embed/factor_rows.hpp"
#include "embed/joined_rows.hpp"
#include "embed/keep_table.hpp"
#include "embed/row_model.hpp"
#include "embed/table_layout.hpp"
#include "io/corrupt.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/basis/truncation.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/nearest.hpp"

namespace mercer {
namespace {

void check_factors(const LatticeCode& code, const TableLayout& layout, const std::string& where) {
  if (code.k > code.numbers.size() || code.numbers.size() != code.k * (layout.rows + layout.columns)) {
    throw_corrupt(where, "has factors that do not fit its table");
  }
}

// All coefficients of a basis that is made ready for the table, zeros for those that were dropped.
std::vector<double> coefficients_of(const LatticeCode& code, Basis& basis, const TableLayout& layout,
                                    const std::string& where) {
  basis.train({layout.shape, std::vector<double>(layout.rows * layout.columns)});
  if (code.numbers.size() != code.kept.size() || (!code.kept.empty() && code.kept.back() >= basis.size())) {
    throw_corrupt(where, "has coefficients that its basis does not");
  }
  std::vector<double> coefficients(basis.size());
  for (std::size_t i = 0; i < code.kept.size(); ++i) coefficients[code.kept[i]] = code.numbers[i];
  return coefficients;
}

// Rows one by one, as the layout numbers them.
std::shared_ptr<const RowEvaluator> evaluate(const LatticeCode& code, const TableLayout& layout,
                                             const std::string& where) {
  if (const auto model = parse_row_model(code.basis)) return model_rows(*model, code, where);
  const std::unique_ptr<Basis> basis = make_basis(code.basis);
  if (const auto* svd = dynamic_cast<const SvdBasis*>(basis.get())) {
    check_factors(code, layout, where);
    return std::make_shared<FactorRows>(code.numbers, layout.rows, layout.columns, code.k,
                                        svd_centre(*svd, layout.columns));
  }
  const std::vector<double> coefficients = coefficients_of(code, *basis, layout, where);
  auto rows = basis->evaluator(coefficients, code.kept);
  const std::size_t last = layout.shape.back();
  if (last == layout.columns) return rows;
  return std::make_shared<JoinedRows>(std::move(rows), layout.columns / last, last);
}

// The rows of all cells, before they are distributions again. A basis is fastest with all of them at once.
std::vector<double> reconstruct(const LatticeCode& code, const TableLayout& layout, const std::string& where) {
  if (!parse_row_model(code.basis)) {
    const std::unique_ptr<Basis> basis = make_basis(code.basis);
    if (dynamic_cast<const SvdBasis*>(basis.get()) == nullptr) {
      return gather(basis->reverse(coefficients_of(code, *basis, layout, where)), layout);
    }
  }
  const std::shared_ptr<const RowEvaluator> rows = evaluate(code, layout, where);
  std::vector<double> values(layout.places.size() * layout.columns);
  for (std::size_t r = 0; r < layout.places.size(); ++r) {
    rows->row(layout.places[r], std::span(values).subspan(r * layout.columns, layout.columns));
  }
  return values;
}

// The order of rows, from the cells or as it was written down.
std::vector<std::size_t> rows_of(const LatticeCode& code, const Cells& cells, const std::string& where) {
  if (code.order != RowOrder::mean_action) return order_rows(cells, {}, {}, code.order);
  std::vector<bool> seen(cells.size());
  for (const std::size_t row : code.rows) {
    if (row >= seen.size() || seen[row]) throw_corrupt(where, "has an order of rows that is none");
    seen[row] = true;
  }
  return code.rows;
}

TableLayout layout_of(const LatticeCode& code, const Cells& cells, const std::string& where) {
  const auto columns = static_cast<std::size_t>(code.actions.cells());
  if (parse_row_model(code.basis)) return list_layout(order_rows(cells, {}, {}, RowOrder::lexicographic), columns);
  return code.order == RowOrder::axes ? axes_layout(cells, code.actions)
                                      : list_layout(rows_of(code, cells, where), columns);
}

// What the table is made of before any of it is kept.
LatticeCode begin_code(const Policy& teacher, const Lattice& lattice, const LatticePlay& play,
                       const TruncationOptions& options) {
  LatticeCode code;
  code.states = lattice.cells->grid();
  for (std::size_t c = 0; c < lattice.cells->size(); ++c) {
    for (std::size_t d = 0; d < code.states.dimensions(); ++d) {
      code.bins.push_back(static_cast<std::uint32_t>(lattice.cells->bin(c, d)));
    }
  }
  code.discrete = teacher.action_space().is_discrete();
  code.actions = lattice.actions;
  code.own = lattice.own;
  code.play = play;
  code.simplex = options.simplex;
  return code;
}

}  // namespace

std::vector<std::string> known_lattice_bases() {
  std::vector<std::string> names = known_bases();
  for (std::string& name : known_row_models()) names.push_back(std::move(name));
  return names;
}

void check_lattice_basis(const std::string& basis) {
  const std::string name = basis.substr(0, basis.find(':'));
  const std::vector<std::string> known = known_lattice_bases();
  if (std::ranges::find(known, name) == known.end()) throw_unknown("basis", name, known);
  if (!parse_row_model(basis)) make_basis(basis);
}

LatticeEmbedding LatticeEmbedding::make(const Policy& teacher, const Lattice& lattice, const LatticePlay& play,
                                        const TruncationOptions& options, std::uint64_t seed) {
  check_lattice_basis(options.basis);
  LatticeCode code = begin_code(teacher, lattice, play, options);
  double energy = 0;
  ParameterCount parameters;
  if (const auto model = parse_row_model(options.basis)) {
    code.basis = model->name();
    code.k = options.k > 0 ? options.k : model->usual_k(lattice.table.cols);
    keep_rows(*model, lattice.table, seed, code);
    parameters = parameters_of(*model, code);
  } else {
    const std::unique_ptr<Basis> basis = make_basis(options.basis, seed);
    energy = keep_table(*basis, lattice, options, code);
    parameters = basis->parameters(code.k);
  }
  const std::string name = fmt::format("{} ({} {})", teacher.name(), code.basis, code.k);
  LatticeEmbedding made = decode(encode(code), lattice_contract(teacher), name);
  made.parameters_ = parameters;
  made.parameters_.stored += code.own.numbers();
  made.whole_energy_ = energy;
  return made;
}

LatticeEmbedding LatticeEmbedding::decode(std::span<const std::uint8_t> payload, Contract contract,
                                          const std::string& where, const Acting& acting) {
  LatticeCode code = decode_lattice(payload, where);
  const std::size_t rows = code.cells(), columns = static_cast<std::size_t>(code.actions.cells());
  // Factors need no table, and say by their number that the columns are not made up.
  const bool factored = code.basis == "svd" || code.basis.starts_with("svd:");
  constexpr std::size_t most_entries = std::size_t{1} << 28, most_columns = std::size_t{1} << 24;
  const bool fits = rows > 0 && columns <= most_entries / rows;
  if (rows == 0 || columns == 0 || (!fits && (!factored || code.k == 0 || columns > most_columns))) {
    throw_corrupt(where, "has a table of a size that is not legal");
  }
  auto cells = std::make_shared<Cells>(code.states, code.bins, std::vector<std::uint64_t>(rows, 1));
  const TableLayout layout = layout_of(code, *cells, where);
  LatticeEmbedding made;
  made.payload_.assign(payload.begin(), payload.end());
  made.basis_ = code.basis;
  made.k_ = code.k;
  const auto act = [&](auto table) {
    made.policy_ = std::make_shared<LatticePolicy>(where, std::move(contract), std::move(cells), code.actions,
                                                   std::move(table), code.play, code.own, acting);
  };
  if (acting.from == RowsFrom::coefficients || !fits) {
    act(CoefficientTable{
        evaluate(code, layout, where), columns, {layout.places.begin(), layout.places.end()}, code.simplex});
  } else {
    PolicyTable table{rows, columns, reconstruct(code, layout, where)};
    made.empty_rows_ = project_rows({table.pi.data(), rows, columns}, code.simplex);
    act(std::move(table));
  }
  made.numbers_ = std::move(code.numbers);
  return made;
}

std::vector<double> LatticeEmbedding::energies() const {
  std::vector<double> energies;
  if (parse_row_model(basis_)) return energies;
  if (basis_.starts_with("svd")) {  // the right factor's rows have length one, so the left one's columns tell
    energies.resize(k_);
    for (std::size_t i = 0; i < policy().cells().size() * k_; ++i) energies[i % k_] += std::pow(numbers_[i], 2);
  } else {
    for (const float number : numbers_) energies.push_back(std::pow(number, 2));
  }
  std::ranges::sort(energies, std::greater<>());
  return energies;
}

}  // namespace mercer
