#include "mercer/embed/lattice_embedding.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

std::vector<double> multiply(const LatticeCode& code, const SvdBasis& svd, std::size_t rows, std::size_t columns,
                             const std::string& where) {
  if (code.numbers.size() != code.k * (rows + columns)) throw_corrupt(where, "has factors that do not fit its table");
  std::vector<double> values(rows * columns, svd_centre(svd, columns));
  const float* right = code.numbers.data() + rows * code.k;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < code.k; ++i) {
      const double left = code.numbers[r * code.k + i];
      for (std::size_t c = 0; c < columns; ++c) values[r * columns + c] += left * right[i * columns + c];
    }
  }
  return values;
}

std::vector<double> reconstruct(const LatticeCode& code, Basis& basis, const TableLayout& layout,
                                const std::string& where) {
  if (const auto* svd = dynamic_cast<const SvdBasis*>(&basis)) {
    return multiply(code, *svd, layout.rows, layout.columns, where);
  }
  basis.train({layout.shape, std::vector<double>(layout.rows * layout.columns)});
  if (code.numbers.size() != code.kept.size() || (!code.kept.empty() && code.kept.back() >= basis.size())) {
    throw_corrupt(where, "has coefficients that its basis does not");
  }
  std::vector<double> coefficients(basis.size());
  for (std::size_t i = 0; i < code.kept.size(); ++i) coefficients[code.kept[i]] = code.numbers[i];
  return basis.reverse(coefficients);
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
  return code.order == RowOrder::axes
             ? axes_layout(cells, code.actions)
             : list_layout(rows_of(code, cells, where), static_cast<std::size_t>(code.actions.cells()));
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
  const LatticePolicy shape = lattice_policy("", teacher, lattice, lattice.table, play);
  LatticeEmbedding made = decode(encode(code), shape.contract(), teacher.name());
  made.parameters_ = parameters;
  made.parameters_.stored += code.own.numbers();
  made.whole_energy_ = energy;
  return made;
}

LatticeEmbedding LatticeEmbedding::decode(std::span<const std::uint8_t> payload, Contract contract,
                                          const std::string& where) {
  const LatticeCode code = decode_lattice(payload, where);
  const std::size_t rows = code.cells(), columns = static_cast<std::size_t>(code.actions.cells());
  if (rows == 0 || columns == 0 || columns > (std::size_t{1} << 28) / rows) {
    throw_corrupt(where, "has a table of a size that is not legal");
  }
  auto cells = std::make_shared<Cells>(code.states, code.bins, std::vector<std::uint64_t>(rows, 1));
  PolicyTable table{rows, columns, {}};
  if (const auto model = parse_row_model(code.basis)) {
    table.pi = rows_from(*model, code, where);
  } else {
    const TableLayout layout = layout_of(code, *cells, where);
    const std::unique_ptr<Basis> basis = make_basis(code.basis);
    table.pi = gather(reconstruct(code, *basis, layout, where), layout);
  }
  LatticeEmbedding made;
  made.empty_rows_ = project_rows({table.pi.data(), rows, columns}, code.simplex);
  made.payload_.assign(payload.begin(), payload.end());
  made.basis_ = code.basis;
  made.k_ = code.k;
  made.numbers_ = code.numbers;
  made.policy_ =
      std::make_shared<LatticePolicy>(fmt::format("{} ({} {})", where, code.basis, code.k), std::move(contract),
                                      std::move(cells), code.actions, std::move(table), code.play, code.own);
  return made;
}

std::vector<double> LatticeEmbedding::energies() const {
  std::vector<double> energies;
  if (parse_row_model(basis_)) return energies;
  if (basis_.starts_with("svd")) {  // the right factor's rows have length one, so the left one's columns tell
    energies.resize(k_);
    for (std::size_t i = 0; i < table().rows * k_; ++i) energies[i % k_] += std::pow(numbers_[i], 2);
  } else {
    for (const float number : numbers_) energies.push_back(std::pow(number, 2));
  }
  std::ranges::sort(energies, std::greater<>());
  return energies;
}

}  // namespace mercer
