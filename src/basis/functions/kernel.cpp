#include <cmath>
#include <numbers>

#include "mercer/functions.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {

double kernel_value(Kernel kernel, double squared) {
  if (kernel == Kernel::gaussian) return std::exp(-0.5 * squared);
  if (kernel == Kernel::matern32) {
    const double root = std::sqrt(3 * squared);
    return (1 + root) * std::exp(-root);
  }
  const double root = std::sqrt(5 * squared);
  return (1 + root + squared * (5.0 / 3)) * std::exp(-root);
}

void kernel_matrix(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y,
                   MatrixView<double> out) {
  const double per_square = 1 / (length * length);
  for_each_block(x.cols(), 64, [&](Block block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const std::span<double> row = out.row(i);
      for (double& value : row) value = 0;
      for (std::size_t d = 0; d < x.rows(); ++d) {
        for (std::size_t j = 0; j < y.cols(); ++j) row[j] += (x(d, i) - y(d, j)) * (x(d, i) - y(d, j));
      }
      for (double& value : row) value = kernel_value(kernel, value * per_square);
    }
  });
}

double sobolev_kernel(std::span<const double> x, std::span<const double> y, double smoothness, std::size_t most) {
  std::vector<double> at_x(most + 1), at_y(most + 1);
  double product = 1;
  for (std::size_t d = 0; d < x.size(); ++d) {
    evaluate_family(Family::cosine, false, x[d], at_x);
    evaluate_family(Family::cosine, false, y[d], at_y);
    double sum = 0;
    for (std::size_t k = 0; k <= most; ++k) {
      sum += std::pow(1 + static_cast<double>(k * k), -smoothness) * at_x[k] * at_y[k];
    }
    product *= sum;
  }
  return product;
}

void random_feature(Kernel kernel, double length, std::uint64_t seed, std::size_t index, std::span<double> out) {
  Random random({seed, Stage::feature, index, 0});
  const std::size_t dimensions = out.size() - 1;
  out[dimensions] = 2 * std::numbers::pi * random.uniform();
  for (std::size_t d = 0; d < dimensions; ++d) out[d] = random.normal() / length;
  const int freedom = kernel == Kernel::gaussian ? 0 : kernel == Kernel::matern32 ? 3 : 5;
  if (freedom == 0) return;
  double chi = 0;
  for (int i = 0; i < freedom; ++i) {
    const double z = random.normal();
    chi += z * z;
  }
  for (std::size_t d = 0; d < dimensions; ++d) out[d] *= std::sqrt(freedom / chi);
}

}  // namespace mercer
