#include "mercer/basis/basis.hpp"

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {

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
