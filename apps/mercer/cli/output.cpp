#include "cli/output.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "core/printable.hpp"

namespace {

// A bar of `eighths` eighths of a character.
std::string bar(std::size_t eighths, bool unicode) {
  if (!unicode) return std::string((eighths + 4) / 8, '#');
  static constexpr const char* parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + parts[eighths % 8];
}

}  // namespace

std::string to_text(const mercer::ReturnSummary& summary) {
  if (std::isnan(summary.std)) return fmt::format("{:.6g} (one episode: no interval)", summary.mean);
  return fmt::format("mean {:.6g}, std {:.4g}, 95% interval [{:.6g}, {:.6g}]", summary.mean, summary.std,
                     summary.ci95.low, summary.ci95.high);
}

void print_json(const nlohmann::ordered_json& document) {
  // Names of files need not be UTF-8. What controls a terminal or turns text around is escaped: in JSON that is the
  // same.
  std::istringstream lines(document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t at = line.find('\x7f'); at != std::string::npos; at = line.find('\x7f', at))
      line.replace(at, 1, "\\u007f");
    fmt::print("{}\n", mercer::printable(line));
  }
}

std::string histogram(std::span<const double> values, std::size_t width, bool unicode) {
  const auto [low, high] = std::ranges::minmax(values);
  if (low == high) return fmt::format("  all {:g}\n", low);
  const auto bins = static_cast<std::size_t>(std::clamp(std::sqrt(static_cast<double>(values.size())), 4.0, 14.0));
  const double bin_width = (high - low) / static_cast<double>(bins);
  std::vector<std::size_t> counts(bins);
  for (const double value : values) {
    counts[std::min(bins - 1, static_cast<std::size_t>((value - low) / bin_width))] += 1;
  }
  const std::size_t most = std::ranges::max(counts);
  const std::size_t room = std::max<std::size_t>(width, 40) - 30;
  // Enough decimals to distinguish neighbouring bins.
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(bin_width))), 0, 6);
  std::string text;
  for (std::size_t b = 0; b < bins; ++b) {
    const double place = low + static_cast<double>(b) * bin_width;
    const double edge = std::abs(place) * std::pow(10, decimals) < 0.5 ? 0 : place;  // never "-0"
    text += fmt::format("  {:>10.{}f} {} {} {}\n", edge, decimals, unicode ? "│" : "|",
                        bar(counts[b] * room * 8 / most, unicode), counts[b] > 0 ? fmt::format("{}", counts[b]) : "");
  }
  return text;
}
