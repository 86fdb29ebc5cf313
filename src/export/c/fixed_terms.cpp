#include <algorithm>

#include "export/c/continuous_writer.hpp"
#include "export/c/functions.hpp"

namespace mercer {

void FixedWriter::write_functions() {
  if (flat_.any_functions()) text_ += fixed_functions::multiply(plan_.q), body_.code_bytes += 24;
  if (needs_sine()) text_ += fixed_functions::sine(plan_.q), body_.code_bytes += 110, body_.table_bytes += 20;
  if (needs_power()) text_ += fixed_functions::power(plan_.q), body_.code_bytes += 100, body_.table_bytes += 28;
  if (needs_bend()) text_ += fixed_functions::bend(plan_.q), body_.code_bytes += 150;
  if (flat_.rbf_count() > 0 && flat_.kernel != Kernel::gaussian)
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
  text_ += wraps ? "  int64_t x;\n  if (turns == 0) " : "  ";
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

std::string FixedWriter::add_term(const std::string& value) {
  body_.code_bytes += 20;
  if (flat_.outputs == 1) return fmt::format("    sums[0] += *c++ * (int64_t){};\n", value);
  return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) sums[i] += *c++ * (int64_t)value;\n", value);
}

void FixedWriter::write_evaluate() {
  const std::size_t products = flat_.products, waves = flat_.wave_count(), ridges = flat_.ridge_count(),
                    rbfs = flat_.rbf_count();
  text_ += "/* The functions of the state. */\nstatic void evaluate(const int32_t obs[@N@], int32_t out[@O@])\n{\n";
  text_ += fmt::format("  int32_t x[@N@]{}{}{};\n", flat_.any_functions() ? ", row[@R@], *r = row" : "",
                       flat_.factors_each > 0 ? ", product" : "", flat_.outputs > 1 ? ", value" : "");
  text_ += "  int64_t sums[@O@]";
  if (waves + ridges + rbfs > 0) text_ += ", sum";
  if (rbfs > 0) text_ += ", away";
  text_ += fmt::format(";\n  const {} *c = coefficient[0];\n  int i, j;\n", plan_.small ? "signed char" : "int16_t");
  text_ += fmt::format("  for (i = 0; i < @N@; i++) x[i] = coordinate(obs[i], axis[i]{});\n",
                       flat_.any_periodic() ? ", periodic[i]" : "");
  write_bends("knot");
  write_rows("ONE");
  if (!flat_.any_functions() && waves + ridges + rbfs == 0) text_ += "  (void)x;\n";
  text_ += "  for (i = 0; i < @O@; i++) sums[i] = 0;\n";
  body_.code_bytes += 110;
  if (products > 0) write_products();
  if (waves > 0) {
    write_affine(waves, "0", "wave[j][i] * (int64_t)x[i]", "sine((sum >> @wave_q@) + wave[j][@N@])");
    body_.operations += {waves * 7, waves * 7, 0, waves * 3};
  }
  if (ridges > 0) {
    const bool halved = !flat_.ridge_halvings.empty();
    write_affine(ridges, "ridge[j][@N@] * (int64_t)ONE", "ridge[j][i] * (int64_t)x[i]",
                 fmt::format("(bend((sum * {}) >> {}{}) >> {})", plan_.ridge_unit.m, plan_.ridge_unit.s,
                             halved ? " >> halving[j]" : "", 30 - plan_.q));
    body_.operations += {ridges * 16, ridges * (halved ? 15 : 14), 0, ridges * 3};
  }
  if (rbfs > 0) write_rbfs();
  body_.operations += {flat_.coefficients.size() + flat_.outputs, flat_.coefficients.size()};
  text_ +=
      "  for (i = 0; i < @O@; i++) out[i] = (int32_t)(((sums[i] >> @sum_shift@) * output[i][0]) >> "
      "output[i][1]);\n}\n\n";
}

void FixedWriter::write_products() {
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n", flat_.products);
  if (flat_.factors_each == 0) {
    text_ += add_term("ONE");
  } else {
    text_ += "    product = row[factor[j][0]];\n";
    if (flat_.factors_each > 1) text_ += "    for (i = 1; i < @F@; i++) product = mul(product, row[factor[j][i]]);\n";
    text_ += add_term("product");
    body_.operations += {flat_.products * (flat_.factors_each - 1), 0, 0, 0, flat_.products * flat_.factors_each};
    body_.code_bytes += 50;
  }
  text_ += "  }\n";
}

void FixedWriter::write_affine(std::size_t count, const std::string& bias, const std::string& weight,
                               const std::string& value) {
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = {};\n", count, bias);
  text_ += fmt::format("    for (i = 0; i < @N@; i++) sum += {};\n", weight);
  text_ += add_term(value) + "  }\n";
  body_.operations += {count * (d_ + 1), count * (d_ + 1)};
  body_.code_bytes += 70;
}

void FixedWriter::write_rbfs() {
  const std::size_t rbfs = flat_.rbf_count();
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = 0;\n    for (i = 0; i < @N@; i++) {{\n", rbfs);
  text_ += fmt::format("      away = x[i] + ONE - (((int64_t)2 * centre[j][i] + 1) * ONE >> {});\n", flat_.centre_bits);
  text_ += "      sum += (away * away) >> @q@;\n    }\n";
  const std::string width = flat_.widths.empty() ? "0" : "width[j]";
  text_ += fmt::format("    sum = (sum * inverse_square[{0}][0]) >> inverse_square[{0}][1];\n", width);
  text_ += "    if (sum > 60 * (int64_t)ONE) sum = 60 * (int64_t)ONE;\n";
  const int down = 30 - plan_.q;
  if (flat_.kernel == Kernel::gaussian) {
    text_ += add_term(fmt::format("(int32_t)(power(-((sum * 96817625) >> 27)) >> {})", down));
  } else {
    const bool three = flat_.kernel == Kernel::matern32;
    text_ += fmt::format("    away = square_root({} * sum);\n", three ? 3 : 5);
    text_ += three ? "    sum = ONE + away;\n" : "    sum = ONE + away + ((sum * 223696213) >> 27);\n";
    text_ += add_term("(int32_t)((sum * power(-((away * 193635251) >> 27))) >> 30)");
    body_.operations += {rbfs * 26, rbfs * 52, 0, rbfs * 26};
  }
  text_ += "  }\n";
  body_.operations += {rbfs * (d_ + 10), rbfs * (3 * d_ + 8), 0, rbfs};
  body_.code_bytes += 140;
}

}  // namespace mercer
