#include "mercer/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/fault.hpp"
#include "io/documents.hpp"
#include "measure/behaviour_json.hpp"
#include "measure/certificate_json.hpp"
#include "measure/json_numbers.hpp"
#include "mercer/error.hpp"

namespace mercer {

CertificateRow certificate_row(std::string term, Level level, double value, double measured, double range_width,
                               std::vector<std::string> assumptions) {
  CertificateRow row;
  row.term = std::move(term);
  row.level = level;
  row.value = value;
  row.measured = measured;
  row.slack = value - measured;
  row.vacuous = !(value < range_width);
  row.assumptions = std::move(assumptions);
  return row;
}

void mark_winners(std::vector<CertificateRow>& rows) {
  std::map<Quantity, CertificateRow*> least;
  for (CertificateRow& row : rows) {
    row.winner = false;
    const bool of_return = row.about == Quantity::episode_return || row.about == Quantity::discounted_return;
    const bool modelled = row.in_model && !planted(8);
    if (row.level != Level::rigorous || modelled || !of_return || std::isnan(row.value)) continue;
    CertificateRow*& best = least[row.about];
    // Of those that only rounding parts the first.
    if (best == nullptr || row.value < best->value * (1 - 1e-9)) best = &row;
  }
  for (const auto& [about, row] : least) row->winner = true;
}

void judge(Certificate& certificate) {
  certificate.within_budget = std::ranges::all_of(certificate.promises, &Promise::kept);
}

const PerturbedPoint& PerturbedGrid::worst() const {
  const auto share = [](const PerturbedPoint& point) {
    return point.upper_percent ? *point.upper_percent : 100 * point.upper_return / std::abs(point.teacher_return);
  };
  return *std::ranges::max_element(points, {}, share);
}

namespace {

using json = nlohmann::json;
using ordered = nlohmann::ordered_json;

constexpr std::string_view in_model = "_in_model";
// What version 0.1 wrote instead.
constexpr std::string_view in_model_words = " in the model";
constexpr std::pair<std::string_view, std::string_view> old_terms[] = {
    {"mean error", "mean_error"}, {"model-exact + model error", "model-exact+error"}};

std::string about_code(const CertificateRow& row) {
  return std::string(name(row.about)) + std::string(row.in_model ? in_model : "");
}

// Takes `end` off the text, if it is there.
bool cut(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

template <Named E>
E code_from(const std::string& text, const std::string& owner) {
  if (const std::optional<E> found = find_name<E>(text)) return *found;
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}': its certificate names the {} '{}'; known: {}", owner, Names<E>::kind, text,
                          fmt::join(names<E>(), ", ")),
              "Read it with the version of Mercer that wrote it, or certify it again with this one");
}

template <Named E>
E code_from(const json& document, const char* key, const std::string& owner) {
  return code_from<E>(document.at(key).get<std::string>(), owner);
}

// Version 0.1 repeated behind the term what the row is about.
std::string term_from(std::string term, const std::string& about) {
  cut(term, fmt::format(" ({})", about));
  for (const auto& [old, code] : old_terms) {
    if (term == old) return std::string(code);
  }
  return term;
}

ordered promise_json(const Promise& promise) {
  return {{"about", name(promise.about)},
          {"teacher", json_number(promise.teacher)},
          {"embedding", json_number(promise.embedding)},
          {"measured", json_number(promise.measured)},
          {"upper", json_number(promise.upper)},
          {"alone", json_number(promise.alone)},
          {"budget", json_number(promise.budget)},
          {"factor", promise.factor},
          {"kept", promise.kept()}};
}

Promise promise_from(const json& document, const std::string& owner) {
  return {code_from<Quantity>(document, "about", owner),
          number_from(document.at("teacher")),
          number_from(document.at("embedding")),
          number_from(document.at("measured")),
          number_from(document.at("upper")),
          number_from(document.at("alone")),
          optional_from(document.at("budget")),
          document.value("factor", 1.0)};
}

// Every face reads a value of each point for each name, and the worst of the points.
PerturbedGrid checked(PerturbedGrid grid, const std::string& owner) {
  const std::size_t names = grid.names.size();
  const bool fits = std::ranges::all_of(grid.points, [&](const auto& point) { return point.values.size() == names; });
  if (fits && grid.ranges.size() == names && !grid.points.empty()) return grid;
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}': the perturbed grid of its certificate has {} parameters, {} ranges and {} points that "
                          "do not fit each other",
                          owner, names, grid.ranges.size(), grid.points.size()),
              "Certify it again with this version of Mercer");
}

ReturnDistribution checked(ReturnDistribution of, const std::string& owner) {
  const std::size_t size = of.returns.size();
  if (size > 0 && of.teacher.size() == size && of.embedding.size() == size) return of;
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}': the distribution of returns in its certificate has {} returns and {} and {} shares",
                          owner, size, of.teacher.size(), of.embedding.size()),
              "Certify it again with this version of Mercer");
}

