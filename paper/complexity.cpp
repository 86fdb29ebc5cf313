#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "rules/rules.hpp"
#include "trials.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t columns = 64;

Table random_table(std::size_t rows) {
  Table table{{rows, columns}, std::vector<double>(rows * columns)};
  for_each_block(rows, 64, [&](Block block) {
    for (std::size_t r = block.begin; r < block.end; ++r) {
      Random random({0, Stage::simulate, r, 0});
      for (std::size_t c = 0; c < columns; ++c) table.values[r * columns + c] = random.uniform();
    }
  });
  return table;
}

// Time that this thread was really given: other programs on the machine do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The fastest of some rounds: whatever disturbs one only adds.
double seconds(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity(), spent = 0;
  for (int round = 0; round < 7 || (spent < 0.1 && round < 500); ++round) {
    const double start = processor_seconds();
    work();
    const double took = processor_seconds() - start;
    best = std::min(best, took);
    spent += took;
  }
  return best;
}

Tables measure(const Bench& bench) {
  const ThreadLimit one(1);  // exponents of the work, not of the scheduler
  Tables tables;
  Frame& times = tables["times"] = {{"method", "rows", "columns", "k", "seconds"}};
  const std::size_t most = bench.quick ? 8192 : 32768;
  for (std::size_t rows = 256; rows <= most; rows *= 2) {
    const Table table = random_table(rows);
    for (const char* name : {"fourier", "db4"}) {
      bench.progress.check();
      const auto basis = make_basis(name);
      basis->train(table);
      times.add({std::string(name) == "db4" ? "dwt" : "fft", double(rows), double(columns), 0.0,
                 seconds([&] { basis->apply(table.values); })});
    }
    for (const std::size_t k : {1, 2, 4, 8, 16, 32}) {
      bench.progress.check();
      // No more directions than the rank and no extra passes: the plain O(n m k).
      const SketchOptions plain{0, 0, 0};
      times.add({"svd", double(rows), double(columns), double(k),
                 seconds([&] { randomised_svd(table.matrix(), k, plain); })});
    }
    times.add({"full-svd", double(rows), double(columns), double(columns), seconds([&] { svd(table.matrix()); })});
  }
  return tables;
}

double slope(const Rows& rows, const char* x) { return log_line(rows.numbers(x), rows.numbers("seconds")).slope; }

Told tell(const Tables& tables) {
  const Rows all(tables.at("times"));
  const double largest = all.most("rows");
  const Rows fft = all.where("method", "fft"), dwt = all.where("method", "dwt"), svd = all.where("method", "svd"),
             tall = svd.where("rows", largest), gmm = all.where("method", "gmm"), draws(tables.at("sampling"));
  const double fft_largest = fft.where("rows", largest).mean("seconds"), rank8 = tall.where("k", 8.0).mean("seconds");
  const auto draw = [&](const char* bins, const char* column) { return draws.where("bins", bins).mean(column); };
  const double rows = gmm.most("rows");
  return {
      fmt::format(
          "Exponents in the size of the table: FFT {:.2f}, DWT {:.2f}, SVD of rank 8 {:.2f}; of the SVD in K "
          "{:.2f}. On {:.0f} x {} numbers the FFT takes {:.2f} ms, the DWT {:.2f} ms, SVD of rank 1 {:.2f} ms, of "
          "rank 8 {:.2f} ms; ln(nm) is {:.1f}. On {:.0f} rows EM with 4 components a row takes {:.0f} ms, the FFT "
          "{:.2f} ms. A draw by bisection takes {:.1f} ns on even bins, {:.1f} ns on quantile bins, and {:.1f} ns "
          "where a row is exactly uniform and needs no search.",
          slope(fft, "rows"), slope(dwt, "rows"), slope(svd.where("k", 8.0), "rows"), slope(tall, "k"), largest,
          columns, 1e3 * fft_largest, 1e3 * dwt.where("rows", largest).mean("seconds"),
          1e3 * tall.where("k", 1.0).mean("seconds"), 1e3 * rank8, std::log(largest * columns), rows,
          1e3 * gmm.most("seconds"), 1e3 * fft.where("rows", rows).mean("seconds"), draw("even", "nanoseconds"),
          draw("quantile", "nanoseconds"), draw("uniform", "nanoseconds")),
      {fmt::format(
           "Counts of operations hide what one costs: at rank 8 of the largest table a unit of k costs {:.1f} times "
           "as much as a unit of ln(nm).",
           rank8 / 8 / (fft_largest / std::log(largest * columns))),
       fmt::format("Quantile bins are equally likely over all states together; in one state the row has {:.0f}% of a "
                   "uniform one's entropy.",
                   100 * draw("quantile", "entropy"))}};
}

