#include <algorithm>

#include "export/common/code.hpp"

namespace mercer {
namespace {

template <class T>
std::vector<double> reals(const std::vector<T>& numbers) {
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::vector<CodeTable> continuous_tables(const ContinuousController& controller) {
  const FlatTerms& flat = controller.flat;
  const std::size_t d = flat.dimensions();
  std::vector<double> ranges, periodic, functions, pieces, bends, steps;
  for (const FlatTerms::Axis& axis : flat.axes) {
    ranges.insert(ranges.end(), {axis.range.low, axis.range.high});
    periodic.push_back(axis.periodic ? 1 : 0);
    functions.push_back(static_cast<double>(axis.functions));
    pieces.push_back(axis.knots.empty() ? 0 : static_cast<double>(axis.knots.size() + 1));
    for (std::size_t j = 0; !axis.knots.empty() && j <= axis.knots.size(); ++j) {
      const double from = j == 0 ? -1 : axis.knots[j - 1], to = j == axis.knots.size() ? 1 : axis.knots[j];
      bends.insert(bends.end(), {from, 1 / (to - from)});
    }
  }
  for (std::size_t k = 0; k < flat.most_functions(false); ++k) {
    const auto [a, b] = recurrence(flat.family, k + 2);
    steps.insert(steps.end(), {a, b});
  }
  std::vector<CodeTable> tables{{"range", true, 2, ranges}};
  const auto add = [&](const char* name, bool real, std::size_t columns, std::vector<double> numbers) {
    if (!numbers.empty()) tables.push_back({name, real, columns, std::move(numbers)});
  };
  if (flat.any_periodic() && std::ranges::count(periodic, 0.0) > 0) add("periodic", false, 0, periodic);
  if (!bends.empty()) add("pieces", false, 0, pieces);
  add("piece", true, 2, bends);
  if (flat.any_functions()) add("functions", false, 0, functions);
  add("step", true, 2, steps);
  if (flat.factors_each > 0) add("factor", false, flat.factors_each, reals(flat.factors));
  add("wave", true, d + 1, flat.waves);
  add("ridge", false, d + 1, reals(flat.ridges));
  add("halving", false, 0, reals(flat.ridge_halvings));
  if (flat.rbf_count() > 0) {
    add("centre", false, d, reals(flat.centres));
    add("width", false, 0, reals(flat.widths));
    add("inverse_square", true, 0, flat.inverse_squares);
  }
  add("coefficient", true, flat.outputs, flat.coefficients);
  if (!controller.discrete()) {
    std::vector<double> action;
    const Contract& contract = controller.outside.contract;
    for (std::size_t a = 0; a < controller.outside.actions(); ++a) {
      const auto [low, high] = contract.clip[a];
      action.insert(action.end(), {contract.centre[a], contract.scale[a], std::max(low, -3e38), std::min(high, 3e38)});
    }
    add("action", true, 4, action);
  }
  add("safe", !controller.discrete(), 0, controller.outside.safe);
  return tables;
}

std::vector<CodeTable> lattice_tables(const LatticeController& controller) {
  std::vector<double> edges, bins, keys, rows;
  for (const Edges& axis : controller.states().axes) {
    edges.insert(edges.end(), axis.values.begin(), axis.values.end());
    bins.push_back(static_cast<double>(axis.bins()));
  }
  const bool uniform = !controller.full() && controller.code.play.unvisited == Unvisited::uniform;
  for (std::size_t row = 0; row < controller.rows() + (uniform ? 1 : 0); ++row) {
    if (row < controller.rows()) keys.push_back(static_cast<double>(controller.key(row)));
    const std::vector<double> action = controller.action(row);
    rows.insert(rows.end(), action.begin(), action.end());
  }
  const bool real = !controller.discrete();
  std::vector<CodeTable> tables{{"edge", true, 0, edges}, {"bins", false, 0, bins}};
  if (!controller.full()) tables.push_back({"key", false, 0, keys});
  tables.push_back({"row", real, real ? controller.outside.actions() : 0, rows});
  tables.push_back({"safe", real, 0, controller.outside.safe});
  return tables;
}

std::string table_text(const CodeTable& table, const std::function<std::string(double)>& number, char open,
                       char close) {
  std::string text;
  std::size_t line = 0;
  const std::size_t count = table.numbers.size(), columns = table.columns;
  for (std::size_t i = 0; i < count; ++i) {
    std::string one = number(table.numbers[i]);
    if (columns > 0 && i % columns == 0) one = open + one;
    if (columns > 0 && i % columns == columns - 1) one += close;
    if (i + 1 < count) one += ",";
    const bool wrap = i == 0 || line + one.size() + 1 > 96;
    text += (wrap ? "\n  " : " ") + one;
    line = wrap ? 2 + one.size() : line + 1 + one.size();
  }
  return text + "\n";
}

}  // namespace mercer
