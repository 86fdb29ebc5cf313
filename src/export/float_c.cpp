#include <algorithm>
#include <cmath>

#include "export/float_machine.hpp"
#include "export/float_writer.hpp"

namespace mercer {

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
      const auto [low, high] = ranges[j];  // periodic axes go round in C and on and on in the model: stay inside
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
  body_.source += float_selftest(given, expected, limits, d_, outputs, 2 * body_.stated_error);
}

CBody float_body(const ContinuousController& controller, const COptions& options) {
  return FloatWriter(controller, options).write();
}

}  // namespace mercer
