// Transforms of whole tables in memory against their number of rows, 45 actions each.

#include <cmath>

#include "mercer/basis/cosine.hpp"
#include "mercer/basis/fourier.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/basis/truncation.hpp"
#include "mercer/basis/wavelet.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

constexpr std::size_t columns = 45;

template <class Work>
Series over_rows(const char* part, const char* theory, bool logarithm, Work work) {
  Series series{"tables", part, theory, {}};
  for (std::size_t rows = 3 << 13; rows <= 3 << 17; rows *= 2) {
    const auto entries = static_cast<double>(rows * columns);
    const auto prepare = [rows, work] {
      const Table table{{rows, columns}, normals(rows * columns, 1)};
      return std::function<void()>([table, work] { work(table); });
    };
    series.points.push_back({static_cast<double>(rows), logarithm ? entries * std::log2(entries) : entries, prepare});
  }
  return series;
}

}  // namespace

std::vector<Series> table_series() {
  return {
      over_rows("Fourier", "O(nm log nm)", true, [](const Table& table) { fourier(table); }),
      over_rows("cosines", "O(nm log nm)", true, [](const Table& table) { cosine(table); }),
      over_rows("db4, full depth", "O(nm)", false,
                [](const Table& table) { wavelet(table, wavelet_filter("db4"), WaveletMode::periodization); }),
      over_rows("SVD", "O(nm min(n, m))", false, [](const Table& table) { svd(table.matrix()); }),
      over_rows("randomised SVD, rank 8", "O(nmK)", false,
                [](const Table& table) { randomised_svd(table.matrix(), 8); }),
  };
}
