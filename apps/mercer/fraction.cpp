#include "fraction.hpp"

#include "mercer/core/error.hpp"
#include "settings.hpp"

double parse_fraction(const std::string& text, const std::string& source) {
  const bool percent = text.ends_with('%');
  const double value = parse_setting<double>(percent ? text.substr(0, text.size() - 1) : text, source);
  mercer::require_in_range(source, value, 0, 1e6, "Give a share such as 1% or 0.01");
  return percent ? value / 100 : value;
}

double parse_seconds(const std::string& text, const std::string& source) {
  const char unit = text.empty() ? 's' : text.back();
  const double seconds = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1;
  const bool has_unit = unit == 's' || unit == 'm' || unit == 'h';
  const double value = parse_setting<double>(has_unit ? text.substr(0, text.size() - 1) : text, source);
  mercer::require_in_range(source, value, 0, 1e6, "Give a time such as 60s or 5m");
  return seconds * value;
}
