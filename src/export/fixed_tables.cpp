#include <cmath>

#include "export/fixed_writer.hpp"

namespace mercer {

void FixedWriter::write_tables() {
  std::vector<std::int32_t> axes, actions, scales;
  std::vector<unsigned> counts, periodic;
  for (std::size_t i = 0; i < d_; ++i) {
    const FixedPlan::Axis& axis = plan_.axes[i];
    axes.insert(axes.end(), {axis.low, axis.high, axis.to_unit.m, axis.to_unit.s});
    counts.push_back(static_cast<unsigned>(flat_.axes[i].functions));
    periodic.push_back(flat_.axes[i].periodic ? 1 : 0);
  }
  text_ += "/* low, high, and the scale to [-1, 1]: a factor and a shift */\n";
  add_whole("int32_t", 4, "axis", axes, 4);
  if (flat_.any_periodic()) add_whole("unsigned char", 1, "periodic", periodic);
  for (std::size_t i = 0; i < d_; ++i) {
    if (flat_.axes[i].knots.empty()) continue;
    std::vector<std::int32_t> numbers{0};
    for (const double knot : flat_.axes[i].knots)
      numbers.push_back(static_cast<std::int32_t>(std::lround((knot + 1) * 128)));
    numbers.push_back(256);
    add_whole("int16_t", 2, fmt::format("knot_{}", i), numbers);
  }
  if (flat_.any_functions()) add_whole("unsigned char", 1, "functions", counts);
  if (has_steps()) add_whole("int32_t", 4, "step", plan_.steps, 2);
  add_factors();
  if (flat_.wave_count() > 0) add_whole("int32_t", 4, "wave", plan_.waves, d_ + 1);
  if (flat_.ridge_count() > 0) add_whole("signed char", 1, "ridge", flat_.ridges, d_ + 1);
  if (flat_.bump_count() > 0) {
    const bool wide = flat_.centre_bits > 8;
    add_whole(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
    if (!flat_.widths.empty()) add_whole("unsigned char", 1, "width", flat_.widths);
    for (const auto& [m, s] : plan_.inverse_squares) scales.insert(scales.end(), {m, s});
    add_whole("int32_t", 4, "inverse_square", scales, 2);
    scales.clear();
  }
  add_whole(plan_.small ? "signed char" : "int16_t", plan_.small ? 1 : 2, "coefficient", plan_.coefficients,
            flat_.outputs);
  for (const auto& [m, s] : plan_.output_scale) scales.insert(scales.end(), {m, s});
  add_whole("int32_t", 4, "output", scales, 2);
  if (!c_.discrete()) {
    for (const FixedPlan::Action& one : plan_.actions)
      actions.insert(actions.end(), {one.centre, one.scale, one.low, one.high});
    text_ += "/* centre, scale, lowest, highest */\n";
    add_whole("int32_t", 4, "action", actions, 4);
  }
  text_ += "\n";
}

}  // namespace mercer
