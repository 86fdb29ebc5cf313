// Statistics that the routes are made of, on one thread, as numpy, scipy and scikit-learn have them: an item is one
// call. bench/peers.py measures those in the same run.

#include "mercer/statistics.hpp"

#include <vector>

#include <benchmark/benchmark.h>

#include "mercer/basis.hpp"
#include "mercer/functions.hpp"
#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace {

constexpr std::size_t many = 100'000, bins = 35;

std::vector<double> normals(std::size_t count, std::uint64_t seed) {
  std::vector<double> out(count);
  mercer::Random random({seed, mercer::Stage::task, 0, 0});
  for (double& number : out) number = random.normal();
  return out;
}

template <class Work>
void run(benchmark::State& state, Work work) {
  const mercer::ThreadLimit limit(1);
  for (auto _ : state) benchmark::DoNotOptimize(work());
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void quantile_edges(benchmark::State& state) {
  const std::vector<double> data = normals(many, 1);
  run(state, [&] { return mercer::make_edges(data, bins, {}); });
}

// Three dimensions, as of the pendulum: bins, numbers of cells, which were visited and how often.
void visited_cells(benchmark::State& state) {
  const std::vector<double> points = normals(3 * many, 2);
  mercer::Grid grid;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.axes.push_back(mercer::make_edges(std::span(points).subspan(d * many, many), bins, {}));
  }
  run(state, [&] { return mercer::Cells(grid, {points.data(), 3, many}).size(); });
}

void wasserstein_distance(benchmark::State& state) {
  const std::vector<double> x = normals(many, 3), y = normals(many, 4);
  run(state, [&] { return mercer::wasserstein(x, y); });
}

// 20 rounds of expectation and maximisation from a given start: 8 diagonal Gaussians, 20,000 points of 3 dimensions.
void mixture_em(benchmark::State& state) {
  const std::vector<double> points = normals(3 * many / 5, 5);
  const mercer::MatrixView<const double> rows(points.data(), many / 5, 3);
  mercer::Mixture start{3, mercer::Covariance::diagonal, std::vector<double>(8, 0.125), {}, std::vector<double>(24, 1)};
  start.means.assign(points.begin(), points.begin() + 24);
  run(state, [&] { return mercer::fit_mixture(rows, 8, {}, start, {.iterations = 20}).log_likelihoods.back(); });
}

// Matern 5/2 between 2,000 states and 256 landmarks in 20 dimensions.
void kernel_values(benchmark::State& state) {
  const std::vector<double> x = normals(20 * 2000, 6), z = normals(20 * 256, 7);
  std::vector<double> out(2000 * 256);
  run(state, [&] {
    mercer::kernel_matrix(mercer::Kernel::matern52, 4, {x.data(), 20, 2000}, {z.data(), 20, 256},
                          {out.data(), 2000, 256});
    return out.data();
  });
}

BENCHMARK(quantile_edges)->Unit(benchmark::kMicrosecond);
BENCHMARK(visited_cells)->Unit(benchmark::kMicrosecond);
BENCHMARK(wasserstein_distance)->Unit(benchmark::kMicrosecond);
BENCHMARK(mixture_em)->Unit(benchmark::kMicrosecond);
BENCHMARK(kernel_values)->Unit(benchmark::kMicrosecond);

}  // namespace
