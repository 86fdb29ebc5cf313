#include <algorithm>

#include "export/float_functions.hpp"
#include "export/float_writer.hpp"

namespace mercer {

void FloatWriter::write_functions() {
  const bool none = options_.math == CMath::none;
  text_ += float_functions::unusable();
  body_.code_bytes += 24;
  if (needs_sine()) text_ += float_functions::sine(), body_.code_bytes += 110;
  if (none && (needs_bend() || needs_exponential())) text_ += float_functions::power(), body_.code_bytes += 120;
  if (needs_exponential()) text_ += float_functions::exponential(options_.math), body_.code_bytes += 12;
  if (needs_root()) text_ += float_functions::square_root(options_.math), body_.code_bytes += none ? 60 : 8;
  if (needs_bend()) text_ += float_functions::bend(options_.math), body_.code_bytes += none ? 50 : 8;
  body_.needs_libm = !none && (needs_bend() || needs_exponential() || needs_root());
  write_coordinate();
  const Numbers numbers{"float", "1.0f", "0.0f"};
  if (flat_.most_functions(false) > 0) {
    const std::string start = flat_.family == Family::cosine    ? "  x = -sine(0.25f * x);\n"
                              : flat_.family == Family::hermite ? "  x *= 3.0f;\n"
                                                                : "";
    write_polynomials(numbers, start,
                      has_steps() ? "step[k][0] * x * now - step[k][1] * before" : "2.0f * x * now - before");
    body_.code_bytes += 60;
  }
  if (flat_.most_functions(true) > 0) {
    write_turning(numbers, "sine(0.5f * x + 0.25f)", "sine(0.5f * x)", "2.0f * c * @f@");
    body_.code_bytes += 120;
    for (const auto& axis : flat_.axes) {
      if (axis.periodic) body_.operations += {2 * axis.functions + 16, axis.functions + 12};
    }
  }
}

void FloatWriter::write_coordinate() {
  body_.code_bytes += 60;
  body_.operations += {0, 3 * d_, d_, 2 * d_, 0, 0};
  const bool all = std::ranges::all_of(flat_.axes, &FlatTerms::Axis::periodic);
  if (!all) {
    text_ += R"(/* To [-1, 1], what lies outside counts as the end. */
static float coordinate(float value, const float ends[2])
{
  value = value < ends[0] ? ends[0] : value > ends[1] ? ends[1] : value;
  return (value + value - (ends[0] + ends[1])) / (ends[1] - ends[0]);
}

)";
  }
  if (flat_.any_periodic()) {
    text_ += R"(/* To [-1, 1] by whole turns. Beyond a million of them nothing is left of an angle: the middle. */
static float wrapped(float value, const float ends[2])
{
  float x = (value + value - (ends[0] + ends[1])) / (ends[1] - ends[0]);
  x = x > -2e6f && x < 2e6f ? x : 0.0f;
  if (x >= -1.000001f && x <= 1.000001f) return x;
  return x - 2.0f * (float)(int32_t)(0.5f * x + (x < 0.0f ? -0.5f : 0.5f));
}

)";
    body_.code_bytes += 60;
  }
  if (bent_axes() > 0) {
    text_ += R"(/* Through a rising line of straight pieces, each of the same height. */
static float bent(float x, const float piece[][2], int count)
{
  float y = -1.0f, part;
  int i;
  for (i = 0; i < count; i++) {
    part = (x - piece[i][0]) * piece[i][1];
    y += (part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part) * (2.0f / (float)count);
  }
  return y;
}

)";
    body_.code_bytes += 60;
    for (const auto& axis : flat_.axes) {
      if (!axis.knots.empty()) body_.operations += {2 * (axis.knots.size() + 1), 2 * (axis.knots.size() + 1), 1};
    }
  }
}

}  // namespace mercer
