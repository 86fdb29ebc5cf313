#include "cli/output.hpp"

#include <cmath>

#include <fmt/format.h>

std::string to_text(const mercer::ReturnSummary& summary) {
  if (std::isnan(summary.std)) return fmt::format("{:.6g} (one episode: no interval)", summary.mean);
  return fmt::format("mean {:.6g}, std {:.4g}, 95% interval [{:.6g}, {:.6g}]", summary.mean, summary.std,
                     summary.ci95.low, summary.ci95.high);
}

void print_json(const nlohmann::ordered_json& document) { fmt::print("{}\n", document.dump(2)); }
