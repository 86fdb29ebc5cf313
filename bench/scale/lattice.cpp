// Large lattices: how time and memory grow with the number of visited cells. Synthetic visits of a 20-dimensional
// state, 64 actions, the table in single precision in a memory-mapped file.
//
//     mercer_scale_lattice [CELLS [FOLDER]]     up to CELLS (10^6) cells, by fours; the file in FOLDER (.)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "mercer/basis/row_svd.hpp"
#include "mercer/core/parallel.hpp"
#include "mercer/core/random.hpp"
#include "mercer/io/mapped_table.hpp"
#include "mercer/lattice/cells.hpp"
#include "mercer/lattice/quantile_sketch.hpp"

namespace {

using namespace mercer;

constexpr std::size_t dimensions = 20, actions = 64, bins = 35, rank = 12, chunk = 4096;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double peak_gib() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / (1 << 20);
}

std::vector<double> visits(std::size_t count) {
  std::vector<double> points(dimensions * count);
  for_each_block(count, chunk, [&](Block block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      Random random({1, Stage::simulate, i, 0});
      for (std::size_t d = 0; d < dimensions; ++d) points[d * count + i] = random.normal();
    }
  });
  return points;
}

// Probabilities that vary smoothly over the cells: a bump of actions around a few waves of the centre.
void tabulate(const Cells& cells, MappedTable& table) {
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
      for (std::size_t a = 0; a < actions; ++a) table.block(i, i + 1)[a] = static_cast<float>(row[a] / sum);
    }
  });
}

std::map<std::string, double> measure(std::size_t count, const std::filesystem::path& folder) {
  std::map<std::string, double> took;
  double start = now();
  const auto lap = [&](const char* what) { took[what] = now() - std::exchange(start, now()); };
  std::vector<double> points = visits(count);
  lap("visits");
  Grid grid;
  for (std::size_t d = 0; d < dimensions; ++d) {
    grid.axes.push_back(sketch_edges(
        sketch_shared(std::span(points).subspan(d * count, count), count, 4096, d, Team{}, 1 << 16), bins));
  }
  lap("edges");
  const Cells cells(grid, MatrixView<const double>(points.data(), dimensions, count));
  lap("cells");
  std::vector<double>().swap(points);
  MappedTable table(folder, cells.size(), actions), left(folder, cells.size(), rank);
  tabulate(cells, table);
  lap("table");
  const RowReader read = [&](std::size_t begin, std::size_t end, std::span<double> values) {
    std::ranges::copy(std::as_const(table).block(begin, end), values.begin());
  };
  const RowSvd made = row_svd(cells.size(), actions, rank, read, Team{});
  lap("svd");
  row_factors(
      made, read,
      [&](std::size_t begin, std::size_t end, std::span<const double> values) {
        std::ranges::transform(values, left.block(begin, end).begin(), [](double u) { return static_cast<float>(u); });
      },
      Team{});
  lap("factors");
  took["n"] = static_cast<double>(cells.size());
  took["peak_gib"] = peak_gib();
  return took;
}

// The slope of log time against log size, by least squares.
double exponent(const std::vector<std::map<std::string, double>>& all, const std::string& what) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& one : all) {
    const double x = std::log(one.at("n")), y = std::log(one.at(what));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const auto n = static_cast<double>(all.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

int main(int argc, char** argv) {
  const auto most = static_cast<std::size_t>(argc > 1 ? std::strtod(argv[1], nullptr) : 1e6);
  const std::filesystem::path folder = argc > 2 ? argv[2] : ".";
  const std::vector<std::string> parts{"visits", "edges", "cells", "table", "svd", "factors"};
  std::vector<std::map<std::string, double>> all;
  fmt::print("{:>10}", "cells");
  for (const std::string& part : parts) fmt::print(" {:>9}", part);
  fmt::print(" {:>9}\n", "peak GiB");
  std::vector<std::size_t> sizes;
  for (std::size_t n = most; n >= most / 64 && n > 1000; n /= 4) sizes.insert(sizes.begin(), n);
  for (const std::size_t n : sizes) {
    all.push_back(measure(n, folder));
    fmt::print("{:>10.0f}", all.back().at("n"));
    for (const std::string& part : parts) fmt::print(" {:>8.3f}s", all.back().at(part));
    fmt::print(" {:>9.2f}\n", all.back().at("peak_gib"));
    std::fflush(stdout);
  }
  fmt::print("{:>10}", "exponent");
  for (const std::string& part : parts) fmt::print(" {:>9.3f}", exponent(all, part));
  fmt::print("\n");
  std::FILE* file = std::fopen((folder / "lattice_scale.json").c_str(), "w");
  if (file == nullptr) return 3;
  fmt::print(file, "{}\n", nlohmann::json(all).dump(2));
  return std::fclose(file) == 0 ? 0 : 3;
}
