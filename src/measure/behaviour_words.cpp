#include "measure/behaviour_words.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mercer {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.3g}%", 100 * share) : ""; }
std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }
std::string rate(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : ""; }

// "Fails in 8% of the episodes, the teacher in 1%.", for values above `floor`.
struct Phrase {
  const char *before, *after, *of_teacher;
  double floor;
};
constexpr double percent_floor = 0.01, rate_floor = 1, many_times = 3;

struct Row {
  const char *code, *words;
  double teacher, embedding;
  std::string (*text)(double);
  std::optional<Phrase> phrase = {};
};

std::string warning(const Row& row) {
  if (!row.phrase || !(row.embedding > row.phrase->floor) || !(row.embedding > many_times * row.teacher)) return "";
  const std::string said = fmt::format("{} {}{}", row.phrase->before, row.text(row.embedding), row.phrase->after);
  if (row.teacher == 0) return said + "; the teacher does not.";
  return fmt::format("{}, the teacher {}{}.", said, row.phrase->of_teacher, row.text(row.teacher));
}

std::vector<Row> box_rows(const Motion& teacher, const Motion& embedding) {
  return {{"roughness", "roughness: change of the action per step, % of range", teacher.roughness, embedding.roughness,
           percent, Phrase{"Changes the action by", " of its range from step to step", "by ", percent_floor}},
          {"saturation", "saturation: actions within 1% of a bound", teacher.saturation, embedding.saturation, percent,
           Phrase{"Drives the action to a bound", " of the time", "", percent_floor}},
          {"effort", "effort: mean squared action, % of the largest", teacher.effort, embedding.effort, percent,
           Phrase{"Acts with", " of the largest effort", "with ", percent_floor}},
          {"reversals", "reversals per second (per step without a time unit)", teacher.reversals, embedding.reversals,
           rate, Phrase{"Reverses the action", " times a second", "", rate_floor}}};
}

std::vector<Row> discrete_rows(const Motion& teacher, const Motion& embedding) {
  return {{"roughness", "roughness: steps that change the action", teacher.roughness, embedding.roughness, percent,
           Phrase{"Changes the action at", " of the steps", "at ", percent_floor}},
          {"reversals", "switches per second (per step without a time unit)", teacher.reversals, embedding.reversals,
           rate, Phrase{"Switches the action", " times a second", "", rate_floor}}};
}

std::vector<Row> rows_of(const OutcomePair& pair) {
  const auto& [teacher, embedding] = pair;
  const bool discrete = pair.discrete();
  std::vector<Row> rows{{"return", "return", teacher.mean_return, embedding.mean_return, number}};
  if (embedding.motion) {
    const Motion of_teacher = teacher.motion.value_or(Motion{unknown, unknown, unknown, unknown});
    for (const Row& row : (discrete ? discrete_rows : box_rows)(of_teacher, *embedding.motion)) rows.push_back(row);
  }
  rows.push_back({"failures", "failures: episodes that fail", teacher.failures.value_or(unknown),
                  embedding.failures.value_or(unknown), percent,
                  Phrase{"Fails in", " of the episodes", "in ", percent_floor}});
  rows.push_back({"distance",
                  discrete ? "distance: states it visits with another action"
                           : "distance of actions in states it visits, % of range",
                  teacher.distance, embedding.distance, percent});
  return rows;
}

}  // namespace

bool OutcomePair::discrete() const {
  const auto without_effort = [](const std::optional<Motion>& motion) { return motion && motion->effort == 0; };
  return without_effort(embedding.motion) && (!teacher.motion || without_effort(teacher.motion));
}

OutcomePair measured_outcomes(const Certificate& certificate) {
  OutcomePair pair;
  if (certificate.motion) {
    pair.teacher.motion = certificate.motion->teacher;
    pair.embedding.motion = certificate.motion->embedding;
  }
  for (const Promise& promise : certificate.promises) {
    switch (promise.about) {
      case Quantity::episode_return:
        pair.teacher.mean_return = promise.teacher;
        pair.embedding.mean_return = promise.embedding;
        break;
      case Quantity::failures:
        pair.teacher.failures = promise.teacher;
        pair.embedding.failures = promise.embedding;
        break;
      case Quantity::distance_teacher:
        pair.teacher.distance = promise.measured;
        break;
      case Quantity::distance_embedding:
        pair.embedding.distance = promise.measured;
        break;
      default:
        break;
    }
  }
  return pair;
}

OutcomePair completed(OutcomePair first, const OutcomePair& other) {
  const auto take = [&](auto PolicyOutcomes::*what, bool missing) {
    if (!missing) return;
    first.teacher.*what = other.teacher.*what;
    first.embedding.*what = other.embedding.*what;
  };
  take(&PolicyOutcomes::mean_return, std::isnan(first.embedding.mean_return));
  take(&PolicyOutcomes::motion, !first.embedding.motion);
  take(&PolicyOutcomes::failures, !first.embedding.failures);
  take(&PolicyOutcomes::distance, std::isnan(first.embedding.distance));
  return first;
}

std::vector<OutcomeLine> outcome_lines(const OutcomePair& pair) {
  std::vector<OutcomeLine> lines;
  for (const Row& row : rows_of(pair)) {
    if (std::isnan(row.embedding)) continue;
    lines.push_back({row.code, row.words, row.text(row.teacher), row.text(row.embedding), warning(row)});
  }
  return lines;
}

std::string outcome_table(const std::vector<OutcomeLine>& lines, const std::string& title, const std::string& teacher,
                          const std::string& embedding) {
  const auto row = [&](const std::string& words, const std::string& first, const std::string& second) {
    return teacher.empty() ? fmt::format("{:<52} {:>11}\n", words, second)
                           : fmt::format("{:<52} {:>11} {:>11}\n", words, first, second);
  };
  std::string text = row(title, teacher, embedding);
  for (const OutcomeLine& line : lines) text += row(line.words, line.teacher, line.embedding);
  return text;
}

std::vector<std::string> warning_sentences(const Certificate& certificate) {
  std::vector<std::string> sentences;
  for (const OutcomeLine& line : outcome_lines(measured_outcomes(certificate))) {
    if (!line.warning.empty()) sentences.push_back(line.warning);
  }
  return sentences;
}

}  // namespace mercer
