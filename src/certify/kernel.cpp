#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mercer/basis.hpp"
#include "mercer/certify.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using std::numbers::pi;

// Frequencies of the real Fourier functions: 0, 1, 1, 2, 2, ...
std::size_t frequency(std::size_t k) { return (k + 1) / 2; }

void fill_fourier(ActionKernel& kernel) {
  const auto m = static_cast<double>(kernel.m);
  for (std::size_t k = 0; k < kernel.m; ++k) {
    const bool single = k == 0 || 2 * frequency(k) == kernel.m;
    const double scale = std::sqrt((single ? 1 : 2) / m);
    for (std::size_t a = 0; a < kernel.m; ++a) {
      // Angles are reduced first, so that large frequencies stay exact.
      const double turn = 2 * pi * static_cast<double>(frequency(k) * a % kernel.m) / m;
      kernel.e[k * kernel.m + a] = scale * (k % 2 == 1 || k == 0 ? std::cos(turn) : std::sin(turn));
    }
  }
}

void fill_cosine(ActionKernel& kernel) {
  const auto m = static_cast<double>(kernel.m);
  for (std::size_t k = 0; k < kernel.m; ++k) {
    const double step = pi * static_cast<double>(k) / (2 * m);
    kernel.lambda[k] = 1 / (1 + 4 * std::sin(step) * std::sin(step));
    for (std::size_t a = 0; a < kernel.m; ++a) {
      kernel.e[k * kernel.m + a] = std::sqrt((k == 0 ? 1 : 2) / m) * std::cos(step * static_cast<double>(2 * a + 1));
    }
  }
}

void fill_haar(ActionKernel& kernel) {
  const std::size_t m = kernel.m;
  if (!std::has_single_bit(m)) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("Haar's wavelets on {} actions", m),
                "Take a power of two, or another kernel");
  }
  std::fill_n(kernel.e.begin(), m, 1 / std::sqrt(static_cast<double>(m)));
  for (std::size_t k = 1; k < m; ++k) {
    const auto scale = static_cast<std::size_t>(std::bit_width(k) - 1);
    const std::size_t width = m >> scale, begin = (k - (std::size_t{1} << scale)) * width;
    kernel.lambda[k] = std::pow(4.0, -static_cast<double>(scale));
    for (std::size_t i = 0; i < width; ++i) {
      kernel.e[k * m + begin + i] = (i < width / 2 ? 1 : -1) / std::sqrt(static_cast<double>(width));
    }
  }
}

void fill_svd(ActionKernel& kernel, std::span<const double> rows) {
  const std::size_t m = kernel.m;
  if (rows.empty() || rows.size() % m != 0) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("a table of {} numbers for {} actions", rows.size(), m),
                "Give the table whose singular vectors are meant");
  }
  // Rows of zeros change no singular value and make the matrix tall, so that all m right vectors are there.
  std::vector<double> tall(rows.begin(), rows.end());
  tall.resize(std::max(rows.size(), m * m));
  const Svd factors = svd(MatrixView<const double>(tall.data(), tall.size() / m, m));
  kernel.e = factors.vt;
  const double least = 1e-12 * factors.s.front() * factors.s.front();
  for (std::size_t k = 0; k < m; ++k) kernel.lambda[k] = std::max(least, factors.s[k] * factors.s[k]);
}

}  // namespace

