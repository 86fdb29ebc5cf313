#include "mercer/error.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/printable.hpp"

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
    : std::runtime_error(fmt::format("E{}: {}. {}{}", static_cast<int>(code), printable(problem), printable(remedy),
                                     remedy.ends_with('?') ? "" : ".")),
      code_(code),
      problem_(printable(problem)),
      remedy_(printable(remedy)) {}

int Error::exit_code() const {
  const int number = static_cast<int>(code_);
  return number >= 200 ? number / 100 : number;
}

void require_in_range(std::string_view name, double value, double low, double high, std::string_view remedy) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::out_of_range, fmt::format("{} is {}; legal: {} to {}", name, value, low, high),
              std::string(remedy));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rolling rows of the classical table: a swap of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1, best_shared = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= candidate.size()) continue;  // something of it must be there
    // Of names as near, the one that begins like it: "cortex-m4" is cortex-m4f rather than cortex-m0.
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(name, candidate).in1 - name.begin());
    if (distance > best_distance || (distance == best_distance && (best.empty() || shared <= best_shared))) continue;
    best = candidate;
    best_distance = distance;
    best_shared = shared;
  }
  return best;
}

void throw_unknown(std::string_view kind, std::string_view name, std::span<const std::string> known, bool suggest) {
  const std::string nearest = suggest ? nearest_name(name, known) : "";
  throw Error(
      ErrorCode::unknown_name, fmt::format("no {} is called '{}'", kind, name),
      nearest.empty() ? fmt::format("Known: {}", fmt::join(known, ", ")) : fmt::format("Did you mean '{}'?", nearest));
}

}  // namespace mercer
