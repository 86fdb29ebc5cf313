#include "export/fixed_writer.hpp"

namespace mercer {

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

}  // namespace mercer
