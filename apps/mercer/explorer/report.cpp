#include "explorer/report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"

using json = nlohmann::ordered_json;

namespace {

thread_local JsonCatch* catching = nullptr;

}  // namespace

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

void throw_not_met(const mercer::Certificate& certificate) {
  std::string promised, allowed;
  if (certificate.budget_percent) {
    promised = certificate.upper_percent ? fmt::format("{:.4f}%", *certificate.upper_percent) : "any share";
    allowed = fmt::format("{:.6g}%", *certificate.budget_percent);
  }
  if (certificate.budget_return && !(certificate.upper_return <= *certificate.budget_return)) {
    promised = fmt::format("{:.6g}", certificate.upper_return);
    allowed = fmt::format("{:.6g}", *certificate.budget_return);
  }
  throw mercer::Error(mercer::ErrorCode::not_met,
                      fmt::format("the loss may be up to {}, and {} is allowed; measured: {:.4f}%", promised, allowed,
                                  certificate.loss_percent),
                      "Use more episodes if what was measured is well below, a larger embedding if not");
}

JsonCatch::JsonCatch() : outer_(catching) { catching = this; }
JsonCatch::~JsonCatch() { catching = outer_; }

void print_json(const json& document) {
  if (catching != nullptr) {
    catching->document = document;
  } else {
    fmt::print("{}\n", document.dump(2));
  }
}
