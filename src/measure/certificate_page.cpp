#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/behaviour_words.hpp"
#include "measure/certificate_words.hpp"

namespace mercer {
namespace {

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

std::string known_number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "unknown"; }

// A share of episodes, a percentage or a return, as promises of this kind are given.
std::string in_unit(Quantity about, double value) {
  if (!std::isfinite(value)) return "";
  if (about == Quantity::episode_return) return fmt::format("{:.6g}", value);
  return fmt::format("{:.4g}%", is_share(about) ? 100 * value : value);
}

std::string promise_table(const std::vector<Promise>& promises) {
  if (promises.empty()) return "";
  std::string text = fmt::format("\n{:<52} {:>11} {:>11} {:>11} {:>11} {:>9}\n", "promised together", "teacher",
                                 "embedding", "measured", "at most", "allowed");
  for (const Promise& promise : promises) {
    const auto cell = [&](double value) { return in_unit(promise.about, value); };
    text += fmt::format("{:<52} {:>11} {:>11} {:>11} {:>11} {:>9}{}\n", promise_words(promise), cell(promise.teacher),
                        cell(promise.embedding), cell(promise.measured), promised(promise),
                        promise.budget ? cell(*promise.budget) : "",
                        !promise.budget  ? ""
                        : promise.kept() ? "  kept"
                                         : "  NOT kept");
  }
  return text;
}

// A limit is judged on its own, a printed bound counts the others: the two may disagree by a little.
std::string limits(const Certificate& certificate) {
  if (std::ranges::none_of(certificate.promises, [](const Promise& one) { return one.budget.has_value(); }) &&
      !certificate.budget_percent && !certificate.budget_return) {
    return "";
  }
  const bool apart = std::ranges::any_of(
      certificate.promises, [](const Promise& one) { return one.budget && one.kept() && one.upper > *one.budget; });
  return fmt::format("Limits{}: {}.{}\n", certificate.grid ? " (mean over the box)" : "",
                     certificate.within_budget ? "kept" : "NOT kept",
                     apart ? " Judged on its own at the same confidence it keeps the limit; the bound printed above "
                             "also counts the other promises."
                           : "");
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
  std::string title() const { return fmt::format("{}, {}: {}", name(level), words(level), words(about, in_model)); }
};

// Promises first, the printed forms last. In each group the winner stands first.
std::vector<Group> grouped(const std::vector<CertificateRow>& rows) {
  std::vector<Group> groups;
  for (const Level level :
       {Level::statistical, Level::estimate, Level::rigorous, Level::exact, Level::model, Level::paper}) {
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
  if (row.winner && !row.vacuous) text += "  least";
  if (row.value < row.measured * (1 - 1e-9) - 1e-12) text += "  BELOW THE TRUTH";
  if (row.vacuous) text += "  vacuous: says nothing";
  return text;
}

std::string table(const std::vector<Group>& groups) {
  std::string text = fmt::format("\n{:<28} {:>12} {:>12} {:>12}\n", "bound", "at most", "measured", "slack");
  for (const Group& group : groups) {
    text += group.title() + "\n";
    for (const CertificateRow* row : group.rows) {
      text += fmt::format("  {:<26} {:>12} {:>12} {:>12}{}\n", row->term, rounded_up(row->value),
                          known_number(row->measured), known_number(row->slack), remark(*row));
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
  for (const std::string& sentence : promise_sentences(certificate)) text += sentence + "\n";
  for (const std::string& sentence : warning_sentences(certificate)) text += sentence + "\n";
  text += limits(certificate);
  text += fmt::format("Bounded by {}{}", words(certificate.method),
                      certificate.about == Quantity::action ? "" : fmt::format("; seed {}", certificate.seed));
  if (certificate.sequential) text += "; episodes were played until the limits were decided";
  text += ".\n";
  if (certificate.attempt > 1) {
    text += fmt::format("This is candidate {} that was certified; the confidence counts the {} before it.\n",
                        certificate.attempt, certificate.attempt - 1);
  }
  text += promise_table(certificate.promises);
  if (const auto lines = outcome_lines(measured_outcomes(certificate)); lines.size() > 1) {
    text += fmt::format("\n{}", outcome_table(lines, "measured, on average", "teacher", "embedding"));
  }
  if (certificate.distribution) text += fmt::format("\n{}", distribution_table(*certificate.distribution));
  if (certificate.grid) text += fmt::format("\n{}", grid_table(*certificate.grid));
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
