#include "mercer/embed/lattice_embedding.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "embed/factor_rows.hpp"
#include "embed/lattice_code.hpp"
#include "io/corrupt.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/basis/truncation.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

std::vector<double> reordered(const PolicyTable& table, const std::vector<std::size_t>& order) {
  std::vector<double> values;
  values.reserve(table.pi.size());
  for (const std::size_t row : order) values.insert(values.end(), table.row(row).begin(), table.row(row).end());
  return values;
}

double centre_of(const SvdBasis& svd, std::size_t columns) {
  return svd.options().centred ? 1 / static_cast<double>(columns) : 0;
}

// A rank-k table is left * right. The right factor's rows are orthonormal, so the best left one is the table times its
// transpose, whatever weights the right one was found with.
void keep_rank(const SvdBasis& svd, const Table& table, LatticeCode& code) {
  const std::size_t columns = table.columns();
  const double centre = centre_of(svd, columns);
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
}

void keep_largest(const Basis& basis, const Table& table, LatticeCode& code) {
  const std::vector<double> coefficients = basis.apply(table.values);
  code.kept = Truncation(basis.terms(coefficients)).kept(code.k);
  for (const std::size_t index : code.kept) code.numbers.push_back(static_cast<float>(coefficients[index]));
}

void check_factors(const LatticeCode& code, std::size_t rows, std::size_t columns, const std::string& where) {
  if (code.k > code.numbers.size() || code.numbers.size() != code.k * (rows + columns)) {
    throw_corrupt(where, "has factors that do not fit its table");
  }
}

// All coefficients of a basis that is made ready for the table, zeros for those that were dropped.
std::vector<double> coefficients_of(const LatticeCode& code, Basis& basis, std::size_t rows, std::size_t columns,
                                    const std::string& where) {
  basis.train({{rows, columns}, std::vector<double>(rows * columns)});
  if (code.numbers.size() != code.kept.size() || (!code.kept.empty() && code.kept.back() >= basis.size())) {
    throw_corrupt(where, "has coefficients that its basis does not");
  }
  std::vector<double> coefficients(basis.size());
  for (std::size_t i = 0; i < code.kept.size(); ++i) coefficients[code.kept[i]] = code.numbers[i];
  return coefficients;
}

// Rows one by one, in the order of the code.
std::shared_ptr<const RowEvaluator> evaluate(const LatticeCode& code, std::size_t rows, std::size_t columns,
                                             const std::string& where) {
  const std::unique_ptr<Basis> basis = make_basis(code.basis);
  if (const auto* svd = dynamic_cast<const SvdBasis*>(basis.get())) {
    check_factors(code, rows, columns, where);
    return std::make_shared<FactorRows>(code.numbers, rows, columns, code.k, centre_of(*svd, columns));
  }
  const std::vector<double> coefficients = coefficients_of(code, *basis, rows, columns, where);
  return basis->evaluator(coefficients, code.kept);
}

// All rows, in the order of the code, before they are distributions again.
std::vector<double> reconstruct(const LatticeCode& code, std::size_t rows, std::size_t columns,
                                const std::string& where) {
  const std::unique_ptr<Basis> basis = make_basis(code.basis);
  if (dynamic_cast<const SvdBasis*>(basis.get()) == nullptr) {
    return basis->reverse(coefficients_of(code, *basis, rows, columns, where));
  }
  const std::shared_ptr<const RowEvaluator> factors = evaluate(code, rows, columns, where);
  std::vector<double> values(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) factors->row(r, std::span(values).subspan(r * columns, columns));
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

}  // namespace

LatticeEmbedding LatticeEmbedding::make(const Policy& teacher, const Lattice& lattice, const LatticePlay& play,
                                        const TruncationOptions& options, std::uint64_t seed) {
  LatticeCode code;
  code.states = lattice.cells->grid();
  for (std::size_t c = 0; c < lattice.cells->size(); ++c) {
    for (std::size_t d = 0; d < code.states.dimensions(); ++d) {
      code.bins.push_back(static_cast<std::uint32_t>(lattice.cells->bin(c, d)));
    }
  }
  code.discrete = teacher.action_space().is_discrete();
  code.actions = lattice.actions;
  code.play = play;
  code.simplex = options.simplex;
  code.order = options.order;
  code.rows = order_rows(*lattice.cells, lattice.table, lattice.actions, options.order);

  const Table table{{lattice.table.rows, lattice.table.cols}, reordered(lattice.table, code.rows)};
  const std::unique_ptr<Basis> basis = make_basis(options.basis, seed);
  std::vector<double> weights = lattice.visits(), ordered_weights;
  for (const std::size_t row : code.rows) ordered_weights.push_back(weights[row]);
  basis->train(table, ordered_weights);
  const auto* svd = dynamic_cast<const SvdBasis*>(basis.get());
  code.basis = basis->name();
  code.k = options.k > 0 ? options.k : std::max<std::size_t>(1, basis->size() / 2);
  require_in_range(fmt::format("k for basis '{}'", code.basis), static_cast<double>(code.k), 1,
                   static_cast<double>(basis->size()), "0 keeps half of them");
  if (svd != nullptr) {
    keep_rank(*svd, table, code);
  } else {
    keep_largest(*basis, table, code);
  }
  const LatticePolicy shape = lattice_policy("", teacher, lattice, lattice.table, play);
  const std::string name = fmt::format("{} ({} {})", teacher.name(), code.basis, code.k);
  LatticeEmbedding made = decode(encode(code), shape.contract(), name);
  made.parameters_ = basis->parameters(code.k);
  return made;
}

LatticeEmbedding LatticeEmbedding::decode(std::span<const std::uint8_t> payload, Contract contract,
                                          const std::string& where, const Acting& acting) {
  const LatticeCode code = decode_lattice(payload, where);
  const std::size_t rows = code.cells(), columns = static_cast<std::size_t>(code.actions.cells());
  if (rows == 0 || columns == 0 || columns > (std::size_t{1} << 28) / rows) {
    throw_corrupt(where, "has a table of a size that is not legal");
  }
  auto cells = std::make_shared<Cells>(code.states, code.bins, std::vector<std::uint64_t>(rows, 1));
  const std::vector<std::size_t> order = rows_of(code, *cells, where);

  LatticeEmbedding made;
  made.payload_.assign(payload.begin(), payload.end());
  made.basis_ = code.basis;
  made.k_ = code.k;
  made.numbers_ = code.numbers;
  const auto act = [&](auto table) {
    made.policy_ = std::make_shared<LatticePolicy>(where, std::move(contract), std::move(cells), code.actions,
                                                   std::move(table), code.play, acting);
  };
  if (acting.from == RowsFrom::coefficients) {
    CoefficientTable table{evaluate(code, rows, columns, where), columns, std::vector<std::uint32_t>(rows),
                           code.simplex};
    for (std::size_t i = 0; i < rows; ++i) table.place[order[i]] = static_cast<std::uint32_t>(i);
    act(std::move(table));
    return made;
  }
  std::vector<double> values = reconstruct(code, rows, columns, where);
  made.empty_rows_ = project_rows({values.data(), rows, columns}, code.simplex);
  PolicyTable table{rows, columns, std::vector<double>(rows * columns)};
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * columns), columns, table.row(order[i]).begin());
  }
  act(std::move(table));
  return made;
}

}  // namespace mercer
