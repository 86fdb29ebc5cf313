#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <Eigen/Core>

#include "basis/table/svd_eigen.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

Eigen::Map<const RowMajorMatrix> mapped(std::span<const double> values, std::size_t rows, std::size_t columns) {
  return {values.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

// Square roots of the weights, scaled to a mean of one before the root.
std::vector<double> scales_of(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) {
    throw Error(ErrorCode::missing_option, "a weighted SVD was given no weights",
                "Pass how often each row is visited, or leave 'weighted' out");
  }
  check_count("the list of row weights", weights.size(), rows);
  check_finite("the list of row weights", weights);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (*std::ranges::min_element(weights) < 0 || !(sum > 0)) {
    throw Error(ErrorCode::bad_distribution, "row weights are negative or all zero",
                "Give how often each row is visited");
  }
  // Without a floor rows that were never visited would be free to become anything.
  constexpr double floor = 1e-3;
  std::vector<double> scales;
  for (const double weight : weights) {
    scales.push_back(std::sqrt(weight / sum * static_cast<double>(rows) + floor));
  }
  return scales;
}

// Rows of u (unscaled, times their coefficients) and the v that they multiply: a row is u_r v.
class SvdRows final : public RowEvaluator {
 public:
  SvdRows(const Svd& factors, std::span<const double> scales, double centre, std::span<const double> coefficients,
          std::span<const std::size_t> kept)
      : rank_(kept.size()), columns_(factors.columns), centre_(centre) {
    std::vector<std::size_t> order(kept.begin(), kept.end());
    std::ranges::sort(order);
    for (std::size_t row = 0; row < factors.rows; ++row) {
      const double scale = scales.empty() ? 1 : scales[row];
      for (const std::size_t k : order) u_.push_back(factors.u[row * factors.rank + k] * coefficients[k] / scale);
    }
    for (const std::size_t k : order) {
      vt_.insert(vt_.end(), factors.vt.begin() + static_cast<std::ptrdiff_t>(k * columns_),
                 factors.vt.begin() + static_cast<std::ptrdiff_t>((k + 1) * columns_));
    }
  }

  void row(std::size_t row, std::span<double> out) const override {
    assert(out.size() == columns_);
    std::ranges::fill(out, centre_);
    for (std::size_t k = 0; k < rank_; ++k) {
      const double weight = u_[row * rank_ + k];
      const double* const v = vt_.data() + k * columns_;
      for (std::size_t column = 0; column < columns_; ++column) out[column] += weight * v[column];
    }
  }

  double entry(std::size_t row, std::size_t column) const override {
    double value = centre_;
    for (std::size_t k = 0; k < rank_; ++k) value += u_[row * rank_ + k] * vt_[k * columns_ + column];
    return value;
  }

 private:
  std::size_t rank_, columns_;
  double centre_;
  std::vector<double> u_, vt_;
};

}  // namespace

SvdBasis::SvdBasis(SvdOptions options) : options_(options) {}

std::string SvdBasis::name() const {
  BasisSpec spec;
  spec.family = BasisFamily::svd;
  spec.svd = options_;
  return to_text(spec);
}

void SvdBasis::train(const Table& table, std::span<const double> row_weights) {
  fix_shape(table);
  const std::size_t rows = table.rows(), columns = table.columns();
  const std::size_t most = std::min(rows, columns);
  const std::size_t rank = options_.rank == 0 ? most : std::min(options_.rank, most);
  centre_ = options_.centred ? 1 / static_cast<double>(columns) : 0;
  scales_ = options_.weighted ? scales_of(row_weights, rows) : std::vector<double>();
  std::vector<double> values = table.values;
  for (std::size_t row = 0; row < rows; ++row) {
    const double scale = scales_.empty() ? 1 : scales_[row];
    for (std::size_t column = 0; column < columns; ++column) {
      double& value = values[row * columns + column];
      value = (value - centre_) * scale;
    }
  }
  const MatrixView<const double> view(values.data(), rows, columns);
  factors_ = options_.randomised ? randomised_svd(view, rank, options_.sketch) : truncated_svd(view, rank);
}

std::vector<double> SvdBasis::apply(std::span<const double> table) const {
  check_values(table);
  RowMajorMatrix centred = mapped(table, factors_.rows, factors_.columns).array() - centre_;
  if (!scales_.empty()) {
    centred.array().colwise() *= Eigen::Map<const Eigen::ArrayXd>(scales_.data(), centred.rows());
  }
  const RowMajorMatrix met = centred * mapped(factors_.vt, factors_.rank, factors_.columns).transpose();
  const Eigen::RowVectorXd coefficients =
      met.cwiseProduct(mapped(factors_.u, factors_.rows, factors_.rank)).colwise().sum();
  return {coefficients.data(), coefficients.data() + coefficients.size()};
}

std::vector<double> SvdBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> table(factors_.rows * factors_.columns);
  const Eigen::Map<const Eigen::VectorXd> diagonal(coefficients.data(), static_cast<Eigen::Index>(coefficients.size()));
  RowMajorMatrix u = mapped(factors_.u, factors_.rows, factors_.rank) * diagonal.asDiagonal();
  if (!scales_.empty()) u.array().colwise() /= Eigen::Map<const Eigen::ArrayXd>(scales_.data(), u.rows());
  Eigen::Map<RowMajorMatrix> out(table.data(), u.rows(), static_cast<Eigen::Index>(factors_.columns));
  out.noalias() = u * mapped(factors_.vt, factors_.rank, factors_.columns);
  out.array() += centre_;
  return table;
}

std::vector<Term> SvdBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Term> terms;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    terms.push_back({k, k, coefficients[k] * coefficients[k], 1, false});
  }
  return terms;
}

ParameterCount svd_parameters(std::size_t rows, std::size_t columns, std::size_t k) {
  return {columns * k + k * k + rows * k, (rows + columns) * k};
}

ParameterCount SvdBasis::parameters(std::size_t k) const { return svd_parameters(factors_.rows, factors_.columns, k); }

std::unique_ptr<RowEvaluator> SvdBasis::evaluator(std::span<const double> coefficients,
                                                  std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<SvdRows>(factors_, scales_, centre_, coefficients, kept);
}

}  // namespace mercer
