#include "certify/own_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;
constexpr std::size_t most_axis = 8192, most_listed = 4096;

// Eigenvalues of the functions along one axis, in the order of its coefficients, and kappa(x, x).
struct AxisKernel {
  Numbers lambda, diagonal;
};

// sum_k lambda_k f_k(x)^2 from the functions themselves.
Numbers diagonal_of(const Basis& basis, const Numbers& lambda, std::size_t entries) {
  Numbers diagonal(entries), one(basis.size());
  for (std::size_t k = 0; k < one.size(); ++k) {
    one[k] = 1;
    const Numbers f = basis.reverse(one);
    for (std::size_t x = 0; x < entries; ++x) diagonal[x] += lambda[k] * f[x] * f[x];
    one[k] = 0;
  }
  return diagonal;
}

std::unique_ptr<Basis> basis_on(const BasisSpec& spec, const std::vector<std::size_t>& shape) {
  std::unique_ptr<Basis> basis = make_basis(spec);
  const std::size_t size = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  basis->train({shape, Numbers(size)});
  return basis;
}

AxisKernel axis_kernel(const BasisSpec& spec, std::size_t length) {
  AxisKernel axis;
  const auto n = static_cast<double>(length);
  if (spec.family == BasisFamily::tensor_wavelet) {
    const auto basis = basis_on(spec, {length});
    for (std::size_t k = 0; k < basis->size(); ++k) axis.lambda.push_back(wavelet_eigenvalue(k));
    axis.diagonal = diagonal_of(*basis, axis.lambda, length);
    return axis;
  }
  const bool wraps = spec.family == BasisFamily::fourier;
  for (std::size_t k = 0; k < length; ++k) {
    const double sine = std::sin(std::numbers::pi * static_cast<double>(k) / (wraps ? n : 2 * n));
    axis.lambda.push_back(1 / (1 + 4 * sine * sine));
  }
  if (wraps) {
    axis.diagonal.assign(length, std::accumulate(axis.lambda.begin(), axis.lambda.end(), 0.0) / n);
    return axis;
  }
  Numbers cosine(2 * length);  // of pi i / n
  for (std::size_t i = 0; i < cosine.size(); ++i) cosine[i] = std::cos(std::numbers::pi * static_cast<double>(i) / n);
  for (std::size_t x = 0; x < length; ++x) {
    double sum = axis.lambda[0];  // the squares of the others are (1 + cos(2 angle)) / n
    for (std::size_t k = 1; k < length; ++k) sum += axis.lambda[k] * (1 + cosine[k * (2 * x + 1) % (2 * length)]);
    axis.diagonal.push_back(sum / n);
  }
  return axis;
}