CertificateRow row_from(const json& document, const std::string& owner) {
  CertificateRow row;
  std::string about = document.value("about", std::string(name(Quantity::episode_return)));
  row.term = term_from(document.at("term").get<std::string>(), about);
  row.in_model = cut(about, in_model) || cut(about, in_model_words);
  row.about = code_from<Quantity>(about, owner);
  row.level = code_from<Level>(document, "level", owner);
  // Version 0.1 called theorems in a model rigorous, and the least of them the winner.
  if ((row.in_model && row.level == Level::rigorous) || row.term == "model-exact+error") row.level = Level::model;
  row.value = number_from(document.at("value"));
  row.measured = number_from(document.at("measured"));
  row.slack = number_from(document.at("slack"));
  row.vacuous = document.at("vacuous").get<bool>();
  row.assumptions = document.at("assumptions").get<std::vector<std::string>>();
  row.winner = document.value("winner", false) && row.level != Level::model;
  return row;
}

}  // namespace

ordered to_json(const Certificate& certificate) {
  ordered rows = ordered::array();
  for (const CertificateRow& row : certificate.rows) {
    rows.push_back({{"term", row.term},
                    {"level", name(row.level)},
                    {"value", json_number(row.value)},
                    {"measured", json_number(row.measured)},
                    {"slack", json_number(row.slack)},
                    {"vacuous", row.vacuous},
                    {"assumptions", row.assumptions},
                    {"about", about_code(row)},
                    {"winner", row.winner}});
  }
  ordered promises = ordered::array();
  for (const Promise& promise : certificate.promises) promises.push_back(promise_json(promise));
  return {{"promises", std::move(promises)},
          {"rows", std::move(rows)},
          {"teacher_return", json_number(certificate.teacher_return)},
          {"loss_return", json_number(certificate.loss_return)},
          {"loss_percent", json_number(certificate.loss_percent)},
          {"upper_return", json_number(certificate.upper_return)},
          {"upper_percent", json_number(certificate.upper_percent)},
          {"confidence", certificate.confidence},
          {"level", name(certificate.level)},
          {"method", name(certificate.method)},
          {"gamma", certificate.gamma},
          {"about", name(certificate.about)},
          {"act", name(certificate.act)},
          {"env", certificate.env},
          {"teacher", certificate.teacher},
          {"episodes", certificate.episodes},
          {"seed", certificate.seed},
          {"attempt", certificate.attempt},
          {"budget_percent", json_number(certificate.budget_percent)},
          {"budget_return", json_number(certificate.budget_return)},
          {"met", certificate.within_budget},
          {"cut", certificate.cut ? ordered{certificate.cut->low, certificate.cut->high} : ordered(nullptr)},
          {"sequential", certificate.sequential},
          {"drawing_cost", json_number(certificate.drawing_cost)},
          {"motion", certificate.motion ? to_json(*certificate.motion) : ordered(nullptr)},
          {"grid", certificate.grid ? to_json(*certificate.grid) : ordered(nullptr)},
          {"distribution", certificate.distribution ? to_json(*certificate.distribution) : ordered(nullptr)},
          {"not_covered", certificate.not_covered}};
}

Certificate certificate_from_json(const json& stored, const std::string& owner) {
  Certificate read;
  json document = stored;
  make_printable(document);  // its texts are only shown
  try {
    for (const json& row : document.at("rows")) read.rows.push_back(row_from(row, owner));
    read.teacher_return = number_from(document.at("teacher_return"));
    read.loss_return = number_from(document.at("loss_return"));
    read.loss_percent = number_from(document.at("loss_percent"));
    read.upper_return = number_from(document.at("upper_return"));
    read.upper_percent = optional_from(document.at("upper_percent"));
    read.confidence = document.at("confidence").get<double>();
    read.level = code_from<Level>(document, "level", owner);
    read.method = code_from<LossMethod>(document, "method", owner);
    read.gamma = document.at("gamma").get<double>();
    if (document.contains("about")) read.about = code_from<Quantity>(document, "about", owner);
    read.act = code_from<Act>(document, "act", owner);
    read.env = document.at("env").get<std::string>();
    read.teacher = document.at("teacher").get<std::string>();
    read.episodes = count_from(document.at("episodes"));
    read.seed = count_from(document.at("seed"));
    read.attempt = count_from(document.at("attempt"));
    read.budget_percent = optional_from(document.at("budget_percent"));
    read.budget_return = optional_from(document.at("budget_return"));
    read.within_budget = document.at("met").get<bool>();
    read.not_covered = document.at("not_covered").get<std::vector<std::string>>();
    if (!document.contains("promises")) return read;  // version 0.1
    for (const json& promise : document["promises"]) read.promises.push_back(promise_from(promise, owner));
    const json& cut = document.at("cut");
    if (!cut.is_null()) read.cut = Range{cut.at(0).get<double>(), cut.at(1).get<double>()};
    read.sequential = document.at("sequential").get<bool>();
    read.drawing_cost = optional_from(document.at("drawing_cost"));
    const auto has = [&](const char* key) { return document.contains(key) && !document[key].is_null(); };
    if (has("motion")) read.motion = motion_pair_from_json(document["motion"]);
    if (has("grid")) read.grid = checked(grid_from_json(document["grid"]), owner);
    if (has("distribution")) read.distribution = checked(distribution_from_json(document["distribution"]), owner);
  } catch (const json::exception& mistake) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': its certificate cannot be read: {}", owner, mistake.what()),
                "Certify it again with this version of Mercer");
  }
  return read;
}

std::string certificate_json(const Certificate& certificate) { return to_json(certificate).dump(2); }

Certificate certificate_from_json(const std::string& text, const std::string& owner) {
  try {
    return certificate_from_json(parse_strict_json<json>(text, owner), owner);
  } catch (const json::parse_error&) {
    return certificate_from_json(json(), owner);
  }
}

}  // namespace mercer
