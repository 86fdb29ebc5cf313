// Costs against K: coefficients, ranks, terms, components or landmarks that are kept.

#include <cmath>
#include <memory>

#include "mercer/basis.hpp"
#include "mercer/functions.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

std::vector<std::size_t> doubled(std::size_t least, std::size_t most) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = least; k <= most; k *= 2) sizes.push_back(k);
  return sizes;
}

template <class Make>
Series over(const char* part, const char* theory, const std::vector<std::size_t>& sizes, double power, Make make) {
  Series series{"coefficients", part, theory, {}};
  for (const std::size_t k : sizes) {
    const auto size = static_cast<double>(k);
    series.points.push_back({size, std::pow(size, power), [k, make] { return make(k); }});
  }
  return series;
}

// One row of a table from the K largest coefficients.
std::function<void()> row(const char* spec, std::size_t rows, std::size_t columns, std::size_t k) {
  const Table table{{rows, columns}, normals(rows * columns, 1)};
  const auto basis = make_basis(spec);
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  const std::vector<std::size_t> kept = Truncation(basis->terms(coefficients)).kept(k);
  std::shared_ptr<const RowEvaluator> evaluator = basis->evaluator(coefficients, kept);
  return [evaluator, rows, out = std::vector<double>(columns), at = std::size_t{0}]() mutable {
    at = (at + 263) % rows;
    evaluator->row(at, out);
  };
}

// Acting from K terms of a continuous embedding on four axes, 512 states at a time.
std::function<void()> act(std::size_t k) {
  constexpr std::size_t states = 512;
  Terms all = no_terms({0, 0, 0, 0});
  add_tensor(all, Family::chebyshev, IndexRule::total, 16);
  std::vector<std::size_t> chosen(k);
  for (std::size_t j = 0; j < k; ++j) chosen[j] = j * all.size() / k;
  const Coordinates box(4, Coordinate{{-4, 4}});
  const TermFunction function(select_terms(all, chosen), box, normals(k, 2));
  return [function, points = normals(4 * states, 3), out = std::vector<double>(states)]() mutable {
    function({points.data(), 4, states}, {out.data(), 1, states});
  };
}

std::function<void()> mixture(std::size_t k) {
  constexpr std::size_t points = 2000;
  return [data = normals(3 * points, 4), k] {
    fit_mixture({data.data(), points, 3}, k, {}, std::nullopt, {.iterations = 10});
  };
}

std::function<void()> sketch(std::size_t k) {
  constexpr std::size_t side = 4096;
  return [table = normals(side * side, 5), k] {
    randomised_svd({table.data(), side, side}, k, {.oversample = 0, .powers = 1});
  };
}

std::function<void()> landmarks(std::size_t k) {
  constexpr std::size_t points = 1000;
  return [data = normals(3 * points, 6), k] {
    choose_landmarks(Kernel::matern32, 0.5, {data.data(), 3, points}, k, 0);
  };
}

std::function<void()> kernel_act(std::size_t k) {
  constexpr std::size_t states = 512, dimensions = 20;
  return [x = normals(dimensions * states, 7), z = normals(dimensions * k, 8), k,
          out = std::vector<double>(states * k)]() mutable {
    kernel_matrix(Kernel::matern52, 4, {x.data(), dimensions, states}, {z.data(), dimensions, k},
                  {out.data(), states, k});
  };
}

}  // namespace

std::vector<Series> coefficient_series() {
  return {
      over("a row from K Fourier coefficients", "O(K)", doubled(8192, 131072), 1,
           [](std::size_t k) { return row("fourier", 4096, 64, k); }),
      over("a row from K cosines", "O(K)", doubled(8192, 131072), 1,
           [](std::size_t k) { return row("dct", 4096, 64, k); }),
      over("a row from rank K", "O(K m)", doubled(16, 256), 1, [](std::size_t k) { return row("svd", 1024, 256, k); }),
      over("acting from K terms", "O(K)", doubled(256, 4096), 1, act),
      over("acting from K landmarks", "O(K d)", doubled(64, 1024), 1, kernel_act),
      over("choosing K landmarks", "O(N K^2)", {400, 565, 800}, 2, landmarks),
      over("EM, K Gaussians", "O(N K d)", doubled(16, 256), 1, mixture),
      over("randomised SVD, rank K", "O(nmK)", doubled(128, 512), 1, sketch),
  };
}
