#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/certificate_words.hpp"

namespace mercer {
namespace {

// Of a long grid only the part that decides is for people; the JSON has all of it.
constexpr std::size_t most_lines = 64, worst_lines = 20;

// In percent of the teacher's return, also where that cannot be promised as such.
double bound_of(const PerturbedPoint& point) {
  return point.upper_percent.value_or(100 * point.upper_return / std::abs(point.teacher_return));
}

std::string to_percent(double value) { return std::isfinite(value) ? fmt::format("{:.4g}%", value) : ""; }
std::string share(const std::optional<double>& value) { return value ? to_percent(100 * *value) : ""; }

// Parameters to the left, numbers to the right.
std::string cells(const PerturbedGrid& grid, const std::vector<std::string>& values,
                  const std::vector<std::string>& numbers) {
  std::string text;
  for (std::size_t d = 0; d < values.size(); ++d) {
    text += fmt::format("{:<{}}", values[d], std::max<std::size_t>(9, grid.names[d].size() + 1));
  }
  for (const std::string& number : numbers) text += fmt::format(" {:>10}", number);
  return text;
}

std::string line(const PerturbedGrid& grid, const PerturbedPoint& point, bool failures) {
  std::vector<std::string> values;
  for (const double value : point.values) values.push_back(fmt::format("{:.6g}", value));
  std::vector<std::string> numbers{
      fmt::format("{:.6g}", point.teacher_return), to_percent(point.loss_percent),
      point.upper_percent ? percent_up(*point.upper_percent) : rounded_up(point.upper_return),
      share(point.motion.embedding.roughness), share(point.motion.teacher.roughness)};
  if (failures) numbers.insert(numbers.end(), {share(point.failures), share(point.teacher_failures)});
  return cells(grid, values, numbers) + (&point == &grid.worst() ? "  worst\n" : "\n");
}

std::string heading(const PerturbedGrid& grid, bool failures) {
  std::vector<std::string> titles{"teacher", "loses", "at most", "roughness", "teacher's"};
  if (failures) titles.insert(titles.end(), {"failures", "teacher's"});
  return cells(grid, grid.names, titles) + "\n";
}

}  // namespace

std::string point_words(const PerturbedGrid& grid, const PerturbedPoint& point) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < grid.names.size(); ++d) {
    parts.push_back(fmt::format("{}={:.6g}", grid.names[d], point.values[d]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string grid_table(const PerturbedGrid& grid) {
  const bool failures = std::ranges::any_of(grid.points, [](const auto& point) { return point.failures.has_value(); });
  std::vector<std::size_t> order(grid.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::string text =
      fmt::format("perturbed tasks: {} points, at most {} paired episodes at each\n", order.size(), grid.episodes);
  if (order.size() > most_lines) {
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return bound_of(grid.points[i]); });
    order.resize(worst_lines);
    text += fmt::format("(the {} with the largest bounds; --json has all)\n", worst_lines);
  }
  text += heading(grid, failures);
  for (const std::size_t i : order) text += line(grid, grid.points[i], failures);
  return text;
}

}  // namespace mercer
