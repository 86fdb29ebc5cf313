#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "embed/lattice/row_model.hpp"
#include "embed/lattice/truncate_table.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"
#include "mercer/error.hpp"

namespace mercer {

/// Rows of centre + left * right from the stored factors: O(rank columns) a row, O(rank) an entry.
class FactorRows final : public RowEvaluator {
 public:
  /// `numbers`: left (rows x rank), then right (rank x columns), rank * (rows + columns) in all.
  FactorRows(std::vector<float> numbers, std::size_t rows, std::size_t columns, std::size_t rank, double centre)
      : numbers_(std::move(numbers)), rows_(rows), columns_(columns), rank_(rank), centre_(centre) {}

  void row(std::size_t row, std::span<double> out) const override {
    for (double& value : out) value = centre_;
    for (std::size_t i = 0; i < rank_; ++i) {
      const double left = numbers_[row * rank_ + i];
      const float* const right = this->right() + i * columns_;
      for (std::size_t c = 0; c < columns_; ++c) out[c] += left * right[c];
    }
  }
  double entry(std::size_t row, std::size_t column) const override {
    double value = centre_;
    for (std::size_t i = 0; i < rank_; ++i) {
      value += static_cast<double>(numbers_[row * rank_ + i]) * right()[i * columns_ + column];
    }
    return value;
  }

 private:
  const float* right() const { return numbers_.data() + rows_ * rank_; }

  std::vector<float> numbers_;
  std::size_t rows_, columns_, rank_;
  double centre_;
};

/// Rows that are made of several rows of another evaluator, one after the other: where actions have more than one axis,
/// a basis calls the last of them a row.
class JoinedRows final : public RowEvaluator {
 public:
  /// A row is `count` rows of `columns` each.
  JoinedRows(std::shared_ptr<const RowEvaluator> parts, std::size_t count, std::size_t columns)
      : parts_(std::move(parts)), count_(count), columns_(columns) {}

  void row(std::size_t row, std::span<double> out) const override {
    for (std::size_t p = 0; p < count_; ++p) parts_->row(row * count_ + p, out.subspan(p * columns_, columns_));
  }
  double entry(std::size_t row, std::size_t column) const override {
    return parts_->entry(row * count_ + column / columns_, column % columns_);
  }

 private:
  std::shared_ptr<const RowEvaluator> parts_;
  std::size_t count_, columns_;
};

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
  if (code.basis.row_by_row()) return model_rows(code, where);
  if (code.basis.family == BasisFamily::svd) {
    check_factors(code, layout, where);
    return std::make_shared<FactorRows>(code.numbers, layout.rows, layout.columns, code.k,
                                        svd_centre(code.basis.svd, layout.columns));
  }
  const std::unique_ptr<Basis> basis = make_basis(code.basis);
  const std::vector<double> coefficients = coefficients_of(code, *basis, layout, where);
  auto rows = basis->evaluator(coefficients, code.kept);
  const std::size_t last = layout.shape.back();
  if (last == layout.columns) return rows;
  return std::make_shared<JoinedRows>(std::move(rows), layout.columns / last, last);
}

// The rows of all cells, before they are distributions again. A basis is fastest with all of them at once.
std::vector<double> reconstruct(const LatticeCode& code, const TableLayout& layout, const std::string& where) {
  if (!code.basis.row_by_row() && code.basis.family != BasisFamily::svd) {
    const std::unique_ptr<Basis> basis = make_basis(code.basis);
    return gather(basis->reverse(coefficients_of(code, *basis, layout, where)), layout);
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
    if (row >= seen.size() || seen[row]) throw_corrupt(where, "has an order of rows that is not a permutation");
    seen[row] = true;
  }
  return code.rows;
}

TableLayout layout_of(const LatticeCode& code, const Cells& cells, const std::string& where) {
  const auto columns = static_cast<std::size_t>(code.actions.cells());
  if (code.basis.row_by_row()) return list_layout(order_rows(cells, {}, {}, RowOrder::lexicographic), columns);
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
  code.basis = options.basis;
  return code;
}

}  // namespace