// Products over all axes, the last one fastest.
Numbers products(const std::vector<AxisKernel>& axes, Numbers AxisKernel::*of) {
  Numbers out{1};
  for (const AxisKernel& axis : axes) {
    Numbers longer;
    longer.reserve(out.size() * (axis.*of).size());
    for (const double left : out) {
      for (const double right : axis.*of) longer.push_back(left * right);
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace

double wavelet_eigenvalue(std::size_t k) {
  const double place = 1 + static_cast<double>(k);
  return 1 / (place * place);
}

std::optional<ActionKernel> kernel_of_basis(const BasisSpec& basis, std::size_t m, std::span<const double> rows) {
  switch (basis.family) {
    case BasisFamily::fourier:
      return make_action_kernel(ActionKernelKind::fourier, m);
    case BasisFamily::dct:
      return make_action_kernel(ActionKernelKind::dct, m);
    case BasisFamily::svd:
      return make_action_kernel(ActionKernelKind::svd, m, rows);
    case BasisFamily::wavelet:
    case BasisFamily::tensor_wavelet:
      break;
    default:
      return std::nullopt;
  }
  require_in_range("the number of actions", static_cast<double>(m), 1, 1e4, "Give at least one action");
  const auto along = basis_on(basis, {m});
  const std::size_t count = along->size();
  ActionKernel kernel{ActionKernelKind::wavelet, m, {}, {}, {}, 0, Numbers(count * m)};
  Numbers one(count), lambda;
  for (std::size_t k = 0; k < count; ++k) {
    one[k] = 1;
    const Numbers f = along->reverse(one);
    kernel.e.insert(kernel.e.end(), f.begin(), f.end());
    one[k] = 0;
    lambda.push_back(wavelet_eigenvalue(k));
  }
  one.assign(m, 0);
  for (std::size_t a = 0; a < m; ++a) {
    one[a] = 1;
    const Numbers xi = along->apply(one);
    for (std::size_t k = 0; k < count; ++k) kernel.dual[k * m + a] = xi[k];
    one[a] = 0;
  }
  kernel.lambda.resize(count);
  return with_eigenvalues(std::move(kernel), std::move(lambda));
}

TableKernelBound table_kernel_bound(const BasisSpec& spec, const std::vector<std::size_t>& shape,
                                    const std::vector<std::size_t>& places, std::span<const double> delta) {
  const std::size_t entries = std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  const std::size_t columns = places.empty() ? 0 : delta.size() / places.size();
  if (columns == 0 || delta.size() != places.size() * columns || entries % columns != 0 ||
      std::ranges::any_of(places, [&](std::size_t place) { return place >= entries / columns; })) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} numbers in {} rows of a table of {} entries", delta.size(), places.size(), entries),
                "Give a row for each place");
  }
  const std::string name = to_text(spec);
  if (spec.row_by_row()) return {{}, fmt::format("'{}' has no kernel on the table: it writes each row alone", name)};
  if (spec.family == BasisFamily::printed_fourier) {
    return {{}, fmt::format("'{}' has no kernel: what is kept does not rebuild the table", name)};
  }
  if (spec.family == BasisFamily::svd) {
    return {{}, fmt::format("'{}' has no kernel on the table: its functions do not span differences of tables", name)};
  }
  const bool listed = spec.family == BasisFamily::wavelet;
  if (listed && entries > most_listed) {
    return {{},
            fmt::format("the kernel of '{}' on the table needs its {} functions one by one; computed up to {}", name,
                        entries, most_listed)};
  }
  if (!listed && *std::ranges::max_element(shape) > most_axis) {
    return {{},
            fmt::format("the kernel of '{}' on the table has an axis of {}; computed up to {}", name,
                        *std::ranges::max_element(shape), most_axis)};
  }
  const auto basis = basis_on(spec, shape);
  Numbers lambda, diagonal;
  if (listed) {
    for (std::size_t k = 0; k < basis->size(); ++k) lambda.push_back(wavelet_eigenvalue(k));
    diagonal = diagonal_of(*basis, lambda, entries);
  } else {
    std::vector<AxisKernel> axes;
    for (const std::size_t length : shape) axes.push_back(axis_kernel(spec, length));
    lambda = products(axes, &AxisKernel::lambda);
    diagonal = products(axes, &AxisKernel::diagonal);
  }
  Numbers table(entries);
  for (std::size_t r = 0; r < places.size(); ++r) {
    std::ranges::copy(delta.subspan(r * columns, columns),
                      table.begin() + static_cast<std::ptrdiff_t>(places[r] * columns));
  }
  const Numbers xi = basis->apply(table);
  double squares = 0;
  for (std::size_t k = 0; k < xi.size(); ++k) squares += xi[k] * xi[k] / lambda[k];
  TableKernelBound out;
  for (const std::size_t place : places) {
    double roots = 0;
    for (std::size_t a = 0; a < columns; ++a) roots += std::sqrt(diagonal[place * columns + a]);
    out.TV.push_back(std::min(1.0, roots * std::sqrt(squares) / 2));
  }
  return out;
}

}  // namespace mercer
