// Kernels of the bases on one thread: an item is one whole transform, or one action for rows. bench/peers.py
// measures numpy, PyWavelets and scipy on such tables in the same run; `./run bench` prints the ratios.

#include "mercer/basis.hpp"

#include <cmath>

#include <benchmark/benchmark.h>

#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace {

// A smooth policy with some noise, the same each time.
mercer::Table policy_table(std::size_t rows, std::size_t columns) {
  mercer::Table table{{rows, columns}, std::vector<double>(rows * columns)};
  mercer::Random random({1, mercer::Stage::task, 0, 0});
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const double turn = 6.28 * static_cast<double>(i / columns) / static_cast<double>(rows);
    table.values[i] = std::exp(0.3 * random.normal() + std::cos(turn + 0.4 * static_cast<double>(i % columns)));
  }
  mercer::project_rows(table.matrix());
  return table;
}

template <class Work>
void run(benchmark::State& state, std::size_t rows, std::size_t columns, Work work) {
  const mercer::ThreadLimit limit(1);
  const mercer::Table table = policy_table(rows, columns);
  for (auto _ : state) benchmark::DoNotOptimize(work(table));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

auto haar(const mercer::Table& table) { return mercer::wavelet(table, mercer::wavelet_filter("haar")); }
auto db4(const mercer::Table& table) {
  return mercer::wavelet(table, mercer::wavelet_filter("db4"), mercer::WaveletMode::periodization, 1);
}
auto db4_symmetric(const mercer::Table& table) {
  return mercer::wavelet(table, mercer::wavelet_filter("db4"), mercer::WaveletMode::symmetric, 1);
}
auto full_svd(const mercer::Table& table) { return mercer::svd(table.matrix()); }
auto sketch(const mercer::Table& table) { return mercer::randomised_svd(table.matrix(), 10); }

void basis_fourier_701x15(benchmark::State& state) { run(state, 701, 15, mercer::fourier); }
void basis_fourier_4096x256(benchmark::State& state) { run(state, 4096, 256, mercer::fourier); }
void basis_dct_701x15(benchmark::State& state) { run(state, 701, 15, mercer::cosine); }
void basis_dct_4096x256(benchmark::State& state) { run(state, 4096, 256, mercer::cosine); }
void basis_haar_701x15(benchmark::State& state) { run(state, 701, 15, haar); }
void basis_haar_4096x256(benchmark::State& state) { run(state, 4096, 256, haar); }
void basis_db4_701x15(benchmark::State& state) { run(state, 701, 15, db4); }
void basis_db4_4096x256(benchmark::State& state) { run(state, 4096, 256, db4); }
void basis_db4_symmetric_701x15(benchmark::State& state) { run(state, 701, 15, db4_symmetric); }
void basis_db4_symmetric_4096x256(benchmark::State& state) { run(state, 4096, 256, db4_symmetric); }
void basis_svd_701x15(benchmark::State& state) { run(state, 701, 15, full_svd); }
void basis_svd_4096x256(benchmark::State& state) { run(state, 4096, 256, full_svd); }
void basis_sketch_4096x256(benchmark::State& state) { run(state, 4096, 256, sketch); }

BENCHMARK(basis_fourier_701x15);
BENCHMARK(basis_fourier_4096x256);
BENCHMARK(basis_dct_701x15);
BENCHMARK(basis_dct_4096x256);
BENCHMARK(basis_haar_701x15);
BENCHMARK(basis_haar_4096x256);
BENCHMARK(basis_db4_701x15);
BENCHMARK(basis_db4_4096x256);
BENCHMARK(basis_db4_symmetric_701x15);
BENCHMARK(basis_db4_symmetric_4096x256);
BENCHMARK(basis_svd_701x15);
BENCHMARK(basis_svd_4096x256);
BENCHMARK(basis_sketch_4096x256);

// One action at batch 1: a whole row of 15 from 500 kept coefficients (rank 7 for the SVD).
void act(benchmark::State& state, const char* spec, std::size_t k) {
  const mercer::Table table = policy_table(701, 15);
  const auto basis = mercer::make_basis(spec);
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  const mercer::Truncation truncation(basis->terms(coefficients));
  const auto evaluator = basis->evaluator(coefficients, truncation.kept(k));
  std::vector<double> row(15);
  std::size_t index = 0;
  for (auto _ : state) {
    evaluator->row(index, row);
    benchmark::DoNotOptimize(row.data());
    benchmark::ClobberMemory();
    index = (index + 263) % 701;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void basis_act_fourier_500(benchmark::State& state) { act(state, "fourier", 500); }
void basis_act_dct_500(benchmark::State& state) { act(state, "dct", 500); }
void basis_act_db4_500(benchmark::State& state) { act(state, "db4", 500); }
void basis_act_svd_7(benchmark::State& state) { act(state, "svd", 7); }
BENCHMARK(basis_act_fourier_500);
BENCHMARK(basis_act_dct_500);
BENCHMARK(basis_act_db4_500);
BENCHMARK(basis_act_svd_7);

}  // namespace
