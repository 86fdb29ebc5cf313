#include "cli/fraction.hpp"

#include <fmt/format.h>

#include "cli/settings.hpp"
#include "mercer/error.hpp"

namespace {

// The number in `text`; what is none is told with `remedy`.
double number(const std::string& text, const std::string& whole, const std::string& source, const char* remedy) {
  try {
    return parse_setting<double>(text, source);
  } catch (const mercer::Error&) {
    throw mercer::Error(mercer::ErrorCode::bad_value, fmt::format("{} is '{}', which is not a number", source, whole),
                        remedy);
  }
}

}  // namespace

double parse_fraction(const std::string& text, const std::string& source) {
  constexpr auto remedy = "Give a share such as 1% or 0.01";
  const bool percent = text.ends_with('%');
  const double value = number(percent ? text.substr(0, text.size() - 1) : text, text, source, remedy);
  // Whoever writes 5 means 5%, not 500%.
  if (!percent && value > 1) {
    throw mercer::Error(
        mercer::ErrorCode::out_of_range,
        fmt::format("{} is {}, that is {:g}%; legal: 0 to 1, or a number with %", source, text, 100 * value), remedy);
  }
  mercer::require_in_range(source, value, 0, 1e6, remedy);
  return percent ? value / 100 : value;
}

double parse_seconds(const std::string& text, const std::string& source) {
  constexpr auto remedy = "Give a time such as 60s, 5m or 2h";
  const char unit = text.empty() ? 's' : text.back();
  const double seconds = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1;
  const bool has_unit = unit == 's' || unit == 'm' || unit == 'h';
  const double value = number(has_unit ? text.substr(0, text.size() - 1) : text, text, source, remedy);
  mercer::require_in_range(source, value, 0, 1e6, remedy);
  return seconds * value;
}
