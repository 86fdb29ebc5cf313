// Costs against the dimensions of a state.

#include <cmath>
#include <memory>
#include <stdexcept>

#include "lattice/quantile_sketch.hpp"
#include "mercer/basis.hpp"
#include "mercer/lattice.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

constexpr std::size_t bins = 35, visits = 4000, few = 64;

// `operations(d)` is what theory says.
template <class Operations, class Make>
Series over(const char* part, const char* theory, std::vector<std::size_t> sizes, Operations operations, Make make) {
  Series series{"dimensions", part, theory, {}};
  for (const std::size_t d : sizes) {
    const auto size = static_cast<double>(d);
    series.points.push_back({size, operations(size), [d, make] { return make(d); }});
  }
  return series;
}

std::function<void()> edges(std::size_t d) {
  constexpr std::size_t many = 50'000;
  return [points = normals(d * many, 1), d] {
    for (std::size_t axis = 0; axis < d; ++axis) {
      const auto own = std::span(points).subspan(axis * many, many);
      sketch_edges(sketch_shared(own, many, 4096, axis, Team{}, 1 << 16), bins);
    }
  };
}

Grid grid_of(std::span<const double> points, std::size_t d) {
  const std::size_t count = points.size() / d;
  Grid grid;
  for (std::size_t axis = 0; axis < d; ++axis) {
    grid.axes.push_back(make_edges(points.subspan(axis * count, count), bins, {}));
  }
  return grid;
}

// Looks visits up among the cells of few of them, so that the axes are most of the work.
std::function<void()> lookups(std::size_t d) {
  const std::vector<double> points = normals(d * few, 2);
  const auto cells = std::make_shared<Cells>(grid_of(points, d), MatrixView<const double>(points.data(), d, few));
  return [points, cells] {
    std::size_t found = 0;
    for (std::size_t i = 0; i < few; ++i) found += cells->find(points.data() + i, few) != Cells::none ? 1 : 0;
    if (found != few) throw std::logic_error("a visited cell was not found");
  };
}

std::function<void()> count(std::size_t d) {
  const std::vector<double> points = normals(d * visits, 3);
  return [points, grid = grid_of(points, d), d] { Cells(grid, {points.data(), d, visits}); };
}

std::function<void()> mixture(std::size_t d, Covariance covariance) {
  constexpr std::size_t points = 2000, k = 8;
  return [data = normals(d * points, 6), d, covariance] {
    fit_mixture({data.data(), points, d}, k, {}, std::nullopt, {.iterations = 5, .covariance = covariance});
  };
}

}  // namespace

std::vector<Series> dimension_series() {
  const auto linear = [](double d) { return d; };
  const auto square = [](double d) { return d * d; };
  const auto steps = [](std::size_t n) { return [n](double d) { return d * std::log2(bins) + std::log2(n); }; };
  // Numbers of cells take 64 bits up to 12 axes and 128 beyond: these sizes are all of the second kind.
  const std::vector<std::size_t> wide{13, 16, 20, 24};
  return {
      over("quantile edges", "O(N d)", {5, 10, 20, 40}, linear, edges),
      over("visited cells", "O(N (d log b + log N))", wide, steps(visits), count),
      over("looking a cell up among 64", "O(d log b + log n)", wide, steps(few), lookups),
      over("EM, diagonal", "O(N K d)", {40, 80, 160, 320}, linear,
           [](std::size_t d) { return mixture(d, Covariance::diagonal); }),
      over("EM, full covariances", "O(N K d^2)", {40, 80, 160}, square,
           [](std::size_t d) { return mixture(d, Covariance::full); }),
  };
}
