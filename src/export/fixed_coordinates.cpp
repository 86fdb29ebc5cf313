#include <algorithm>

#include "export/fixed_functions.hpp"
#include "export/fixed_writer.hpp"

namespace mercer {

void FixedWriter::write_functions() {
  if (flat_.any_functions()) text_ += fixed_functions::multiply(plan_.q), body_.code_bytes += 24;
  if (needs_sine()) text_ += fixed_functions::sine(plan_.q), body_.code_bytes += 110, body_.table_bytes += 20;
  if (needs_power()) text_ += fixed_functions::power(plan_.q), body_.code_bytes += 100, body_.table_bytes += 28;
  if (needs_bend()) text_ += fixed_functions::bend(plan_.q), body_.code_bytes += 150;
  if (flat_.bump_count() > 0 && flat_.kernel != Kernel::gaussian)
    text_ += fixed_functions::square_root(plan_.q), body_.code_bytes += 70;
  write_coordinate();
  const Numbers numbers{"int32_t", "ONE", "0"};
  if (flat_.most_functions(false) > 0) {
    const std::string start = flat_.family == Family::cosine    ? "  x = -sine(x >> 2);\n"
                              : flat_.family == Family::hermite ? "  x *= 3;\n"
                                                                : "";
    write_polynomials(
        numbers, start,
        has_steps() ? "mul(mul(step[k][0], x), now) - mul(step[k][1], before)" : "mul(2 * x, now) - before");
    body_.code_bytes += 80;
  }
  if (flat_.most_functions(true) > 0) {
    write_turning(numbers, "sine((x >> 1) + (ONE >> 2))", "sine(x >> 1)", "mul(2 * c, @f@)");
    body_.code_bytes += 130;
    for (const auto& axis : flat_.axes)
      if (axis.periodic) body_.operations += {axis.functions + 14, axis.functions + 12};
  }
}

void FixedWriter::write_coordinate() {
  const bool wraps = flat_.any_periodic();
  text_ +=
      "/* To [-1, 1]; what lies outside counts as the end" + std::string(wraps ? ", angles go round" : "") + ". */\n";
  text_ +=
      fmt::format("static int32_t coordinate(int32_t v, const int32_t range[4]{})\n{{\n", wraps ? ", int turns" : "");
  text_ += wraps ? "  int64_t x;\n  if (!turns) " : "  ";
  text_ += "v = v < range[0] ? range[0] : v > range[1] ? range[1] : v;\n";
  const std::string scaled = "((2 * (int64_t)v - range[0] - range[1]) * range[2]) >> range[3]";
  text_ += wraps ? "  x = (" + scaled +
                       ");\n  if (x < -ONE - 16 || x > ONE + 16) x = ((x + ONE) & (2 * ONE - 1)) - ONE;\n  return "
                       "(int32_t)x;\n}\n\n"
                 : "  return (int32_t)((" + scaled + "));\n}\n\n";
  body_.code_bytes += 70;
  body_.operations += {d_, 4 * d_, 0, 2 * d_};
  if (std::ranges::any_of(flat_.axes, [](const auto& axis) { return !axis.knots.empty(); })) {
    text_ += R"(/* Through a rising line of straight pieces, each of the same height. */
static int32_t bent(int32_t x, const int16_t *knot, int32_t count)
{
  int32_t i, y = 0, part, width;
  for (i = 0; i < count; i++) {
    width = knot[i + 1] - knot[i];
    part = x + ONE - (ONE / 128) * knot[i];
    part = part < 0 ? 0 : part > (ONE / 128) * width ? (ONE / 128) * width : part;
    y += part * 256 / width;
  }
  return y / count - ONE;
}

)";
    body_.code_bytes += 80;
    for (const auto& axis : flat_.axes)
      body_.operations += {3 * axis.knots.size(), 4 * axis.knots.size(), axis.knots.size() + 1, 2 * axis.knots.size()};
  }
}

}  // namespace mercer
