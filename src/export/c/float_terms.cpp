#include <algorithm>
#include <cmath>

#include "export/c/continuous_writer.hpp"
#include "export/c/functions.hpp"

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

// "out[o] += c[o] * value" and on to the next term's coefficients.
std::string FloatWriter::add_term(const std::string& value) {
  body_.code_bytes += 12;
  if (flat_.outputs == 1) return fmt::format("    out[0] += *c++ * {};\n", value);
  return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) out[i] += *c++ * value;\n", value);
}

void FloatWriter::write_evaluate() {
  const std::size_t products = flat_.products, waves = flat_.wave_count(), ridges = flat_.ridge_count(),
                    rbfs = flat_.rbf_count();
  const bool inner = waves + ridges + rbfs > 0;
  const bool sums = inner || flat_.factors_each > 0;
  text_ += "/* The functions of the state; 0 if the observation is not usable. */\n";
  text_ += "static int evaluate(const float obs[@N@], float out[@O@])\n{\n";
  text_ += fmt::format("  float x[@N@]{}{}{};\n", flat_.any_functions() ? ", row[@R@], *r = row" : "",
                       sums ? ", sum" : "", flat_.outputs > 1 ? ", value" : "");
  if (rbfs > 0) text_ += "  float away;\n";
  text_ += "  const float *c = coefficient[0];\n";
  text_ += "  int i, j;\n";
  text_ += "  for (i = 0; i < @N@; i++) {\n    if (unusable(obs[i]) != 0) return 0;\n";
  const bool all = std::ranges::all_of(flat_.axes, &FlatTerms::Axis::periodic);
  text_ += all ? "    x[i] = wrapped(obs[i], range[i]);\n"
           : flat_.any_periodic()
               ? "    x[i] = periodic[i] != 0 ? wrapped(obs[i], range[i]) : coordinate(obs[i], range[i]);\n"
               : "    x[i] = coordinate(obs[i], range[i]);\n";
  text_ += "  }\n";
  write_bends("piece");
  write_rows("1.0f");
  if (!flat_.any_functions() && !inner) text_ += "  (void)x;\n";
  text_ += "  for (i = 0; i < @O@; i++) out[i] = 0.0f;\n";
  body_.code_bytes += 90;
  if (products > 0) write_products();
  if (waves > 0) {
    write_affine(waves, "sine(sum)", "wave[j][@N@]", "wave[j][i]");
    body_.operations += {waves * 7, waves * 7, 0, waves * 3};
  }
  if (ridges > 0) {
    const bool halved = !flat_.ridge_halvings.empty();
    write_affine(
        ridges, fmt::format("bend({} * sum{})", c_float(flat_.ridge_unit), halved ? " / (float)(1 << halving[j])" : ""),
        "(float)ridge[j][@N@]", "(float)ridge[j][i]");
    if (halved) body_.operations += {0, 0, ridges, 0, ridges}, body_.code_bytes += 12;
    cost_of_functions(ridges, 10, 9, 1);
  }
  if (rbfs > 0) write_rbfs();
  body_.operations += {flat_.coefficients.size(), flat_.coefficients.size()};
  text_ += "  return 1;\n}\n\n";
}

// Calls of the library, or what stands in their place.
void FloatWriter::cost_of_functions(std::size_t count, std::size_t multiplications, std::size_t additions,
                                    std::size_t divisions) {
  if (options_.math == CMath::libm) {
    body_.operations += {0, 0, 0, 0, 0, count};
  } else {
    body_.operations += {count * multiplications, count * additions, count * divisions, count * 3};
  }
}

void FloatWriter::write_products() {
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n", flat_.products);
  if (flat_.factors_each == 0) {
    text_ += add_term("1.0f");
  } else {
    text_ += "    sum = row[factor[j][0]];\n";
    if (flat_.factors_each > 1) text_ += "    for (i = 1; i < @F@; i++) sum *= row[factor[j][i]];\n";
    text_ += add_term("sum");
    body_.operations += {flat_.products * (flat_.factors_each - 1), 0, 0, 0, flat_.products * flat_.factors_each};
    body_.code_bytes += 40;
  }
  text_ += "  }\n";
}

void FloatWriter::write_affine(std::size_t count, const std::string& value, const std::string& bias,
                               const std::string& weight) {
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = {};\n", count, bias);
  text_ += fmt::format("    for (i = 0; i < @N@; i++) sum += {} * x[i];\n", weight);
  text_ += add_term(value) + "  }\n";
  body_.operations += {count * (d_ + 1), count * d_};
  body_.code_bytes += 56;
}

void FloatWriter::write_rbfs() {
  const std::size_t rbfs = flat_.rbf_count();
  const double step = std::ldexp(2.0, -static_cast<int>(flat_.centre_bits));
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = 0.0f;\n    for (i = 0; i < @N@; i++) {{\n", rbfs);
  text_ += fmt::format("      away = x[i] - ({} * (float)centre[j][i] + {});\n      sum += away * away;\n    }}\n",
                       c_float(step), c_float(0.5 * step - 1));
  text_ += fmt::format("    sum *= inverse_square[{}];\n", flat_.widths.empty() ? "0" : "width[j]");
  if (flat_.kernel == Kernel::gaussian) {
    text_ += add_term("exponential(-0.5f * sum)");
  } else {
    const bool three = flat_.kernel == Kernel::matern32;
    text_ += fmt::format("    away = square_root({} * sum);\n", three ? "3.0f" : "5.0f");
    text_ += add_term(three ? "(1.0f + away) * exponential(-away)"
                            : "(1.0f + away + 1.66666667f * sum) * exponential(-away)");
    cost_of_functions(rbfs, 5, 5, 3);
  }
  text_ += "  }\n";
  body_.operations += {rbfs * (2 * d_ + 3), rbfs * (3 * d_ + 2)};
  cost_of_functions(rbfs, 8, 8, 0);
  body_.code_bytes += 90;
}

}  // namespace mercer
