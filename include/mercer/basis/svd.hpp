#pragma once

#include <cstdint>

#include "mercer/basis/basis.hpp"

namespace mercer {

/// table = u diag(s) vt with orthonormal columns of u and rows of vt, singular values falling.
/// The largest entry (the first of equals, by magnitude) of each row of vt is positive, so signs are the same each
/// time.
struct Svd {
  std::size_t rows = 0, columns = 0, rank = 0;
  std::vector<double> u;   ///< rows x rank
  std::vector<double> s;   ///< rank
  std::vector<double> vt;  ///< rank x columns
};

/// The thin decomposition, rank = min(rows, columns). O(rows columns min(rows, columns)): QR first, then divide and
/// conquer on the triangle.
Svd svd(MatrixView<const double> table);
/// The leading `rank` triples (1 to min(rows, columns)).
Svd truncated_svd(MatrixView<const double> table, std::size_t rank);

struct SketchOptions {
  std::size_t oversample = 10;  ///< 0 to 1000 random directions beyond the rank
  std::size_t powers = 2;       ///< 0 to 20 passes that sharpen the range; more for slowly falling singular values
  std::uint64_t seed = 0;
};
/// The leading triples from a random sketch of the range: O(rows columns rank), close but not exact.
Svd randomised_svd(MatrixView<const double> table, std::size_t rank, const SketchOptions& options = {});

struct SvdOptions {
  std::size_t rank = 0;     ///< 1 to min(n, m); 0: all, and min(n, m) for tables where it is smaller
  bool centred = false;     ///< factor table - 1/m and add 1/m back: rows keep their mass at any rank
  bool weighted = false;    ///< weigh rows by how often they are visited, so that errors there count more
  bool randomised = false;  ///< `randomised_svd` with the options below
  SketchOptions sketch = {};
};

/// What rank k of a table of n x m costs: (n + m) k stored numbers; m k + k^2 + n k as published.
ParameterCount svd_parameters(std::size_t rows, std::size_t columns, std::size_t k);

/// The table's own best basis: term k is s_k u_k v_k^T, so K is a rank. The rank costs (n + m) K stored numbers (s goes
/// into u); the published count is m K + K^2 + n K. Tables with more axes are taken as rows x columns.
class SvdBasis final : public Basis {
 public:
  explicit SvdBasis(SvdOptions options = {});

  std::string name() const override;
  /// Visitation weights are normalised; rows never visited still get a thousandth of an even share.
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  /// c_k = u_k^T (table - centre) v_k: the singular values for the table it was trained on.
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  ParameterCount parameters(std::size_t k) const override;
  /// O(K m) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override { return true; }
  std::size_t size() const override { return factors_.rank; }
  const Svd& factors() const { return factors_; }
  const SvdOptions& options() const { return options_; }

 private:
  SvdOptions options_;
  Svd factors_;                 // u is that of the weighted table
  std::vector<double> scales_;  // square roots of row weights; empty: all one
  double centre_ = 0;
};

}  // namespace mercer
