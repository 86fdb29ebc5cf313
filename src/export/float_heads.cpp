#include "export/float_writer.hpp"

namespace mercer {

void FloatWriter::write_act() {
  body_.code_bytes += 70;
  if (c_.discrete()) {
    text_ += R"(void @name@_act(const float obs[@N@], float act[1])
{
  float out[@O@];
  int i, best = 0;
  if (!evaluate(obs, out)) {
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
  for (i = 0; i < @M@; i++) act[i] = usable ? limited(out[i], action[i]) : safe[i];
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
  for (i = 0; i < @M@; i++) usable = usable && !unusable(z[i]);
  for (i = 0; i < @M@; i++) {
    if (!usable) {
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
  if (unusable(u) || !evaluate(obs, out)) {
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

}  // namespace mercer
