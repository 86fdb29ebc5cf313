#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// One size of something: what theory says that it costs, up to a factor, and a maker of the work. The work owns its
/// data and may be called any number of times.
struct Point {
  double size;
  double operations;
  std::function<std::function<void()>()> prepare;
};

/// How the cost of one part grows along an axis (cells, rollouts, coefficients, dimensions).
struct Series {
  std::string axis;
  std::string part;
  std::string theory;  ///< "O(K)": what `operations` follow
  std::vector<Point> points;
};

std::vector<Series> table_series();
std::vector<Series> rollout_series();
std::vector<Series> coefficient_series();
std::vector<Series> dimension_series();

/// Processor seconds of one call of each point's work, `repeats` times in turn over all sizes, so that each repeat
/// meets the same weather; a call that is too short for the clock is repeated until it is not. All sizes are warmed
/// first. One line of JSON for each size goes to standard output.
void measure(const Series& series, std::size_t repeats);

/// Lattices of up to `most` visited cells by fours, with the table in a file in `folder`.
void measure_cells(std::size_t most, const std::filesystem::path& folder, std::size_t repeats);

struct Record {
  std::string axis, part, theory;
  double size = 0, operations = 0;
  std::vector<double> seconds{};  ///< of the processor, for each repeat
  std::vector<double> clock{};    ///< by the wall clock, where that is of interest
  double peak_gib = 0;            ///< of memory up to the end of the first repeat; 0: not of interest
};
void print(const Record& record);

double processor_seconds();
double clock_seconds();
/// Standard normal numbers, the same each time.
std::vector<double> normals(std::size_t count, std::uint64_t seed);
