#include "basis/table/mixture_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

constexpr std::size_t density_block = 512;

// Lower triangle with its diagonal inverted; throws where the matrix is not positive definite.
void factor(std::span<double> matrix, std::size_t d, std::size_t component) {
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * d + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * d + k] * matrix[j * d + k];
      if (i != j) {
        matrix[i * d + j] = sum * matrix[j * d + j];
      } else if (sum > 0) {
        matrix[i * d + i] = 1 / std::sqrt(sum);
      } else {
        throw Error(ErrorCode::out_of_range,
                    fmt::format("the covariance of component {} is not positive definite", component),
                    "Give symmetric matrices with positive eigenvalues");
      }
    }
  }
}

}  // namespace

std::size_t Mixture::parameters() const {
  const std::size_t d = dimensions;
  const std::size_t spread = covariance == Covariance::diagonal ? d : d * (d + 1) / 2;
  return size() == 0 ? 0 : size() - 1 + size() * (d + spread);
}

double log_sum_exp(std::span<const double> logarithms) {
  const double largest = *std::ranges::max_element(logarithms);
  if (!(largest > -HUGE_VAL)) return largest;
  double sum = 0;
  for (const double value : logarithms) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

void check_mixture(const Mixture& mixture) {
  const std::size_t k = mixture.size(), d = mixture.dimensions;
  if (k == 0 || d == 0) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("a mixture has {} components in {} dimensions", k, d),
                "Give at least one of each");
  }
  check_count("the list of means", mixture.means.size(), k * d);
  check_count("the list of variances", mixture.variances.size(),
              mixture.covariance == Covariance::diagonal ? k * d : k * d * d);
  check_finite("the list of means", mixture.means);
  check_finite("the list of variances", mixture.variances);
  check_distribution(mixture.weights, "the weights of a mixture");
  if (mixture.covariance == Covariance::full) return;  // checked when factored
  for (const double variance : mixture.variances) {
    if (variance > 0) continue;
    throw Error(ErrorCode::out_of_range, fmt::format("a variance is {}; legal: above 0", variance),
                "Give variances, not standard deviations or precisions");
  }
}

Components::Components(const Mixture& mixture) : d_(mixture.dimensions), means_(mixture.means) {
  const double half_log_turn = 0.5 * std::log(2 * std::numbers::pi);
  for (const double weight : mixture.weights) {
    constants_.push_back(std::log(weight) - static_cast<double>(d_) * half_log_turn);
  }
  if (mixture.covariance == Covariance::diagonal) {
    for (const double variance : mixture.variances) scales_.push_back(1 / std::sqrt(variance));
    for (std::size_t i = 0; i < scales_.size(); ++i) constants_[i / d_] += std::log(scales_[i]);
    return;
  }
  triangle_ = mixture.variances;
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    const std::span<double> matrix = std::span(triangle_).subspan(k * d_ * d_, d_ * d_);
    factor(matrix, d_, k);
    for (std::size_t i = 0; i < d_; ++i) constants_[k] += std::log(matrix[i * d_ + i]);
  }
}

void Components::log_terms(std::span<const double> x, std::span<double> centred, std::span<double> out) const {
  for (std::size_t k = 0; k < constants_.size(); ++k) {
    double squares = 0;
    const double* const mean = means_.data() + k * d_;
    if (triangle_.empty()) {
      const double* const scale = scales_.data() + k * d_;
      for (std::size_t i = 0; i < d_; ++i) {
        const double z = (x[i] - mean[i]) * scale[i];
        squares += z * z;
      }
    } else {
      const double* const lower = triangle_.data() + k * d_ * d_;
      for (std::size_t i = 0; i < d_; ++i) {
        double z = x[i] - mean[i];
        for (std::size_t j = 0; j < i; ++j) z -= lower[i * d_ + j] * centred[j];
        centred[i] = z * lower[i * d_ + i];
        squares += centred[i] * centred[i];
      }
    }
    out[k] = constants_[k] - 0.5 * squares;
  }
}

std::vector<double> log_density(const Mixture& mixture, MatrixView<const double> points) {
  check_mixture(mixture);
  check_count("a point", points.cols(), mixture.dimensions);
  const Components components(mixture);
  std::vector<double> result(points.rows());
  for_each_block(points.rows(), density_block, [&](Block block) {
    std::vector<double> terms(mixture.size()), centred(mixture.dimensions);
    for (std::size_t i = block.begin; i < block.end; ++i) {
      components.log_terms(points.row(i), centred, terms);
      result[i] = log_sum_exp(terms);
    }
  });
  return result;
}

}  // namespace mercer
