#include "mercer/core/error.hpp"

#include <array>

#include <fmt/format.h>

namespace mercer {

std::span<const ErrorKind> error_kinds() {
  static constexpr std::array kinds{
      ErrorKind{ErrorCode::unknown_name, "unknown name"},
      ErrorKind{ErrorCode::out_of_range, "out of range"},
      ErrorKind{ErrorCode::bad_value, "bad value"},
      ErrorKind{ErrorCode::missing_option, "missing option"},
      ErrorKind{ErrorCode::not_finite, "not finite"},
      ErrorKind{ErrorCode::shape_mismatch, "shape mismatch"},
      ErrorKind{ErrorCode::bad_distribution, "bad distribution"},
      ErrorKind{ErrorCode::too_large, "too large"},
      ErrorKind{ErrorCode::cannot_open, "cannot open"},
      ErrorKind{ErrorCode::cannot_write, "cannot write"},
      ErrorKind{ErrorCode::corrupt_file, "corrupt file"},
      ErrorKind{ErrorCode::bad_format, "bad format"},
      ErrorKind{ErrorCode::bad_plugin, "bad plug-in"},
      ErrorKind{ErrorCode::not_met, "not met"},
      ErrorKind{ErrorCode::interrupted, "interrupted"},
  };
  return kinds;
}

Error::Error(ErrorCode code, std::string problem, std::string remedy)
    : std::runtime_error(
          fmt::format("E{}: {}. {}{}", static_cast<int>(code), problem, remedy, remedy.ends_with('?') ? "" : ".")),
      code_(code),
      problem_(std::move(problem)),
      remedy_(std::move(remedy)) {}

int Error::exit_code() const {
  const int number = static_cast<int>(code_);
  return number >= 200 ? number / 100 : number;
}

void require_in_range(std::string_view name, double value, double low, double high, std::string_view remedy) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::out_of_range, fmt::format("{} is {}; legal: {} to {}", name, value, low, high),
              std::string(remedy));
}

}  // namespace mercer
