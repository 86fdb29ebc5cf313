#include <algorithm>
#include <cmath>

#include "export/c/continuous_writer.hpp"

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
  add_integers("int32_t", 4, "axis", axes, 4);
  if (flat_.any_periodic()) add_integers("unsigned char", 1, "periodic", periodic);
  for (std::size_t i = 0; i < d_; ++i) {
    if (flat_.axes[i].knots.empty()) continue;
    std::vector<std::int32_t> numbers{0};
    for (const double knot : flat_.axes[i].knots)
      numbers.push_back(static_cast<std::int32_t>(std::lround((knot + 1) * 128)));
    numbers.push_back(256);
    add_integers("int16_t", 2, fmt::format("knot_{}", i), numbers);
  }
  if (flat_.any_functions()) add_integers("unsigned char", 1, "functions", counts);
  if (has_steps()) add_integers("int32_t", 4, "step", plan_.steps, 2);
  add_factors();
  if (flat_.wave_count() > 0) add_integers("int32_t", 4, "wave", plan_.waves, d_ + 1);
  add_ridges();
  if (flat_.rbf_count() > 0) {
    const bool wide = flat_.centre_bits > 8;
    add_integers(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
    if (!flat_.widths.empty()) add_integers("unsigned char", 1, "width", flat_.widths);
    for (const auto& [m, s] : plan_.inverse_squares) scales.insert(scales.end(), {m, s});
    add_integers("int32_t", 4, "inverse_square", scales, 2);
    scales.clear();
  }
  add_integers(plan_.small ? "signed char" : "int16_t", plan_.small ? 1 : 2, "coefficient", plan_.coefficients,
               flat_.outputs);
  for (const auto& [m, s] : plan_.output_scale) scales.insert(scales.end(), {m, s});
  add_integers("int32_t", 4, "output", scales, 2);
  if (!c_.discrete()) {
    for (const FixedPlan::Action& one : plan_.actions)
      actions.insert(actions.end(), {one.centre, one.scale, one.low, one.high});
    text_ += "/* centre, scale, lowest, highest */\n";
    add_integers("int32_t", 4, "action", actions, 4);
  }
  text_ += "\n";
}

void FixedWriter::write_act() {
  body_.code_bytes += 80;
  if (c_.discrete()) {
    text_ += R"(void @name@_act(const int32_t obs[@N@], int32_t act[1])
{
  int32_t out[@O@];
  int i, best = 0;
  evaluate(obs, out);
  for (i = 1; i < @O@; i++) {
    if (out[i] > out[best]) best = i;
  }
  act[0] = best;
}

)";
    body_.operations.comparisons += flat_.outputs;
    return;
  }
  text_ += fmt::format(R"(/* From an unbounded number to the action. */
static int32_t limited(int64_t u, const int32_t limits[4])
{{
  const int64_t a = limits[0] + (({} * limits[1]) >> {});
  return (int32_t)(a < limits[2] ? limits[2] : a > limits[3] ? limits[3] : a);
}}

)",
                       c_.squash ? "(int64_t)bend(u)" : "u", c_.squash ? 30 : plan_.q);
  text_ += R"(void @name@_act(const int32_t obs[@N@], int32_t act[@M@])
{
  int32_t out[@O@];
  int i;
  evaluate(obs, out);
  for (i = 0; i < @M@; i++) act[i] = limited(out[i], action[i]);
}

)";
  const std::size_t m = c_.outside.actions();
  body_.operations += {m, m, 0, 2 * m};
  if (c_.squash) body_.operations += {16 * m, 14 * m, 0, 3 * m};
}

void FixedWriter::write_sample() {
  body_.code_bytes += 120;
  if (c_.head == Head::gaussian) {
    body_.sample_argument = fill("const int32_t z[@M@]", places_);
    text_ += R"(void @name@_sample(const int32_t obs[@N@], const int32_t z[@M@], int32_t act[@M@])
{
  const int32_t most = (int32_t)8 << 16;
  int32_t out[@O@], spread, noise;
  int64_t size;
  int i;
  evaluate(obs, out);
  for (i = 0; i < @M@; i++) {
    spread = out[@M@ + i];
    spread = spread < -14 * ONE ? -14 * ONE : spread > 8 * ONE ? 8 * ONE : spread;
    noise = z[i] < -most ? -most : z[i] > most ? most : z[i];
    size = power((spread * (int64_t)193635251) >> 27) >> (30 - @q@);
    act[i] = limited(out[i] + ((size * noise) >> 16), action[i]);
  }
}

)";
  } else {
    body_.sample_argument = "uint32_t u";
    text_ += R"(void @name@_sample(const int32_t obs[@N@], uint32_t u, int32_t act[1])
{
  int32_t out[@O@], most;
  int64_t total = 0, left;
  int i;
  evaluate(obs, out);
  most = out[0];
  for (i = 1; i < @O@; i++) most = out[i] > most ? out[i] : most;
  for (i = 0; i < @O@; i++) {
    left = (int64_t)out[i] - most;
    left = left < -30 * (int64_t)ONE ? -30 * (int64_t)ONE : left;
    out[i] = (int32_t)(power((left * 193635251) >> 27) >> 10);
    total += out[i];
  }
  left = (int64_t)(((uint64_t)total * u) >> 32);
  for (i = 0; i < @O@ - 1; i++) {
    left -= out[i];
    if (left < 0) break;
  }
  act[0] = i;
}

)";
  }
}

