#include <algorithm>
#include <cmath>

#include "export/c/continuous_writer.hpp"
#include "export/c/machine.hpp"

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
  if (flat_.any_periodic() && std::ranges::count(periodic, 0U) > 0)
    add_integers("unsigned char", 1, "periodic", periodic);
  for (std::size_t i = 0; i < d_; ++i) {
    std::vector<double> pieces;
    const std::vector<double>& knots = flat_.axes[i].knots;
    for (std::size_t j = 0; !knots.empty() && j <= knots.size(); ++j) {
      const double from = j == 0 ? -1 : knots[j - 1], to = j == knots.size() ? 1 : knots[j];
      pieces.insert(pieces.end(), {from, 1 / (to - from)});
    }
    if (!pieces.empty()) add_floats(fmt::format("piece_{}", i), pieces, 2);
  }
  if (flat_.any_functions()) add_integers("unsigned char", 1, "functions", counts);
  if (has_steps()) {
    for (std::size_t k = 0; k < flat_.most_functions(false); ++k) {
      const auto [a, b] = recurrence(flat_.family, k + 2);
      steps.insert(steps.end(), {a, b});
    }
    add_floats("step", steps, 2);
  }
  add_factors();
  if (flat_.wave_count() > 0) add_floats("wave", flat_.waves, d_ + 1);
  add_ridges();
  if (flat_.rbf_count() > 0) {
    const bool wide = flat_.centre_bits > 8;
    add_integers(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
    if (!flat_.widths.empty()) add_integers("unsigned char", 1, "width", flat_.widths);
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

void FloatWriter::write_act() {
  body_.code_bytes += 70;
  if (c_.discrete()) {
    text_ += R"(void @name@_act(const float obs[@N@], float act[1])
{
  float out[@O@];
  int i, best = 0;
  if (evaluate(obs, out) == 0) {
    act[0] = safe[0];
    return;
  }
  for (i = 1; i < @O@; i++) {
    if (out[i] > out[best]) best = i;
  }
  act[0] = (float)best;
}

)";
    body_.operations.comparisons += flat_.outputs;
    return;
  }
  text_ += fmt::format(R"(/* From an unbounded number to the action. */
static float limited(float u, const float limits[4])
{{
  const float a = limits[0] + limits[1] * {};
  return a < limits[2] ? limits[2] : a > limits[3] ? limits[3] : a;
}}

)",
                       c_.squash ? "bend(u)" : "u");
  text_ += R"(void @name@_act(const float obs[@N@], float act[@M@])
{
  float out[@O@];
  const int usable = evaluate(obs, out);
  int i;
  for (i = 0; i < @M@; i++) act[i] = usable != 0 ? limited(out[i], action[i]) : safe[i];
}

)";
  const std::size_t m = c_.outside.actions();
  body_.operations += {m, m, 0, 2 * m};
  if (c_.squash) cost_of_functions(m, 10, 9, 1);
}

void FloatWriter::write_sample() {
  if (c_.head == Head::gaussian) {
    body_.sample_argument = "const float z[@M@]";
    text_ += R"(void @name@_sample(const float obs[@N@], const float z[@M@], float act[@M@])
{
  float out[@O@], spread;
  int usable = evaluate(obs, out);
  int i;
  for (i = 0; i < @M@; i++) usable = unusable(z[i]) != 0 ? 0 : usable;
  for (i = 0; i < @M@; i++) {
    if (usable == 0) {
      act[i] = safe[i];
      continue;
    }
    spread = out[@M@ + i] < -80.0f ? -80.0f : out[@M@ + i] > 40.0f ? 40.0f : out[@M@ + i];
    act[i] = limited(out[i] + exponential(spread) * z[i], action[i]);
  }
}

)";
  } else {
    body_.sample_argument = "float u";
    text_ += R"(void @name@_sample(const float obs[@N@], float u, float act[1])
{
  float out[@O@], most, total = 0.0f;
  int i;
  if ((unusable(u) != 0) || (evaluate(obs, out) == 0)) {
    act[0] = safe[0];
    return;
  }
  most = out[0];
  for (i = 1; i < @O@; i++) most = out[i] > most ? out[i] : most;
  for (i = 0; i < @O@; i++) {
    out[i] = out[i] - most < -80.0f ? 0.0f : exponential(out[i] - most);
    total += out[i];
  }
  u *= total;
  for (i = 0; i < @O@ - 1; i++) {
    u -= out[i];
    if (u < 0.0f) break;
  }
  act[0] = (float)i;
}

)";
  }
  body_.sample_argument = fill(body_.sample_argument, places_);
  body_.code_bytes += 90;
}

CBody FloatWriter::write() {
  write_tables();
  write_functions();
  write_evaluate();
  write_act();
  if (c_.samples()) write_sample();
  body_.source = fill(std::move(text_), places_);
  body_.ram_bytes = 4 * (d_ + (flat_.any_functions() ? flat_.rows : 0) + flat_.outputs) + 48;
  measure();
  write_selftest();
  return std::move(body_);
}

void FloatWriter::measure() {
  const std::vector<Range> ranges = ranges_of(flat_);
  const std::size_t width = c_.discrete() ? flat_.outputs : c_.outside.actions();
  std::vector<double> states;
  for (std::size_t i = 0; i < 10000; ++i) {
    std::vector<double> state = even_state(ranges, i, 0.05);
    for (std::size_t j = 0; j < d_; ++j) {
      const auto [low, high] = ranges[j];  // periodic axes go round in C and on and on in the embedding: stay inside
      if (flat_.axes[j].periodic) state[j] = std::clamp(state[j], low, high);
      states.push_back(static_cast<float>(state[j]));
    }
  }
  const std::vector<double> model = model_answers(c_, states);
  const std::vector<float> obs(states.begin(), states.end());
  std::vector<float> own(width);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto state = std::span(obs).subspan(i / width * d_, d_);
    if (i % width == 0) {
      if (c_.discrete()) {
        float_outputs(c_, options_.math, state, own);
      } else {
        float_act(c_, options_.math, state, own);
      }
    }
    const double unit = c_.discrete() ? 1 : c_.outside.width(i % width);
    body_.error = std::max(body_.error, std::abs(own[i % width] - model[i]) / unit);
  }
  body_.stated_error = with_margin(1.5 * body_.error, 1e-6);
}

void FloatWriter::write_selftest() {
  std::vector<double> given, expected, limits, outputs;
  for (const std::vector<double>& state : test_states(c_)) {
    std::vector<double> obs, act(c_.outside.actions());
    for (const double number : state) obs.push_back(static_cast<float>(number));
    c_.model->policy().mean_action({obs.data(), d_, 1}, {act.data(), act.size(), 1});
    given.insert(given.end(), obs.begin(), obs.end());
    expected.insert(expected.end(), act.begin(), act.end());
    if (!c_.discrete()) continue;
    const std::vector<float> single(obs.begin(), obs.end());
    std::vector<float> out(flat_.outputs);
    float_outputs(c_, options_.math, single, out);
    outputs.insert(outputs.end(), out.begin(), out.end());
  }
  for (std::size_t a = 0; a < c_.outside.actions(); ++a)
    limits.push_back(c_.discrete() ? 0 : 2 * body_.stated_error * c_.outside.width(a));
  for (std::size_t j = 0; j < d_; ++j) body_.first_case.push_back(c_float(given[j]));
  body_.source += float_selftest(given, expected, limits, d_, outputs, 2 * body_.stated_error);
}

CBody float_body(const ContinuousController& controller, const COptions& options) {
  return FloatWriter(controller, options).write();
}

}  // namespace mercer
