#pragma once

#include <string>
#include <vector>

namespace mercer::paper {

/// An inequality on the data that was written down before the data was there.
struct Rule {
  std::string name;  ///< few words
  std::string says;  ///< what is compared, in words
  double left = 0;
  double right = 0;
  bool holds = false;  ///< left < right, or left <= right; never for NaN
};
Rule below(std::string name, std::string says, double left, double right);
Rule at_most(std::string name, std::string says, double left, double right);

/// What the data say about a claim.
struct Verdict {
  std::vector<Rule> rules;         ///< what the claim says, one inequality for each part
  std::string saw;                 ///< what was measured, in words and numbers
  std::vector<Rule> because = {};  ///< experiments that tell why a part does not hold
  std::string reason = {};         ///< what they say, in words

  /// "holds" where every rule does, "does not hold" where none does, "holds in part" otherwise; "not measured" without
  /// rules.
  std::string word() const;
};

}  // namespace mercer::paper
