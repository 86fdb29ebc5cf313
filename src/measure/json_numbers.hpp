#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

namespace mercer {

/// Numbers in JSON: what is unknown or infinite is null, and comes back as NaN or empty.
inline nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : nlohmann::ordered_json(nullptr);
}
inline double number_from(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
inline std::optional<double> optional_from(const nlohmann::json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

}  // namespace mercer
