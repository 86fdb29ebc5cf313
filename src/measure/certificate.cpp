#include "mercer/certificate.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "measure/certificate_json.hpp"
#include "mercer/error.hpp"

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

namespace {

using json = nlohmann::json;
using ordered = nlohmann::ordered_json;

ordered number(double value) { return std::isfinite(value) ? ordered(value) : ordered(nullptr); }
ordered number(const std::optional<double>& value) { return value ? number(*value) : ordered(nullptr); }

double to_number(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
std::optional<double> to_optional(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

}  // namespace

ordered to_json(const Certificate& certificate) {
  ordered rows = ordered::array();
  for (const CertificateRow& row : certificate.rows) {
    rows.push_back({{"term", row.term},
                    {"level", row.level},
                    {"value", number(row.value)},
                    {"measured", number(row.measured)},
                    {"slack", number(row.slack)},
                    {"vacuous", row.vacuous},
                    {"assumptions", row.assumptions},
                    {"about", row.about},
                    {"winner", row.winner}});
  }
  return {{"rows", std::move(rows)},
          {"teacher_return", number(certificate.teacher_return)},
          {"loss_return", number(certificate.loss_return)},
          {"loss_percent", number(certificate.loss_percent)},
          {"upper_return", number(certificate.upper_return)},
          {"upper_percent", number(certificate.upper_percent)},
          {"confidence", certificate.confidence},
          {"level", certificate.level},
          {"method", certificate.method},
          {"gamma", certificate.gamma},
          {"about", certificate.about},
          {"act", certificate.act},
          {"env", certificate.env},
          {"teacher", certificate.teacher},
          {"episodes", certificate.episodes},
          {"seed", certificate.seed},
          {"attempt", certificate.attempt},
          {"budget_percent", number(certificate.budget_percent)},
          {"budget_return", number(certificate.budget_return)},
          {"met", certificate.met},
          {"not_covered", certificate.not_covered}};
}

Certificate certificate_from_json(const json& document, const std::string& owner) {
  Certificate read;
  try {
    for (const json& row : document.at("rows")) {
      read.rows.push_back({row.at("term").get<std::string>(), row.at("level").get<std::string>(),
                           to_number(row.at("value")), to_number(row.at("measured")), to_number(row.at("slack")),
                           row.at("vacuous").get<bool>(), row.at("assumptions").get<std::vector<std::string>>(),
                           row.value("about", "return"), row.value("winner", false)});
    }
    read.teacher_return = to_number(document.at("teacher_return"));
    read.loss_return = to_number(document.at("loss_return"));
    read.loss_percent = to_number(document.at("loss_percent"));
    read.upper_return = to_number(document.at("upper_return"));
    read.upper_percent = to_optional(document.at("upper_percent"));
    read.confidence = document.at("confidence").get<double>();
    read.level = document.at("level").get<std::string>();
    read.method = document.at("method").get<std::string>();
    read.gamma = document.at("gamma").get<double>();
    read.about = document.value("about", "return");
    read.act = document.at("act").get<std::string>();
    read.env = document.at("env").get<std::string>();
    read.teacher = document.at("teacher").get<std::string>();
    read.episodes = document.at("episodes").get<std::uint64_t>();
    read.seed = document.at("seed").get<std::uint64_t>();
    read.attempt = document.at("attempt").get<std::uint64_t>();
    read.budget_percent = to_optional(document.at("budget_percent"));
    read.budget_return = to_optional(document.at("budget_return"));
    read.met = document.at("met").get<bool>();
    read.not_covered = document.at("not_covered").get<std::vector<std::string>>();
  } catch (const json::exception& mistake) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': its certificate cannot be read: {}", owner, mistake.what()),
                "Certify it again with this version of Mercer");
  }
  return read;
}

std::string certificate_json(const Certificate& certificate) { return to_json(certificate).dump(2); }

Certificate certificate_from_json(const std::string& text, const std::string& owner) {
  return certificate_from_json(json::parse(text, nullptr, false), owner);
}

}  // namespace mercer
