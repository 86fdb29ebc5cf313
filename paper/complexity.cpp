#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

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

// Slope of log y over log x.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    sx += std::log(x[i]), sy += std::log(y[i]);
    sxx += std::log(x[i]) * std::log(x[i]), sxy += std::log(x[i]) * std::log(y[i]);
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Verdict judge(const Tables& tables) {
  const Rows all(tables.at("times"));
  const auto slope = [](const Rows& rows, const char* by) {
    return exponent(rows.numbers(by), rows.numbers("seconds"));
  };
  const double fft = slope(all.where("method", "fft"), "rows"), dwt = slope(all.where("method", "dwt"), "rows"),
               svd_rows = slope(all.where("method", "svd").where("k", 8.0), "rows"), largest = all.most("rows"),
               svd_k = slope(all.where("method", "svd").where("rows", largest), "k");
  // Where SVD should win by the count of operations: how often it does.
  double should = 0, does = 0, most_k = 0;
  for (const double rows : all.distinct("rows")) {
    const double limit = std::log(rows * columns);
    const double other = all.where("method", "fft").where("rows", rows).mean("seconds");
    for (const double k : all.where("method", "svd").distinct("k")) {
      const bool faster = all.where("method", "svd").where("rows", rows).where("k", k).mean("seconds") < other;
      if (k < limit) ++should, does += faster;
      if (rows == largest && faster) most_k = std::max(most_k, k);
    }
  }
  Verdict verdict;
  verdict.rules = {
      at_most("FFT is n log n", "|exponent of the FFT in the table's size - 1.1| <= 0.2", std::abs(fft - 1.1), 0.2),
      at_most("DWT is linear", "|exponent of the DWT - 1| <= 0.2", std::abs(dwt - 1), 0.2),
      at_most("SVD is linear in the size", "|exponent of the rank-8 SVD - 1| <= 0.2", std::abs(svd_rows - 1), 0.2),
      at_most("SVD grows no faster than K", "exponent in K at the largest table <= 1.2", svd_k, 1.2),
      at_most("SVD is faster for k < ln(nm)", "share of such cases where it is not <= 10%", 1 - does / should, 0.1)};
  const double fft_largest = all.where("method", "fft").where("rows", largest).mean("seconds");
  verdict.saw = fmt::format(
      "Exponents in the size of the table: FFT {:.2f}, DWT {:.2f}, SVD of rank 8 {:.2f}; of the SVD in K {:.2f}. On "
      "{:.0f} x {} numbers the FFT takes {:.2f} ms, the DWT {:.2f} ms, SVD of rank 1 {:.2f} ms, of rank 8 {:.2f} ms. "
      "SVD is faster in {:.0f} of the {:.0f} cases with k < ln(nm); at the largest table up to k = {:.0f}, and ln(nm) "
      "is {:.1f}.",
      fft, dwt, svd_rows, svd_k, largest, columns, 1e3 * fft_largest,
      1e3 * all.where("method", "dwt").where("rows", largest).mean("seconds"),
      1e3 * all.where("method", "svd").where("rows", largest).where("k", 1.0).mean("seconds"),
      1e3 * all.where("method", "svd").where("rows", largest).where("k", 8.0).mean("seconds"), does, should, most_k,
      std::log(largest * columns));
  const double each = all.where("method", "svd").where("rows", largest).where("k", 8.0).mean("seconds") / 8 /
                      (fft_largest / std::log(largest * columns));
  verdict.because = {below("it crosses earlier", "largest k tried at which SVD is faster, largest table < ln(nm)",
                           most_k, std::log(largest * columns))};
  verdict.reason = fmt::format(
      "Counts of operations hide what one costs: at rank 8 of the largest table a unit of k costs {:.1f} times as "
      "much as a unit of ln(nm).",
      each);
  return verdict;
}

}  // namespace

Item complexity() {
  return {13,
          "complexity",
          "Time of SVD, FFT and DWT against table size and K",
          "A rank-k SVD costs O(nmk), the FFT O(nm log nm), the DWT O(nm); so the SVD is faster whenever k < log(nm).",
          {"tables of n x 64 random numbers, one thread, fastest of 7 rounds or more, processor time",
           "SVD: randomised, without oversampling or extra passes, which is what O(nmk) describes", "log: natural",
           "times differ from run to run; every other table is the same bytes each time"},
          {},
          false,
          8,
          3,
          measure,
          judge};
}

}  // namespace mercer::paper
