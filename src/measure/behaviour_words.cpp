#include "measure/behaviour_words.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mercer {
namespace {

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.3g}%", 100 * share) : ""; }
std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }
std::string rate(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : ""; }

// "Fails in 8% of the episodes, the teacher in 1%."
struct Warning {
  double teacher, embedding, floor;
  std::string (*text)(double);
  const char *before, *after, *of_teacher;
};

std::string sentence(const Warning& one) {
  std::string said = fmt::format("{} {}{}", one.before, one.text(one.embedding), one.after);
  if (one.teacher == 0) return said + "; the teacher does not.";
  return fmt::format("{}, the teacher {}{}.", said, one.of_teacher, one.text(one.teacher));
}

void add_motion(std::vector<Warning>& all, const Motion& teacher, const Motion& embedding, bool discrete) {
  constexpr double share = 0.01, a_second = 1;
  all.push_back({teacher.reversals, embedding.reversals, a_second, rate,
                 discrete ? "Switches the action" : "Reverses the action", " times a second", ""});
  if (discrete) {
    all.push_back(
        {teacher.roughness, embedding.roughness, share, percent, "Changes the action at", " of the steps", "at "});
    return;
  }
  all.push_back({teacher.roughness, embedding.roughness, share, percent, "Changes the action by",
                 " of its range from step to step", "by "});
  all.push_back(
      {teacher.saturation, embedding.saturation, share, percent, "Drives the action to a bound", " of the time", ""});
  all.push_back({teacher.effort, embedding.effort, share, percent, "Acts with", " of the largest effort", "with "});
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

std::vector<OutcomeLine> outcome_lines(const OutcomePair& pair) {
  const auto& [teacher, embedding] = pair;
  const bool discrete = pair.discrete();
  std::vector<OutcomeLine> lines;
  const auto add = [&](const char* code, const char* words, std::string first, std::string second) {
    if (!second.empty()) lines.push_back({code, words, std::move(first), std::move(second)});
  };
  add("return", "return", number(teacher.mean_return), number(embedding.mean_return));
  if (embedding.motion) {
    const auto both = [&](const char* code, const char* words, double Motion::*which, std::string (*text)(double)) {
      add(code, words, teacher.motion ? text(*teacher.motion.*which) : "", text(*embedding.motion.*which));
    };
    both("roughness",
         discrete ? "roughness: steps at which the action changes"
                  : "roughness: change of the action a step, of its range",
         &Motion::roughness, percent);
    if (!discrete) {
      both("saturation", "saturation: actions within 1% of a bound", &Motion::saturation, percent);
      both("effort", "effort: squared action, of the largest", &Motion::effort, percent);
    }
    both("reversals",
         discrete ? "switches a second (a step where time has no unit)"
                  : "reversals a second (a step where time has no unit)",
         &Motion::reversals, rate);
  }
  if (embedding.failures) {
    add("failures", "failures: episodes that fail", teacher.failures ? percent(*teacher.failures) : "",
        percent(*embedding.failures));
  }
  add("distance",
      discrete ? "distance: states with other actions, where each goes"
               : "distance of actions, of their range, where each goes",
      percent(teacher.distance), percent(embedding.distance));
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

std::vector<std::string> warning_sentences(const OutcomePair& pair) {
  constexpr double times = 3, share = 0.01;
  const auto& [teacher, embedding] = pair;
  std::vector<Warning> all;
  if (teacher.motion && embedding.motion) add_motion(all, *teacher.motion, *embedding.motion, pair.discrete());
  if (teacher.failures && embedding.failures) {
    all.push_back({*teacher.failures, *embedding.failures, share, percent, "Fails in", " of the episodes", "in "});
  }
  std::vector<std::string> sentences;
  for (const Warning& one : all) {
    if (one.embedding > one.floor && one.embedding > times * one.teacher) sentences.push_back(sentence(one));
  }
  return sentences;
}

std::vector<std::string> warning_sentences(const Certificate& certificate) {
  return warning_sentences(measured_outcomes(certificate));
}

}  // namespace mercer
