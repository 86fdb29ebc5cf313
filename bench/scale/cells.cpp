// Large lattices: how time and memory grow with the number of visited cells. Synthetic visits of a 20-dimensional
// state, 64 actions, the table in single precision in a memory-mapped file.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <sys/resource.h>

#include "io/mapped_table.hpp"
#include "lattice/quantile_sketch.hpp"
#include "mercer/basis.hpp"
#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "series.hpp"

namespace {

using namespace mercer;

constexpr std::size_t dimensions = 20, actions = 64, bins = 35, rank = 12, chunk = 4096;

double peak_gib() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / (1 << 20);
}

// Probabilities that vary smoothly over the cells: a bump of actions around a few waves of the centre.
void tabulate(const Cells& cells, float* table) {
  for_each_block(cells.size(), chunk, [&](Block block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      double at = 0;
      for (std::size_t d = 0; d < dimensions; ++d)
        at += std::sin(cells.centre(i, d) * (1 + static_cast<double>(d % 3)));
      at = 0.5 + 0.4 * std::tanh(at / 4);
      double sum = 0, row[actions];
      for (std::size_t a = 0; a < actions; ++a) {
        const double off = (static_cast<double>(a) / (actions - 1) - at) / 0.1;
        sum += row[a] = std::exp(-off * off / 2);
      }
      for (std::size_t a = 0; a < actions; ++a) table[i * actions + a] = static_cast<float>(row[a] / sum);
    }
  });
}

struct Time {
  double processor, clock;
};

// Times of the parts, and how many cells the visits made.
std::map<std::string, Time> run(std::size_t count, const std::filesystem::path& folder, std::size_t& visited) {
  std::map<std::string, Time> took;
  Time start{processor_seconds(), clock_seconds()};
  const auto lap = [&](const char* what) {
    const Time now{processor_seconds(), clock_seconds()};
    took[what] = {now.processor - start.processor, now.clock - start.clock};
    start = now;
  };
  std::vector<double> points = normals(dimensions * count, 1);
  lap("visits");
  Grid grid;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto own = std::span(points).subspan(d * count, count);
    grid.axes.push_back(sketch_edges(sketch_shared(own, count, 4096, d, Team{}, 1 << 16), bins));
  }
  lap("edges");
  const Cells cells(grid, MatrixView<const double>(points.data(), dimensions, count));
  lap("cells");
  std::vector<double>().swap(points);
  MappedTable table(folder, cells.size(), actions), left(folder, cells.size(), rank);
  tabulate(cells, table.block(0, cells.size()).data());
  lap("table");
  const RowReader read = [&](std::size_t begin, std::size_t end, std::span<double> values) {
    std::ranges::copy(std::as_const(table).block(begin, end), values.begin());
  };
  const RowSvd made = row_svd(cells.size(), actions, rank, read, Team{});
  lap("SVD");
  const RowWriter write = [&](std::size_t begin, std::size_t end, std::span<const double> values) {
    std::ranges::transform(values, left.block(begin, end).begin(), [](double value) { return float(value); });
  };
  row_factors(made, read, write, Team{});
  lap("left factor");
  visited = cells.size();
  return took;
}

}  // namespace

void measure_cells(std::size_t most, const std::filesystem::path& folder, std::size_t repeats) {
  const std::vector<std::pair<std::string, std::string>> parts{{"edges", "O(n)"},
                                                               {"cells", "O(n log n)"},
                                                               {"table", "O(n m)"},
                                                               {"SVD", "O(n m^2)"},
                                                               {"left factor", "O(n m K)"}};
  std::vector<std::size_t> sizes;
  for (std::size_t n = most; n >= most / 64 && n > 1000; n /= 4) sizes.insert(sizes.begin(), n);
  std::map<std::pair<std::size_t, std::string>, Record> records;
  std::size_t visited = 0;
  run(sizes.front(), folder, visited);  // warms threads and pages
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (const std::size_t n : sizes) {
      const auto took = run(n, folder, visited);
      const auto cells = static_cast<double>(visited);
      for (const auto& [part, theory] : parts) {
        const double operations = part == "cells" ? cells * std::log2(cells) : cells;
        Record& record = records.try_emplace({n, part}, Record{"cells", part, theory, cells, operations}).first->second;
        record.seconds.push_back(took.at(part).processor);
        record.clock.push_back(took.at(part).clock);
        if (repeat == 0) record.peak_gib = peak_gib();
      }
    }
  }
  for (const auto& [part, theory] : parts) {
    for (const std::size_t n : sizes) print(records.at({n, part}));
  }
}
