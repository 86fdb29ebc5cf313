#include <algorithm>
#include <cmath>

#include "export/fixed_writer.hpp"

namespace mercer {

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
  body_.source += fixed_selftest(given, expected, d_, c_.outside.actions(), {}, outputs);
}

CBody fixed_body(const ContinuousController& controller, const COptions& options) {
  return FixedWriter(controller, options).write();
}

}  // namespace mercer
