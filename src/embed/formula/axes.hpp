#pragma once

#include <string>
#include <vector>

#include "embed/formula/names.hpp"
#include "embed/formula/plain_terms.hpp"
#include "embed/formula/writer.hpp"

namespace mercer {

/// What a formula calls an axis, and how it scales it.
struct FormulaAxis {
  std::string axis;             ///< the observation, or the action below a density
  std::string variable;         ///< what terms are made of: the same where nothing is scaled
  double middle = 0, half = 1;  ///< the coordinate is (axis - middle) / half before it is bent
  bool periodic = false;        ///< the variable is pi times the coordinate: an angle
  bool clipped = false;         ///< values outside occur and count as the ends
  std::vector<double> knots{};  ///< between -1 and 1
  double tolerance = 0;         ///< of the variable
};

struct FormulaVariables {
  std::vector<FormulaAxis> axes;     ///< of the coordinates
  std::vector<std::string> actions;  ///< what the action's axes are called
};
/// All names that the axes of an embedding need, taken from `names`.
FormulaVariables formula_variables(const ContinuousEmbedding& embedding, const PlainTerms& plain, FormulaNames& names);
/// "v = speed / 8"; only for an axis whose variable is not the axis itself.
std::string axis_line(const FormulaAxis& axis, const FormulaWriter& writer);

/// The formula of an embedding with more terms is shown where it is asked for, and not beside other things.
inline constexpr std::size_t most_shown_terms = 64;

/// `describe_term` of every term, in the variables that `formulas` defines.
std::vector<std::string> describe_terms(const ContinuousEmbedding& embedding);

}  // namespace mercer