CBody FixedWriter::write() {
  text_ = fmt::format(
      "/* Right shifts of negative numbers are taken to round down; the self-test sees if they do not. "
      "*/\n#define ONE ((int32_t)1 << {})\n\n",
      plan_.q);
  write_tables();
  write_functions();
  write_evaluate();
  write_act();
  if (c_.samples()) write_sample();
  text_ += "#undef ONE\n\n";
  body_.source = fill(std::move(text_), places_);
  body_.ram_bytes = 4 * (d_ + (flat_.any_functions() ? flat_.rows : 0) + 3 * flat_.outputs) + 96;
  measure();
  write_notes();
  write_selftest();
  return std::move(body_);
}

void FixedWriter::measure() {
  const std::vector<Range> ranges = ranges_of(flat_);
  const std::size_t width = c_.discrete() ? flat_.outputs : c_.outside.actions();
  std::vector<double> states;  // not rounded, so that rounding of the observation counts, too
  std::vector<std::int32_t> obs, own(width);
  for (std::size_t i = 0; i < 20000; ++i) {
    const std::vector<double> state = even_state(ranges, i, 0.05);
    for (std::size_t j = 0; j < d_; ++j) {
      const auto [low, high] = ranges[j];
      states.push_back(flat_.axes[j].periodic ? std::clamp(state[j], low, high) : state[j]);
      obs.push_back(static_cast<std::int32_t>(std::llround(std::ldexp(states.back(), plan_.axes[j].q))));
    }
  }
  const std::vector<double> model = model_answers(c_, states);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto state = std::span(obs).subspan(i / width * d_, d_);
    if (i % width == 0) {
      if (c_.discrete()) {
        fixed_outputs(c_, plan_, state, own);
      } else {
        fixed_act(c_, plan_, state, own);
      }
    }
    const int q = c_.discrete() ? plan_.q : plan_.actions[i % width].q;
    const double unit = c_.discrete() ? 1 : c_.outside.width(i % width);
    body_.error = std::max(body_.error, std::abs(std::ldexp(own[i % width], -q) - model[i]) / unit);
  }
  body_.stated_error = with_margin(2.5 * body_.error, 1e-6);
}

void FixedWriter::write_notes() {
  std::vector<int> obs_q, act_q;
  for (const FixedPlan::Axis& axis : plan_.axes) obs_q.push_back(axis.q);
  for (const FixedPlan::Action& action : plan_.actions) act_q.push_back(action.q);
  body_.header_lines += fixed_macros(c_.outside.contract, obs_q, act_q);
  if (c_.head == Head::gaussian)
    body_.header_lines += "#define @NAME@_NOISE_ONE 65536.0 /* one standard deviation */\n";
}

void FixedWriter::write_selftest() {
  std::vector<std::string> given, expected, outputs;
  for (const std::vector<double>& state : test_states(c_)) {
    std::vector<std::int32_t> obs(d_), act(c_.outside.actions());
    for (std::size_t j = 0; j < d_; ++j)
      obs[j] = static_cast<std::int32_t>(std::llround(std::ldexp(state[j], plan_.axes[j].q)));
    fixed_act(c_, plan_, obs, act);
    for (const std::int32_t number : obs) given.push_back(std::to_string(number));
    for (const std::int32_t number : act) expected.push_back(std::to_string(number));
    if (!c_.discrete()) continue;
    std::vector<std::int32_t> out(flat_.outputs);
    fixed_outputs(c_, plan_, obs, out);
    for (const std::int32_t number : out) outputs.push_back(std::to_string(number));
  }
  body_.first_case.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(d_));
  body_.source += fixed_selftest(given, expected, d_, c_.outside.actions(), {}, outputs);
}

CBody fixed_body(const ContinuousController& controller, const COptions& options) {
  return FixedWriter(controller, options).write();
}

}  // namespace mercer
