#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/basis/table.hpp"
#include "mercer/basis/term.hpp"

namespace mercer {

/// Values of a table from its kept coefficients alone, without rebuilding the table. Const: any number of threads share
/// one. Nothing allocates per call once a thread has made its first.
class RowEvaluator {
 public:
  virtual ~RowEvaluator() = default;

  /// All columns of one row, before any projection to the simplex. `out` has one place per column.
  virtual void row(std::size_t row, std::span<double> out) const = 0;
  virtual double entry(std::size_t row, std::size_t column) const = 0;
};

/// A way to write a table as coefficients: train once, then apply and reverse.
///
///     auto basis = make_basis("fourier");
///     basis->train(table);
///     std::vector<double> coefficients = basis->apply(table.values);
///     Truncation truncation(basis->terms(coefficients));
///     std::vector<double> smaller = keep_only(coefficients, truncation.kept(500));
///     Table approximation{table.shape, basis->reverse(smaller)};
///
/// Coefficients are real, and for an orthonormal basis their squares sum to the table's.
class Basis {
 public:
  virtual ~Basis() = default;

  /// The text that makes this basis again.
  virtual std::string name() const = 0;

  /// Fixes the shape and, where the basis depends on data, learns from the table. `row_weights` (how often each row is
  /// visited; empty: all the same) matter only to bases that say so.
  virtual void train(const Table& table, std::span<const double> row_weights = {}) = 0;

  /// Coefficients of a table of the trained shape: `size()` numbers.
  virtual std::vector<double> apply(std::span<const double> table) const = 0;
  /// The table of these coefficients, zeros for those that were dropped.
  virtual std::vector<double> reverse(std::span<const double> coefficients) const = 0;

  /// Which coefficients belong together and what each group weighs, by rising index.
  virtual std::vector<Term> terms(std::span<const double> coefficients) const = 0;
  /// The cost of keeping `k` (for the SVD a rank, otherwise coefficients).
  virtual ParameterCount parameters(std::size_t k) const { return {k, k}; }

  /// Evaluates from the coefficients at `kept` (indices, each once, in any order); the others count as zero.
  virtual std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                                  std::span<const std::size_t> kept) const = 0;

  /// Whether energies of dropped terms add up to the squared error (for a weighted SVD: to the weighted one).
  virtual bool orthonormal() const { return true; }

  const std::vector<std::size_t>& shape() const { return shape_; }
  virtual std::size_t size() const = 0;  ///< number of coefficients

 protected:
  /// Checks values and remembers the shape.
  void fix_shape(const Table& table);
  /// Throws unless `train` was called and the count is right; what `apply` and `reverse` call first.
  void check_values(std::span<const double> table) const;
  void check_coefficients(std::span<const double> coefficients) const;
  /// Checks `kept` too.
  void check_kept(std::span<const double> coefficients, std::span<const std::size_t> kept) const;

 private:
  std::vector<std::size_t> shape_;
};

/// A copy with zeros everywhere but at `kept`.
std::vector<double> keep_only(std::span<const double> coefficients, std::span<const std::size_t> kept);

/// A basis from a short text: "fourier", "dct", "haar", "db1" to "db10" (":mode=symmetric,level=2" or ":tensor"), "svd"
/// (":centred,weighted,rank=20,randomised"). See docs/bases.md. Throws `unknown_name` with the nearest known name.
/// `seed` is used by the randomised SVD only.
std::unique_ptr<Basis> make_basis(std::string_view spec, std::uint64_t seed = 0);

/// The names that `make_basis` knows, without settings.
std::vector<std::string> known_bases();

}  // namespace mercer
