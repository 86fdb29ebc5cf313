// Transforms of whole tables in memory against their number of rows. They stay small enough for the cache: past it a
// table costs more than its size says, by what the memory of a machine is slower.

#include <cmath>

#include "mercer/basis.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

struct Size {
  std::size_t columns, least, most;  // rows double from least to most
};

template <class Work>
Series over_rows(const char* part, const char* theory, Size size, bool logarithm, Work work) {
  Series series{"tables", part, theory, {}};
  const std::size_t columns = size.columns;
  for (std::size_t rows = size.least; rows <= size.most; rows *= 2) {
    const auto entries = static_cast<double>(rows * columns);
    const auto prepare = [rows, columns, work] {
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
      over_rows("Fourier, 45 columns", "O(nm log nm)", {45, 512, 8192}, true, [](const Table& t) { fourier(t); }),
      over_rows("cosines, 45 columns", "O(nm log nm)", {45, 512, 8192}, true, [](const Table& t) { cosine(t); }),
      over_rows("db4, full depth, 64 columns", "O(nm)", {64, 1024, 16384}, false,
                [](const Table& t) { wavelet(t, wavelet_filter("db4"), WaveletMode::periodization); }),
      over_rows("SVD, 64 columns", "O(nm min(n, m))", {64, 4096, 32768}, false,
                [](const Table& t) { svd(t.matrix()); }),
      over_rows("randomised SVD of rank 8, 64 columns", "O(nmK)", {64, 1024, 8192}, false,
                [](const Table& t) { randomised_svd(t.matrix(), 8); }),
  };
}
