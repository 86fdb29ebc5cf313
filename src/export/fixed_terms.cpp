#include "export/fixed_writer.hpp"

namespace mercer {

std::string FixedWriter::add_term(const std::string& value) {
  body_.code_bytes += 20;
  if (flat_.outputs == 1) return fmt::format("    sums[0] += *c++ * (int64_t){};\n", value);
  return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) sums[i] += *c++ * (int64_t)value;\n", value);
}

void FixedWriter::write_evaluate() {
  const std::size_t products = flat_.products, waves = flat_.wave_count(), ridges = flat_.ridge_count(),
                    bumps = flat_.bump_count();
  text_ += "/* The functions of the state. */\nstatic void evaluate(const int32_t obs[@N@], int32_t out[@O@])\n{\n";
  text_ += fmt::format("  int32_t x[@N@]{}{}{};\n", flat_.any_functions() ? ", row[@R@], *r = row" : "",
                       flat_.factors_each > 0 ? ", product" : "", flat_.outputs > 1 ? ", value" : "");
  text_ += "  int64_t sums[@O@]";
  if (waves + ridges + bumps > 0) text_ += ", sum";
  if (bumps > 0) text_ += ", away";
  text_ += fmt::format(";\n  const {} *c = coefficient[0];\n  int i, j;\n", plan_.small ? "signed char" : "int16_t");
  text_ += fmt::format("  for (i = 0; i < @N@; i++) x[i] = coordinate(obs[i], axis[i]{});\n",
                       flat_.any_periodic() ? ", periodic[i]" : "");
  write_bends("knot");
  write_rows("ONE");
  if (!flat_.any_functions() && waves + ridges + bumps == 0) text_ += "  (void)x;\n";
  text_ += "  for (i = 0; i < @O@; i++) sums[i] = 0;\n";
  body_.code_bytes += 110;
  if (products > 0) write_products();
  if (waves > 0) {
    write_affine(waves, "0", "wave[j][i] * (int64_t)x[i]", "sine((sum >> @wave_q@) + wave[j][@N@])");
    body_.operations += {waves * 7, waves * 7, 0, waves * 3};
  }
  if (ridges > 0) {
    write_affine(ridges, "ridge[j][@N@] * (int64_t)ONE", "ridge[j][i] * (int64_t)x[i]",
                 fmt::format("(bend((sum * {}) >> {}) >> {})", plan_.ridge_unit.m, plan_.ridge_unit.s, 30 - plan_.q));
    body_.operations += {ridges * 16, ridges * 14, 0, ridges * 3};
  }
  if (bumps > 0) write_bumps();
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

void FixedWriter::write_bumps() {
  const std::size_t bumps = flat_.bump_count();
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = 0;\n    for (i = 0; i < @N@; i++) {{\n", bumps);
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
    body_.operations += {bumps * 26, bumps * 52, 0, bumps * 26};
  }
  text_ += "  }\n";
  body_.operations += {bumps * (d_ + 10), bumps * (3 * d_ + 8), 0, bumps};
  body_.code_bytes += 140;
}

}  // namespace mercer
