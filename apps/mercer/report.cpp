#include "report.hpp"

#include <cmath>

#include <fmt/format.h>

using json = nlohmann::ordered_json;

json to_json(const mercer::ReturnSummary& summary) {
  return {{"mean", summary.mean}, {"std", summary.std}, {"ci95", {summary.ci95.low, summary.ci95.high}}};
}

json to_json(const mercer::PairedLoss& loss) {
  return {{"loss_mean", loss.loss_mean},
          {"loss_percent", loss.loss_percent},
          {"ci95_percent", {loss.ci95_percent.low, loss.ci95_percent.high}}};
}

std::string to_text(const mercer::ReturnSummary& summary) {
  if (std::isnan(summary.std)) return fmt::format("{:.6g} (one episode: no interval)", summary.mean);
  return fmt::format("mean {:.6g}, std {:.4g}, 95% interval [{:.6g}, {:.6g}]", summary.mean, summary.std,
                     summary.ci95.low, summary.ci95.high);
}

void print_json(const json& document) { fmt::print("{}\n", document.dump(2)); }
