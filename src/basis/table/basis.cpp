#include "mercer/basis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/error.hpp"

namespace mercer {

std::size_t table_size(std::span<const std::size_t> shape) {
  constexpr std::size_t most_axes = 8;
  constexpr std::uint64_t most_entries = std::uint64_t{1} << 40;
  if (shape.empty() || shape.size() > most_axes) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("a table has {} axes; legal: 1 to {}", shape.size(), most_axes),
                "Give a vector, a matrix or an array of a few axes");
  }
  std::size_t size = 1;
  for (const std::size_t length : shape) {
    if (length == 0) {
      throw Error(ErrorCode::shape_mismatch, fmt::format("a table of shape [{}] is empty", fmt::join(shape, ", ")),
                  "Every axis needs at least one entry");
    }
    if (length > most_entries / size) {
      throw Error(ErrorCode::too_large,
                  fmt::format("a table of shape [{}] has more than 2^40 entries", fmt::join(shape, ", ")),
                  "Use fewer bins or prune first");
    }
    size *= length;
  }
  return size;
}

void check_table(std::string_view what, std::span<const std::size_t> shape, std::span<const double> values) {
  const std::size_t needed = table_size(shape);
  if (values.size() != needed) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} has {} values, but its shape [{}] needs {}", what, values.size(),
                            fmt::join(shape, ", "), needed),
                "Give one value for each entry");
  }
  check_finite(what, values);
}

void check_count(std::string_view what, std::size_t given, std::size_t needed) {
  if (given == needed) return;
  throw Error(ErrorCode::shape_mismatch, fmt::format("{} has {} values, needed are {}", what, given, needed),
              "Use what belongs to the table that the basis was trained with");
}

void check_finite(std::string_view what, std::span<const double> values) {
  // One pass without branches first: the difference of a finite number with itself is zero, of any other NaN. Several
  // sums at a time, since additions to one would wait for each other.
  std::array<double, 16> differences{};
  std::size_t at = 0;
  for (; at + differences.size() <= values.size(); at += differences.size()) {
    for (std::size_t i = 0; i < differences.size(); ++i) differences[i] += values[at + i] - values[at + i];
  }
  for (; at < values.size(); ++at) differences[0] += values[at] - values[at];
  if (std::accumulate(differences.begin(), differences.end(), 0.0) == 0) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(ErrorCode::not_finite, fmt::format("{}: value {} is {}", what, i, values[i]),
                "Every value must be a finite number; look at what made the table");
  }
}

void Basis::fix_shape(const Table& table) {
  check_table("the table", table.shape, table.values);
  shape_ = table.shape;
}

void Basis::check_values(std::span<const double> table) const {
  if (shape_.empty()) {
    throw Error(ErrorCode::missing_option, fmt::format("the basis '{}' was not trained", name()),
                "Call train with a table first");
  }
  check_count("the table", table.size(), table_size(shape_));
  check_finite("the table", table);
}

void Basis::check_coefficients(std::span<const double> coefficients) const {
  if (shape_.empty()) {
    throw Error(ErrorCode::missing_option, fmt::format("the basis '{}' was not trained", name()),
                "Call train with a table first");
  }
  check_count("the coefficients", coefficients.size(), size());
  check_finite("the coefficients", coefficients);
}

std::vector<std::size_t> Basis::choose(std::span<const double> coefficients, std::size_t k) const {
  return largest_kept(terms(coefficients), k);
}

void Basis::check_kept(std::span<const double> coefficients, std::span<const std::size_t> kept) const {
  check_coefficients(coefficients);
  std::vector<bool> seen(coefficients.size());
  for (const std::size_t index : kept) {
    if (index >= coefficients.size() || seen[index]) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("coefficient {} cannot be kept{}; legal: 0 to {}, each once", index,
                              index < coefficients.size() ? " twice" : "", coefficients.size() - 1),
                  "Use the indices that Truncation::kept gives");
    }
    seen[index] = true;
  }
}

std::vector<double> keep_only(std::span<const double> coefficients, std::span<const std::size_t> kept) {
  std::vector<double> result(coefficients.size());
  for (const std::size_t index : kept) {
    require_in_range("index of a kept coefficient", static_cast<double>(index), 0,
                     static_cast<double>(coefficients.size()) - 1, "Use the indices that Truncation::kept gives");
    result[index] = coefficients[index];
  }
  return result;
}

}  // namespace mercer
