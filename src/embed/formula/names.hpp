#pragma once

#include <set>
#include <string>

namespace mercer {

/// Names for a formula: identifiers, each given once, none that Python, sympy or a calculator has a meaning for.
class FormulaNames {
 public:
  /// What is legal in `wanted`, with a number behind it where that is taken.
  std::string take(const std::string& wanted);
  /// A short name for what is made of `axis`: v for speeds, x for positions, otherwise its first letter.
  std::string take_short(const std::string& axis);

 private:
  std::set<std::string> taken_;
};

}  // namespace mercer
