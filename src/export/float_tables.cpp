#include <algorithm>

#include "export/float_writer.hpp"

namespace mercer {

void FloatWriter::write_tables() {
  std::vector<double> ranges, steps, actions;
  std::vector<unsigned> counts, periodic;
  for (const FlatTerms::Axis& axis : flat_.axes) {
    ranges.insert(ranges.end(), {axis.range.low, axis.range.high});
    counts.push_back(static_cast<unsigned>(axis.functions));
    periodic.push_back(axis.periodic ? 1 : 0);
  }
  add_floats("range", ranges, 2);
  if (flat_.any_periodic() && std::ranges::count(periodic, 0U) > 0) add_whole("unsigned char", 1, "periodic", periodic);
  for (std::size_t i = 0; i < d_; ++i) {
    std::vector<double> pieces;
    const std::vector<double>& knots = flat_.axes[i].knots;
    for (std::size_t j = 0; !knots.empty() && j <= knots.size(); ++j) {
      const double from = j == 0 ? -1 : knots[j - 1], to = j == knots.size() ? 1 : knots[j];
      pieces.insert(pieces.end(), {from, 1 / (to - from)});
    }
    if (!pieces.empty()) add_floats(fmt::format("piece_{}", i), pieces, 2);
  }
  if (flat_.any_functions()) add_whole("unsigned char", 1, "functions", counts);
  if (has_steps()) {
    for (std::size_t k = 0; k < flat_.most_functions(false); ++k) {
      const auto [a, b] = recurrence(flat_.family, k + 2);
      steps.insert(steps.end(), {a, b});
    }
    add_floats("step", steps, 2);
  }
  add_factors();
  if (flat_.wave_count() > 0) add_floats("wave", flat_.waves, d_ + 1);
  if (flat_.ridge_count() > 0) add_whole("signed char", 1, "ridge", flat_.ridges, d_ + 1);
  if (flat_.bump_count() > 0) {
    const bool wide = flat_.centre_bits > 8;
    add_whole(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
    if (!flat_.widths.empty()) add_whole("unsigned char", 1, "width", flat_.widths);
    add_floats("inverse_square", flat_.inverse_squares);
  }
  add_floats("coefficient", flat_.coefficients, flat_.outputs);
  if (!c_.discrete()) {
    const Contract& contract = c_.outside.contract;
    for (std::size_t a = 0; a < c_.outside.actions(); ++a) {
      const auto [low, high] = contract.clip[a];
      actions.insert(actions.end(),
                     {contract.centre[a], contract.scale[a], std::max(low, -3e38), std::min(high, 3e38)});
    }
    text_ += "/* centre, scale, lowest, highest */\n";
    add_floats("action", actions, 4);
  }
  std::vector<double> safe = c_.outside.safe;
  add_floats("safe", safe);
  text_ += "\n";
}

}  // namespace mercer
