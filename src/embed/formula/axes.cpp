#include "embed/formula/axes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;

// A straight line through the knots, as corners along the axis with the change of slope at each.
struct Corners {
  std::vector<double> at, height, bend;
};

Corners corners_of(const FormulaAxis& axis) {
  Corners corners;
  std::vector<double> places{-1};
  places.insert(places.end(), axis.knots.begin(), axis.knots.end());
  places.push_back(1);
  const double step = 2 / static_cast<double>(places.size() - 1);
  double before = 0;
  for (std::size_t j = 0; j < places.size(); ++j) {
    corners.at.push_back(axis.middle + axis.half * places[j]);
    corners.height.push_back(-1 + step * static_cast<double>(j));
    const double slope = j + 1 == places.size() ? 0 : step / (axis.half * (places[j + 1] - places[j]));
    corners.bend.push_back((slope - before) / 2);
    before = slope;
  }
  return corners;
}

// Text joins the corners; the others add up absolute values, which need no function of their own.
std::string bent_line(const FormulaAxis& axis, const FormulaWriter& writer) {
  const Corners corners = corners_of(axis);
  double steepest = 0, bends = 0;
  for (const double bend : corners.bend) {
    steepest = std::max(steepest, 2 * std::abs(bend));
    bends += std::abs(bend);
  }
  const std::string name = writer.name(axis.axis);
  if (writer.notation() == Notation::text) {
    std::string from, to;
    for (std::size_t j = 0; j < corners.at.size(); ++j) {
      const auto item = [&](double value, double tolerance) {
        const std::string size = writer.number(value, tolerance);
        return (j == 0 ? "" : ", ") + std::string(value < 0 && size != "0" ? "-" : "") + size;
      };
      from += item(corners.at[j], axis.tolerance / (2 * steepest));
      to += item(corners.height[j], axis.tolerance / 2);
    }
    return fmt::format("interp({}, [{}], [{}])", name, from, to);
  }
  // Bends must cancel far outside, too: a little more exact.
  const double each = axis.tolerance / (32 * static_cast<double>(corners.at.size()));
  FormulaSum sum;
  for (std::size_t j = 0; j < corners.at.size(); ++j) {
    const std::string away = writer.magnitude(writer.shifted(name, corners.at[j], axis.tolerance / (4 * bends)));
    const std::string size = writer.number(corners.bend[j], each / (2 * axis.half));
    if (size != "0") sum.add(corners.bend[j] < 0, writer.product(std::vector{size, away}));
  }
  return sum.text();
}

// Whether a clipped coordinate can be seen: the declared range of the observation goes beyond it.
bool leaves(const Range& declared, const FormulaAxis& axis) {
  const double slack = 1e-9 * axis.half;
  return !(declared.low >= axis.middle - axis.half - slack && declared.high <= axis.middle + axis.half + slack);
}

}  // namespace

FormulaVariables formula_variables(const ContinuousEmbedding& embedding, const PlainTerms& plain, FormulaNames& names) {
  const ContinuousCode& code = embedding.code();
  const Contract& contract = embedding.policy().contract();
  const std::size_t d = code.coordinates.size(), seen = contract.observation.dimensions(), count = plain.norm.size();
  const FormulaErrors errors = formula_errors(code, plain);
  FormulaVariables made{std::vector<FormulaAxis>(d), {}};
  for (std::size_t i = 0; i < seen; ++i) made.axes[i].axis = names.take(contract.observation.axes[i].name);
  for (const Axis& axis : contract.action.axes) made.actions.push_back(names.take(axis.name));
  for (std::size_t i = seen; i < d; ++i) made.axes[i].axis = made.actions[i - seen];
  for (std::size_t i = 0; i < d; ++i) {
    FormulaAxis& axis = made.axes[i];
    const Coordinate& coordinate = code.coordinates[i];
    axis.middle = (coordinate.range.low + coordinate.range.high) / 2;
    axis.half = coordinate.range.width() / 2;
    Range declared{-1, 1};
    if (i < seen) declared = contract.observation.axes[i].range;
    axis.periodic = coordinate.periodic;
    axis.clipped = !axis.periodic && leaves(declared, axis);
    for (const std::uint8_t knot : coordinate.knots) axis.knots.push_back(-1 + knot / 128.0);
    if (i >= seen) {  // a density sees actions scaled to [-1, 1]
      axis.middle = contract.centre[i - seen] + contract.scale[i - seen] * axis.middle;
      axis.half *= contract.scale[i - seen];
    }
    double slope = 0;
    for (std::size_t o = 0; o < code.outputs; ++o) {
      double sum = 0;
      for (std::size_t t = 0; t < count; ++t)
        sum += std::abs(code.coefficients[o * count + t] * plain.norm[t]) * plain.slope[t * d + i];
      slope = std::max(slope, sum);
    }
    const double unit = axis.periodic ? pi : 1;
    axis.tolerance = unit * errors.axes / (static_cast<double>(d) * std::max(slope, 1e-6));
    // The same to within the tolerance is the same: float32's pi is no other angle.
    const double off = std::abs(axis.middle) + std::abs(axis.half - unit);
    const bool same = axis.knots.empty() && !axis.clipped && off <= axis.tolerance / 4;
    axis.variable = same ? axis.axis : "";
  }
  for (FormulaAxis& axis : made.axes) {
    if (axis.variable.empty()) axis.variable = names.take_short(axis.axis);
  }
  return made;
}

std::string axis_line(const FormulaAxis& axis, const FormulaWriter& writer) {
  const std::string left = writer.name(axis.variable), name = writer.name(axis.axis);
  if (!axis.knots.empty()) return writer.line(left, bent_line(axis, writer));
  const double each = axis.tolerance * axis.half / 4;
  if (axis.periodic) {
    const std::string from = writer.shifted(name, axis.middle, each / pi);
    const std::string turn = writer.number(pi / axis.half, axis.tolerance / (4 * axis.half));
    const bool bare = from == name || turn == "1";
    return writer.line(left, writer.product(std::vector{turn, bare ? from : writer.brackets(from)}));
  }
  if (axis.clipped && writer.notation() == Notation::python) {
    const std::string low = writer.magnitude(writer.shifted(name, axis.middle - axis.half, each));
    const std::string high = writer.magnitude(writer.shifted(name, axis.middle + axis.half, each));
    return writer.line(left, fmt::format("({} - {})/{}", low, high, writer.number(2 * axis.half, each)));
  }
  const std::string from = writer.shifted(name, axis.middle, each), over = writer.number(axis.half, each);
  const bool bare = from == name || over == "1" || writer.notation() == Notation::latex;
  const std::string scaled = writer.quotient(bare ? from : writer.brackets(from), over);
  return writer.line(left, axis.clipped ? writer.clipped(scaled, -1, 1) : scaled);
}

std::vector<std::string> describe_terms(const ContinuousEmbedding& embedding) {
  const Terms& terms = embedding.code().terms;
  FormulaNames names;
  std::vector<std::string> variables, out;
  const FormulaVariables made = formula_variables(embedding, plain_terms(terms), names);
  for (const FormulaAxis& axis : made.axes) variables.push_back(axis.variable);
  for (std::size_t t = 0; t < terms.size(); ++t) out.push_back(describe_term(terms, t, variables));
  return out;
}

}  // namespace mercer
