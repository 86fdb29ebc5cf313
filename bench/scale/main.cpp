// How cost grows with size: measures, and leaves fitting and judging to bench/scale.py.
//
//     mercer_scale AXIS REPEATS [CELLS FOLDER]     AXIS: cells, tables, rollouts, coefficients or dimensions

#include <climits>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <malloc.h>

#include "series.hpp"

namespace {

int usage() {
  fmt::print(
      stderr,
      "usage: mercer_scale cells|tables|rollouts|coefficients|dimensions REPEATS [CELLS FOLDER]\n"
      "REPEATS from 1 to 100; CELLS from 4096 to 10^8; FOLDER is where the tables of `cells` are, 304 bytes a cell\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view axis = argc > 1 ? argv[1] : "";
  const double repeats = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
  const double cells = argc > 3 ? std::strtod(argv[3], nullptr) : 1e6;
  const bool legal = repeats >= 1 && repeats <= 100 && cells >= 4096 && cells <= 1e8;
  if (argc > 5 || !legal) return usage();
  const auto times = static_cast<std::size_t>(repeats);
  try {
    std::vector<Series> all;
    if (axis == "cells") {
      measure_cells(static_cast<std::size_t>(cells), argc > 4 ? argv[4] : ".", times);
      return 0;
    }
    // What was had from the system once is kept: otherwise large sizes pay for new pages in every call, small ones
    // never.
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (axis == "tables") all = table_series();
    if (axis == "rollouts") all = rollout_series();
    if (axis == "coefficients") all = coefficient_series();
    if (axis == "dimensions") all = dimension_series();
    if (all.empty()) return usage();
    for (const Series& series : all) measure(series, times);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mercer_scale: {}\n", error.what());
    return 3;
  }
}
