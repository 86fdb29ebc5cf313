#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/certificate.hpp"

namespace mercer {
namespace {

// What the page calls a quantity.
std::string words(Quantity about, bool in_model) {
  for (const Spelling<Quantity>& row : Names<Quantity>::table) {
    if (row.value == about) return std::string(row.also) + (in_model ? " in the model" : "");
  }
  return "";
}

const char* words(LossMethod method) {
  switch (method) {
    case LossMethod::betting:
      return "betting";
    case LossMethod::predictable_bernstein:
      return "the predictable Bernstein bound";
    case LossMethod::empirical_bernstein:
      return "the empirical Bernstein bound";
    case LossMethod::hoeffding:
      return "Hoeffding's bound";
    case LossMethod::student_t:
      return "Student's t";
  }
  return "";
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "unknown"; }

// A promise may not look better than it is: losses are rounded up, gains down.
std::string at_most(double percent) { return fmt::format("{:.4f}%", std::ceil(percent * 1e4) / 1e4); }
std::string at_least(double percent) { return fmt::format("{:.4f}%", std::floor(percent * 1e4) / 1e4); }

std::string promise(const Certificate& certificate) {
  const double confidence = 100 * certificate.confidence;
  std::string text;
  if (certificate.about == Quantity::action) {
    return fmt::format(
        "Actions differ from the teacher's by at most {} of their range on average, with {:.6g}% "
        "confidence.\nMeasured: {:.4g}%. Nothing is promised about the return.\n",
        at_most(certificate.upper_percent.value_or(100)), confidence, certificate.loss_percent);
  }
  if (certificate.upper_percent) {
    const double upper = *certificate.upper_percent;
    text = upper >= 0 ? fmt::format("Loses at most {} of the teacher's return", at_most(upper))
                      : fmt::format("Gains at least {} of the teacher's return", at_least(-upper));
    text += fmt::format(", with {:.6g}% confidence.\n", confidence);
  }
  if (std::isfinite(certificate.upper_return)) {
    const double upper = certificate.upper_return;
    text += fmt::format("{} {} in return, with {:.6g}% confidence.\n", upper >= 0 ? "Loses at most" : "Gains at least",
                        number(std::abs(upper)), confidence);
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
  if (certificate.budget_percent) {
    text += fmt::format("{:.6g}% of the {}", *certificate.budget_percent,
                        certificate.about == Quantity::action ? "action's range" : "teacher's return");
  }
  if (certificate.budget_return) {
    text += fmt::format("{}{:.6g} in return", text.empty() ? "" : " and ", *certificate.budget_return);
  }
  if (text.empty()) return "";
  return fmt::format("Allowed: {}. {}\n", text, certificate.within_budget ? "Met." : "NOT met.");
}

bool applies(const CertificateRow& row) { return !std::isnan(row.value); }

// Rows of one level about one thing, under a heading.
struct Group {
  Level level;
  Quantity about;
  bool in_model;
  std::vector<const CertificateRow*> rows;

  bool has(const CertificateRow& row) const {
    return row.level == level && row.about == about && row.in_model == in_model;
  }
  std::string title() const { return fmt::format("{}: {}", name(level), words(about, in_model)); }
};

// Promises first, the printed forms last. In each group the winner stands first.
std::vector<Group> grouped(const std::vector<CertificateRow>& rows) {
  std::vector<Group> groups;
  for (const Level level : {Level::statistical, Level::estimate, Level::rigorous, Level::exact, Level::paper}) {
    for (const CertificateRow& row : rows) {
      if (row.level != level || !applies(row)) continue;
      auto own = std::ranges::find_if(groups, [&](const Group& group) { return group.has(row); });
      if (own == groups.end()) own = groups.insert(own, {level, row.about, row.in_model, {}});
      own->rows.insert(row.winner ? own->rows.begin() : own->rows.end(), &row);
    }
  }
  return groups;
}

std::string remark(const CertificateRow& row) {
  std::string text;
  if (row.winner) text += "  least";
  if (row.value < row.measured * (1 - 1e-9) - 1e-12) text += "  BELOW THE TRUTH";
  if (row.vacuous) text += "  vacuous: says nothing";
  return text;
}

std::string table(const std::vector<Group>& groups) {
  std::string text = fmt::format("\n{:<28} {:>12} {:>12} {:>12}\n", "bound", "at most", "measured", "slack");
  for (const Group& group : groups) {
    text += fmt::format("{}{}: {}\n", name(group.level), group.level == Level::paper ? ", not a guarantee" : "",
                        words(group.about, group.in_model));
    for (const CertificateRow* row : group.rows) {
      text += fmt::format("  {:<26} {:>12} {:>12} {:>12}{}\n", row->term, number(row->value), number(row->measured),
                          number(row->slack), remark(*row));
    }
  }
  return text;
}

// One line for all of them; why is in the JSON.
std::string do_not_apply(const std::vector<CertificateRow>& rows) {
  std::vector<std::string> names;
  for (const CertificateRow& row : rows) {
    if (!applies(row)) names.push_back(row.term);
  }
  return names.empty() ? "" : fmt::format("do not apply here: {}\n", fmt::join(names, ", "));
}

bool rests_on(const CertificateRow& row, const std::string& assumption) {
  return std::ranges::find(row.assumptions, assumption) != row.assumptions.end();
}

// What all rows of a group rest on is told once, and rows that rest on the same are told together.
std::string grounds(const Group& group) {
  const auto shared = [&](const std::string& assumption) {
    return std::ranges::all_of(group.rows, [&](const CertificateRow* row) { return rests_on(*row, assumption); });
  };
  std::vector<std::pair<std::vector<std::string>, std::string>> own;  // assumptions and the names of their rows
  for (const CertificateRow* row : group.rows) {
    std::vector<std::string> rest;
    std::ranges::copy_if(row->assumptions, std::back_inserter(rest), [&](const auto& one) { return !shared(one); });
    const auto same = std::ranges::find_if(own, [&](const auto& other) { return other.first == rest; });
    if (same == own.end()) {
      own.emplace_back(std::move(rest), row->term);
    } else {
      same->second += ", " + row->term;
    }
  }
  const bool together = own.size() == 1;
  std::string text =
      together ? fmt::format("  {} ({})\n", own.front().second, group.title()) : fmt::format("  {}\n", group.title());
  for (const std::string& assumption : group.rows.front()->assumptions) {
    if (shared(assumption)) text += fmt::format("    - {}\n", assumption);
  }
  for (const auto& [rest, names] : own) {
    if (!together) text += fmt::format("    {}\n", names);
    for (const std::string& assumption : rest) text += fmt::format("      - {}\n", assumption);
  }
  return text;
}

}  // namespace

std::string certificate_page(const Certificate& certificate) {
  std::string text = fmt::format("Certificate of an embedding of {} in {}\n", certificate.teacher, certificate.env);
  text += promise(certificate) + budget(certificate);
  if (certificate.about == Quantity::action) {
    text += fmt::format("From logged states alone, by {}.\n", words(certificate.method));
  } else {
    text += fmt::format("{} paired episodes, seed {}, actions {}, by {}.\n", certificate.episodes, certificate.seed,
                        certificate.act == Act::mean ? "not drawn (mean)" : "drawn", words(certificate.method));
  }
  if (certificate.gamma < 1) text += fmt::format("Returns are discounted by {} a step.\n", certificate.gamma);
  if (certificate.attempt > 0)
    text += fmt::format("Attempt {}: the confidence counts those before it.\n", certificate.attempt);
  if (!certificate.rows.empty()) {
    const std::vector<Group> groups = grouped(certificate.rows);
    text += table(groups) + do_not_apply(certificate.rows) + "\nWhat each bound rests on:\n";
    for (const Group& group : groups) text += grounds(group);
  }
  if (!certificate.not_covered.empty()) text += "\nNot covered:\n";
  for (const std::string& sentence : certificate.not_covered) text += fmt::format("  - {}\n", sentence);
  return text;
}

}  // namespace mercer
