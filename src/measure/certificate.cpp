#include "mercer/measure/certificate.hpp"

#include <cmath>
#include <map>

namespace mercer {

CertificateRow certificate_row(std::string term, std::string level, double value, double measured, double range_width,
                               std::vector<std::string> assumptions) {
  const double slack = value - measured;
  return {std::move(term),        std::move(level),       value,    measured, slack,
          !(value < range_width), std::move(assumptions), "return", false};
}

void mark_winners(std::vector<CertificateRow>& rows) {
  std::map<std::string, CertificateRow*> least;
  for (CertificateRow& row : rows) {
    row.winner = false;
    const bool of_return = row.about.starts_with("return") || row.about == "discounted return" ||
                           row.about == "discounted return in the model";
    if (row.level != "rigorous" || !of_return || std::isnan(row.value)) continue;
    CertificateRow*& best = least[row.about];
    // Of those that only rounding parts the first.
    if (best == nullptr || row.value < best->value * (1 - 1e-9)) best = &row;
  }
  for (const auto& [about, row] : least) row->winner = true;
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

}  // namespace mercer