std::vector<std::string> known_lattice_bases() {
  std::vector<std::string> names = known_bases();
  for (std::string& name : known_row_models()) names.push_back(std::move(name));
  return names;
}

LatticeEmbedding LatticeEmbedding::make(const Policy& teacher, const Lattice& lattice, const LatticePlay& play,
                                        const TruncationOptions& options, std::uint64_t seed) {
  LatticeCode code = begin_code(teacher, lattice, play, options);
  const bool probabilities = options.basis.row_by_row() || options.basis.family == BasisFamily::printed_fourier;
  if (probabilities && options.simplex == SimplexRule::softmax) {
    throw Error(ErrorCode::bad_value,
                fmt::format("basis '{}' with softmax: it keeps probabilities, not logits", to_text(options.basis)),
                "Take a basis such as dct, or another rule back to probabilities: clip or euclidean");
  }
  KeptTable kept;
  if (options.basis.row_by_row()) {
    code.k = options.k > 0 ? options.k : usual_k(options.basis.family, lattice.table.cols);
    keep_rows(lattice.table, seed, code);
    kept.parameters = row_parameters(code);
  } else {
    kept = truncate_table(lattice, options, seed, code);
  }
  const std::string name = fmt::format("{} ({} {})", teacher.name(), to_text(code.basis), code.k);
  LatticeEmbedding made = decode(encode(code), lattice_contract(teacher), name);
  made.parameters_ = kept.parameters;
  made.parameters_.stored += code.own.numbers();
  made.whole_energy_ = kept.energy;
  return made;
}

LatticeEmbedding LatticeEmbedding::decode(std::span<const std::uint8_t> payload, Contract contract,
                                          const std::string& where, const Acting& acting) {
  LatticeCode code = decode_lattice(payload, where);
  const std::size_t rows = code.cells(), columns = static_cast<std::size_t>(code.actions.cells());
  // Factors need no table, and say by their number that the columns are not made up.
  const bool factored = code.basis.family == BasisFamily::svd;
  const std::size_t most_entries =
      std::min(limits::lattice_most, std::max(limits::lattice_entries, payload.size() * limits::lattice_inflation));
  constexpr std::size_t most_columns = std::size_t{1} << 24;
  const bool fits = rows > 0 && columns <= most_entries / rows;
  if (rows == 0 || columns == 0) throw_corrupt(where, "has a table without entries");
  if (!fits && (!factored || code.k == 0 || columns > most_columns)) {
    throw Error(ErrorCode::too_large,
                fmt::format("'{}' has a table of {} states and {} actions; legal for {} bytes: {} entries", where, rows,
                            columns, payload.size(), most_entries),
                "Take fewer action bins");
  }
  auto cells = std::make_shared<Cells>(code.states, code.bins, std::vector<std::uint64_t>(rows, 1));
  const TableLayout layout = layout_of(code, *cells, where);
  LatticeEmbedding made;
  made.payload_.assign(payload.begin(), payload.end());
  made.spec_ = code.basis;
  made.k_ = code.k;
  const auto act = [&](auto table) {
    auto policy = std::make_shared<LatticePolicy>(where, std::move(contract), std::move(cells), code.actions,
                                                  std::move(table), code.play, code.own, acting);
    if (fits) policy->set_origin({code.basis, code.simplex, layout.shape, layout.places});
    made.policy_ = std::move(policy);
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
  if (spec_.row_by_row()) return energies;
  if (spec_.family == BasisFamily::svd) {  // the right factor's rows have length one: the energy is in the left one
    energies.resize(k_);
    for (std::size_t i = 0; i < policy().cells().size() * k_; ++i) energies[i % k_] += std::pow(numbers_[i], 2);
  } else {
    for (const float number : numbers_) energies.push_back(std::pow(number, 2));
  }
  std::ranges::sort(energies, std::greater<>());
  return energies;
}

}  // namespace mercer
