#include <algorithm>
#include <cmath>

#include "export/float_writer.hpp"

namespace mercer {

// "out[o] += c[o] * value" and on to the next term's coefficients.
std::string FloatWriter::add_term(const std::string& value) {
  body_.code_bytes += 12;
  if (flat_.outputs == 1) return fmt::format("    out[0] += *c++ * {};\n", value);
  return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) out[i] += *c++ * value;\n", value);
}

void FloatWriter::write_evaluate() {
  const std::size_t products = flat_.products, waves = flat_.wave_count(), ridges = flat_.ridge_count(),
                    bumps = flat_.bump_count();
  const bool inner = waves + ridges + bumps > 0;
  const bool sums = inner || flat_.factors_each > 0;
  text_ += "/* The functions of the state; 0 if the observation is not usable. */\n";
  text_ += "static int evaluate(const float obs[@N@], float out[@O@])\n{\n";
  text_ += fmt::format("  float x[@N@]{}{}{};\n", flat_.any_functions() ? ", row[@R@], *r = row" : "",
                       sums ? ", sum" : "", flat_.outputs > 1 ? ", value" : "");
  if (bumps > 0) text_ += "  float away;\n";
  text_ += "  const float *c = coefficient[0];\n";
  text_ += "  int i, j;\n";
  text_ += "  for (i = 0; i < @N@; i++) {\n    if (unusable(obs[i])) return 0;\n";
  const bool all = std::ranges::all_of(flat_.axes, &FlatTerms::Axis::periodic);
  text_ += all ? "    x[i] = wrapped(obs[i], range[i]);\n"
           : flat_.any_periodic()
               ? "    x[i] = periodic[i] ? wrapped(obs[i], range[i]) : coordinate(obs[i], range[i]);\n"
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
    write_affine(ridges, fmt::format("bend({} * sum)", c_float(flat_.ridge_unit)), "(float)ridge[j][@N@]",
                 "(float)ridge[j][i]");
    cost_of_functions(ridges, 10, 9, 1);
  }
  if (bumps > 0) write_bumps();
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

void FloatWriter::write_bumps() {
  const std::size_t bumps = flat_.bump_count();
  const double step = std::ldexp(2.0, -static_cast<int>(flat_.centre_bits));
  text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = 0.0f;\n    for (i = 0; i < @N@; i++) {{\n", bumps);
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
    cost_of_functions(bumps, 5, 5, 3);
  }
  text_ += "  }\n";
  body_.operations += {bumps * (2 * d_ + 3), bumps * (3 * d_ + 2)};
  cost_of_functions(bumps, 8, 8, 0);
  body_.code_bytes += 90;
}

}  // namespace mercer
