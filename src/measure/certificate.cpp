#include "mercer/measure/certificate.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mercer {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "unknown"; }

// A promise may not look better than it is: losses are rounded up, gains down.
std::string at_most(double percent) { return fmt::format("{:.4f}%", std::ceil(percent * 1e4) / 1e4); }
std::string at_least(double percent) { return fmt::format("{:.4f}%", std::floor(percent * 1e4) / 1e4); }

std::string promise(const Certificate& certificate) {
  const double confidence = 100 * certificate.confidence;
  std::string text;
  if (certificate.upper_percent) {
    const double upper = *certificate.upper_percent;
    text = upper >= 0 ? fmt::format("Loses at most {} of the teacher's return", at_most(upper))
                      : fmt::format("Gains at least {} of the teacher's return", at_least(-upper));
    text += fmt::format(", with {:.6g}% confidence.\n", confidence);
  }
  if (std::isfinite(certificate.upper_return)) {
    text += fmt::format("Loses at most {} in return, with {:.6g}% confidence.\n", number(certificate.upper_return),
                        confidence);
  }
  if (std::isfinite(certificate.loss_return)) {
    text += fmt::format(
        "Measured: {} of |{}|, {}.\n", number(certificate.loss_return), number(certificate.teacher_return),
        std::isfinite(certificate.loss_percent) ? fmt::format("{:.4g}%", certificate.loss_percent) : "no percentage");
  }
  return text;
}

std::string budget(const Certificate& certificate) {
  std::string text;
  if (certificate.budget_percent) text += fmt::format("{:.6g}% of the teacher's return", *certificate.budget_percent);
  if (certificate.budget_return) {
    text += fmt::format("{}{:.6g} in return", text.empty() ? "" : " and ", *certificate.budget_return);
  }
  if (text.empty()) return "";
  return fmt::format("Allowed: {}. {}\n", text, certificate.met ? "Met." : "NOT met.");
}

std::string table(const std::vector<CertificateRow>& rows) {
  std::string text =
      fmt::format("\n{:<18} {:<12} {:>12} {:>12} {:>12}\n", "bound", "level", "at most", "measured", "slack");
  for (const CertificateRow& row : rows) {
    text += fmt::format("{:<18} {:<12} {:>12} {:>12} {:>12}{}\n", row.term, row.level, number(row.value),
                        number(row.measured), number(row.slack), row.vacuous ? "  says nothing" : "");
  }
  return text;
}

}  // namespace

CertificateRow certificate_row(std::string term, std::string level, double value, double measured, double range_width,
                               std::vector<std::string> assumptions) {
  const double slack = value - measured;
  return {std::move(term), std::move(level), value, measured, slack, !(value < range_width), std::move(assumptions)};
}

void judge(Certificate& certificate) {
  certificate.met = true;
  if (certificate.budget_percent) {
    certificate.met = certificate.upper_percent && *certificate.upper_percent <= *certificate.budget_percent;
  }
  if (certificate.budget_return) {
    certificate.met = certificate.met && certificate.upper_return <= *certificate.budget_return;
  }
}

std::string certificate_page(const Certificate& certificate) {
  std::string text = fmt::format("Certificate of an embedding of {} in {}\n", certificate.teacher, certificate.env);
  text += promise(certificate) + budget(certificate);
  text += fmt::format("{} paired episodes, seed {}, actions {}, by {}.\n", certificate.episodes, certificate.seed,
                      certificate.act == "mean" ? "not drawn (mean)" : "drawn", certificate.method);
  if (certificate.gamma < 1) text += fmt::format("Returns are discounted by {} a step.\n", certificate.gamma);
  if (certificate.attempt > 0)
    text += fmt::format("Attempt {}: the confidence counts those before it.\n", certificate.attempt);
  if (!certificate.rows.empty()) text += table(certificate.rows) + "\nWhat each bound rests on:\n";
  for (const CertificateRow& row : certificate.rows) {
    text += fmt::format("  {} ({})\n", row.term, row.level);
    for (const std::string& assumption : row.assumptions) text += fmt::format("    - {}\n", assumption);
  }
  if (!certificate.not_covered.empty()) text += "\nNot covered:\n";
  for (const std::string& sentence : certificate.not_covered) text += fmt::format("  - {}\n", sentence);
  return text;
}

}  // namespace mercer
