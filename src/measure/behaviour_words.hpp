#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mercer/certificate.hpp"

namespace mercer {

/// What one of two compared policies did, on average over the same episodes. What is unknown is NaN or empty.
struct PolicyOutcomes {
  double mean_return = std::numeric_limits<double>::quiet_NaN();
  std::optional<Motion> motion = {};
  std::optional<double> failures = {};                         ///< share of episodes
  double distance = std::numeric_limits<double>::quiet_NaN();  ///< between the actions of both, where this one goes
};
struct OutcomePair {
  PolicyOutcomes teacher, embedding;

  /// Whether actions are discrete. A box has effort wherever its action moves, discrete actions have none.
  bool discrete() const;
};
OutcomePair measured_outcomes(const Certificate& certificate);
/// `first`, and from `other` what it lacks: of each outcome both values come from the same one.
OutcomePair completed(OutcomePair first, const OutcomePair& other);

/// One outcome of both as text with its unit; empty where it is unknown.
struct OutcomeLine {
  std::string code;   ///< "return", "roughness", "saturation", "effort", "reversals", "failures" or "distance"
  std::string words;  ///< with what it is measured in
  std::string teacher, embedding;
  std::string warning;  ///< a sentence where the embedding's is far above the teacher's
};
/// A line for each outcome that is known of the embedding.
///
/// It has a warning where the embedding's value is more than three times the teacher's and large enough to matter:
/// above 1% (roughness, saturation, effort, failures) or 1 a second (reversals). Below 1% a change of the action does
/// not count as a move (see `Motion`), and 1 percentage point of failures is what `Keep::behaviour` allows. Above 1,
/// reversals are certainly counted by the second: a step has one at most.
std::vector<OutcomeLine> outcome_lines(const OutcomePair& pair);

/// The lines as a table; the teacher's column is left out where its title is empty.
std::string outcome_table(const std::vector<OutcomeLine>& lines, const std::string& title, const std::string& teacher,
                          const std::string& embedding);

/// The warnings of a certificate.
std::vector<std::string> warning_sentences(const Certificate& certificate);

}  // namespace mercer
