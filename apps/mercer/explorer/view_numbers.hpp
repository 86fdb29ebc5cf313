#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

/// Numbers for a page: what is not finite is null.
inline nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

/// The same with so many digits.
inline nlohmann::ordered_json short_number(double value, int digits = 5) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double unit = std::pow(10.0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
  return std::round(value * unit) / unit;
}

/// A list with `digits` digits of its largest number: a page needs no more, and half the bytes are saved.
inline nlohmann::ordered_json rounded(std::span<const double> values, int digits) {
  double most = 0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  const int places = most > 0 ? std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(most))), 0, 15) : 0;
  const double unit = std::pow(10.0, places);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const double value : values) {
    // Integers print shortest; adding zero turns -0 into 0.
    const double close = std::round(value * unit) / unit + 0.0;
    if (!std::isfinite(value)) {
      list.push_back(nullptr);
    } else if (close == std::floor(close) && std::abs(close) < 1e15) {
      list.push_back(static_cast<std::int64_t>(close));
    } else {
      list.push_back(close);
    }
  }
  return list;
}