ActionKernel make_action_kernel(ActionKernelKind kind, std::size_t m, std::span<const double> rows) {
  require_in_range("the number of actions", static_cast<double>(m), 1, 1e4, "Give at least one action");
  ActionKernel kernel{kind, m, std::vector<double>(m * m), std::vector<double>(m, 1.0), {}, 0};
  switch (kind) {
    case ActionKernelKind::identity:
    case ActionKernelKind::sobolev:
    case ActionKernelKind::fourier:
      fill_fourier(kernel);
      for (std::size_t k = 0; k < m && kind != ActionKernelKind::identity; ++k) {
        const auto f = static_cast<double>(frequency(k));
        const double sine = std::sin(pi * f / static_cast<double>(m));
        kernel.lambda[k] = kind == ActionKernelKind::sobolev ? 1 / ((1 + f) * (1 + f)) : 1 / (1 + 4 * sine * sine);
      }
      break;
    case ActionKernelKind::dct:
      fill_cosine(kernel);
      break;
    case ActionKernelKind::haar:
      fill_haar(kernel);
      break;
    case ActionKernelKind::svd:
      fill_svd(kernel, rows);
      break;
    case ActionKernelKind::wavelet:
      return *kernel_of_basis("db4:tensor", m);
  }
  std::vector<double> lambda = kernel.lambda;
  return with_eigenvalues(std::move(kernel), std::move(lambda));
}

ActionKernel with_eigenvalues(ActionKernel kernel, std::vector<double> lambda) {
  if (lambda.size() != kernel.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} eigenvalues for {} functions", lambda.size(), kernel.size()),
                "Give one for each function");
  }
  kernel.lambda = std::move(lambda);
  kernel.diagonal.assign(kernel.m, 0);
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    require_in_range("an eigenvalue", kernel.lambda[k], 1e-300, 1e300, "Eigenvalues of a kernel are positive");
    for (std::size_t a = 0; a < kernel.m; ++a) {
      const double value = kernel.e[k * kernel.m + a];
      kernel.diagonal[a] += kernel.lambda[k] * value * value;
    }
  }
  kernel.M = std::sqrt(std::ranges::max(kernel.diagonal));
  return kernel;
}

std::vector<double> kernel_coefficients(const ActionKernel& kernel, std::span<const double> rows) {
  const std::size_t m = kernel.m, D = kernel.size();
  const std::vector<double>& against = kernel.dual.empty() ? kernel.e : kernel.dual;
  std::vector<double> xi(rows.size() / m * D);
  for (std::size_t s = 0; s < rows.size() / m; ++s) {
    for (std::size_t k = 0; k < D; ++k) {
      double sum = 0;
      for (std::size_t a = 0; a < m; ++a) sum += rows[s * m + a] * against[k * m + a];
      xi[s * D + k] = sum;
    }
  }
  return xi;
}

std::vector<double> squared_norms(const ActionKernel& kernel, std::span<const double> xi, std::size_t begin,
                                  std::size_t end) {
  const std::size_t D = kernel.size();
  std::vector<double> norms(xi.size() / D);
  for (std::size_t s = 0; s < norms.size(); ++s) {
    for (std::size_t k = begin; k < end; ++k) {
      norms[s] += xi[s * D + k] * xi[s * D + k] / kernel.lambda[k];
    }
  }
  return norms;
}

double geometric_bound(double eps, std::size_t K) {
  return std::pow(eps, 2.0 * static_cast<double>(K + 1)) / (1 - eps * eps);
}

double geometric_bound(double eps, std::size_t K, std::size_t D) {
  double sum = 0;
  for (std::size_t k = K + 1; k <= D; ++k) sum += std::pow(eps, 2.0 * static_cast<double>(k));
  return sum;
}

GeometricTail geometric_tail(std::span<const double> xi, std::span<const double> lambda, std::size_t K) {
  const std::size_t D = lambda.size();
  GeometricTail result{};
  for (std::size_t begin = 0; begin + D <= xi.size(); begin += D) {
    double tail = 0;
    for (std::size_t k = K; k < D; ++k) {
      const double term = std::abs(xi[begin + k]) / std::sqrt(lambda[k]);
      tail += term * term;
      result.eps = std::max(result.eps, std::pow(term, 1 / static_cast<double>(k + 1)));
    }
    result.tail = std::max(result.tail, tail);
  }
  result.bound = geometric_bound(result.eps, K);
  result.bound_finite = geometric_bound(result.eps, K, D);
  return result;
}

}  // namespace mercer