// Rows of a Gaussian policy whose mean moves with the state, on bins that are even or hold equally many of all actions:
// how long a draw takes that bisects the row's distribution function, and how even rows are.
void add_draws(Frame& frame) {
  constexpr std::size_t states = 1024, bins = 64, draws = 200'000;
  std::vector<double> means, played;
  for (std::size_t s = 0; s < states; ++s) {
    Random random({0, Stage::simulate, s, 1});
    means.push_back(0.7 * random.normal());
    for (int i = 0; i < 16; ++i) played.push_back(means.back() + 0.3 * random.normal());
  }
  for (const char* kind : {"even", "quantile", "uniform"}) {
    const bool uniform = kind == std::string_view("uniform");
    const Edges edges =
        make_edges(played, bins, {kind == std::string_view("quantile") ? EdgeKind::quantile : EdgeKind::uniform});
    std::vector<double> below(states * bins);
    double entropy = 0;
    for (std::size_t s = 0; s < states; ++s) {
      std::vector<double> row(bins);
      for (std::size_t b = 0; b < bins; ++b) {
        const auto reach = [&](double edge) { return std::erfc((means[s] - edge) / (0.3 * std::numbers::sqrt2)) / 2; };
        row[b] = uniform ? 1 : reach(edges.values[b + 1]) - reach(edges.values[b]);
      }
      project_row(row);
      double sum = 0;
      for (std::size_t b = 0; b < bins; ++b) {
        if (row[b] > 0) entropy -= row[b] * std::log(row[b]) / std::log(double(bins)) / states;
        below[s * bins + b] = sum += row[b];
      }
    }
    std::size_t met = 0;
    const double took = seconds([&] {
      Random random({0, Stage::simulate, 0, 2});
      for (std::size_t i = 0; i < draws; ++i) {
        const double u = random.uniform();
        if (uniform) {
          met += static_cast<std::size_t>(u * bins);
        } else {
          const auto row = below.begin() + static_cast<std::ptrdiff_t>(i % states * bins);
          met += static_cast<std::size_t>(std::lower_bound(row, row + bins - 1, u) - row);
        }
      }
    });
    if (met > bins * draws * 1000) return;  // what was drawn is used, so that the loop stays
    frame.add({kind, double(bins), entropy, 1e9 * took / draws});
  }
}

// EM of one mixture a row, which has no size of its own to double: on the smaller tables.
void add_mixtures(Frame& times, const Table& table) {
  std::vector<double> places(columns);
  for (std::size_t c = 0; c < columns; ++c) places[c] = static_cast<double>(c);
  const std::size_t rows = table.rows();
  times.add({"gmm", double(rows), double(columns), 4.0, seconds([&] {
               for (std::size_t r = 0; r < rows; ++r) {
                 fit_mixture({places.data(), columns, 1}, 4, std::span(table.values).subspan(r * columns, columns));
               }
             })});
}

Tables measure_all(const Bench& bench) {
  const ThreadLimit one(1);
  Tables tables = measure(bench);
  for (const std::size_t rows : {64, 256}) {
    bench.progress.check();
    add_mixtures(tables["times"], random_table(rows));
  }
  add_draws(tables["sampling"] = {{"bins", "count", "entropy", "nanoseconds"}});
  return tables;
}

}  // namespace

Item complexity() {
  return {13,
          "complexity",
          "Time of SVD, FFT and DWT against table size and K",
          "A rank-k SVD costs O(nmk), the FFT O(nm log nm), the DWT O(nm); so the SVD is faster whenever k < log(nm). "
          "Mixtures are the slowest to train; quantile bins make drawing slightly faster.",
          {"tables of n x 64 random numbers, one thread, fastest of 7 rounds or more, processor time",
           "SVD: randomised, without oversampling or extra passes, which is what O(nmk) describes", "log: natural",
           "EM: one mixture of 4 components a row, 100 rounds at most, on 64 and 256 rows",
           "draws: 1,024 rows of a Gaussian policy on 64 bins, bisection of the row's distribution function",
           "times differ from run to run; every other table is the same bytes each time"},
          {},
          false,
          8,
          3,
          measure_all,
          complexity_rules,
          tell};
}

}  // namespace mercer::paper
