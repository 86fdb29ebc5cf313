#include <algorithm>
#include <cmath>

#include "export/c_text.hpp"
#include "export/fixed_functions.hpp"
#include "export/fixed_plan.hpp"
#include "export/head.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

class FixedWriter {
 public:
  FixedWriter(const ContinuousController& controller, const COptions& options)
      : c_(controller), flat_(controller.flat), plan_(plan_fixed(controller)), d_(flat_.dimensions()) {
    places_ = {{"name", options.name},
               {"N", std::to_string(d_)},
               {"M", std::to_string(c_.outside.actions())},
               {"O", std::to_string(flat_.outputs)},
               {"R", std::to_string(flat_.rows)},
               {"F", std::to_string(flat_.factors_each)},
               {"q", std::to_string(plan_.q)},
               {"sum_shift", std::to_string(plan_.sum_shift)},
               {"wave_q", std::to_string(plan_.wave_q)}};
  }

  CBody write() {
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

 private:
  bool has_steps() const {
    return flat_.most_functions(false) > 0 && (flat_.family == Family::legendre || flat_.family == Family::hermite);
  }
  bool needs_bend() const { return flat_.ridge_count() > 0 || (c_.squash && !c_.discrete()); }
  bool needs_power() const { return needs_bend() || flat_.bump_count() > 0 || c_.samples(); }
  bool needs_sine() const {
    return flat_.wave_count() > 0 || flat_.most_functions(true) > 0 ||
           (flat_.family == Family::cosine && flat_.most_functions(false) > 0);
  }

  template <class T>
  void add_whole(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                 std::size_t columns = 0) {
    text_ += c_whole_table(type, name, numbers, columns);
    body_.table_bytes += bytes * numbers.size();
  }

  void write_tables() {
    std::vector<std::int32_t> axes, actions, scales;
    std::vector<unsigned> counts, periodic;
    for (std::size_t i = 0; i < d_; ++i) {
      const FixedPlan::Axis& axis = plan_.axes[i];
      axes.insert(axes.end(), {axis.low, axis.high, axis.to_unit.m, axis.to_unit.s});
      counts.push_back(static_cast<unsigned>(flat_.axes[i].functions));
      periodic.push_back(flat_.axes[i].periodic ? 1 : 0);
    }
    text_ += "/* low, high, and the scale to [-1, 1]: a factor and a shift */\n";
    add_whole("int32_t", 4, "axis", axes, 4);
    if (flat_.any_periodic()) add_whole("unsigned char", 1, "periodic", periodic);
    for (std::size_t i = 0; i < d_; ++i) {
      if (flat_.axes[i].knots.empty()) continue;
      std::vector<std::int32_t> numbers{0};
      for (const double knot : flat_.axes[i].knots)
        numbers.push_back(static_cast<std::int32_t>(std::lround((knot + 1) * 128)));
      numbers.push_back(256);
      add_whole("int16_t", 2, fmt::format("knot_{}", i), numbers);
    }
    if (flat_.any_functions()) add_whole("unsigned char", 1, "functions", counts);
    if (has_steps()) add_whole("int32_t", 4, "step", plan_.steps, 2);
    if (flat_.factors_each > 0)
      add_whole(flat_.rows > 256 ? "uint16_t" : "unsigned char", flat_.rows > 256 ? 2 : 1, "factor", flat_.factors,
                flat_.factors_each);
    if (flat_.wave_count() > 0) add_whole("int32_t", 4, "wave", plan_.waves, d_ + 1);
    if (flat_.ridge_count() > 0) add_whole("signed char", 1, "ridge", flat_.ridges, d_ + 1);
    if (flat_.bump_count() > 0) {
      const bool wide = flat_.centre_bits > 8;
      add_whole(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
      if (!flat_.widths.empty()) add_whole("unsigned char", 1, "width", flat_.widths);
      for (const auto& [m, s] : plan_.inverse_squares) scales.insert(scales.end(), {m, s});
      add_whole("int32_t", 4, "inverse_square", scales, 2);
      scales.clear();
    }
    add_whole(plan_.small ? "signed char" : "int16_t", plan_.small ? 1 : 2, "coefficient", plan_.coefficients,
              flat_.outputs);
    for (const auto& [m, s] : plan_.output_scale) scales.insert(scales.end(), {m, s});
    add_whole("int32_t", 4, "output", scales, 2);
    if (!c_.discrete()) {
      for (const FixedPlan::Action& one : plan_.actions)
        actions.insert(actions.end(), {one.centre, one.scale, one.low, one.high});
      text_ += "/* centre, scale, lowest, highest */\n";
      add_whole("int32_t", 4, "action", actions, 4);
    }
    text_ += "\n";
  }

  void write_functions() {
    if (flat_.any_functions()) text_ += fixed_functions::multiply(plan_.q), body_.code_bytes += 24;
    if (needs_sine()) text_ += fixed_functions::sine(plan_.q), body_.code_bytes += 110, body_.table_bytes += 20;
    if (needs_power()) text_ += fixed_functions::power(plan_.q), body_.code_bytes += 100, body_.table_bytes += 28;
    if (needs_bend()) text_ += fixed_functions::bend(plan_.q), body_.code_bytes += 150;
    if (flat_.bump_count() > 0 && flat_.kernel != Kernel::gaussian)
      text_ += fixed_functions::square_root(plan_.q), body_.code_bytes += 70;
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
        body_.operations +=
            {3 * axis.knots.size(), 4 * axis.knots.size(), axis.knots.size() + 1, 2 * axis.knots.size()};
    }
    if (flat_.most_functions(false) > 0) write_polynomials();
    if (flat_.most_functions(true) > 0) write_turning();
  }

  void write_polynomials() {
    Places places = places_;
    places.emplace_back(
        "next", has_steps() ? "mul(mul(step[k][0], x), now) - mul(step[k][1], before)" : "mul(2 * x, now) - before");
    places.emplace_back("start", flat_.family == Family::cosine    ? "  x = -sine(x >> 2);\n"
                                 : flat_.family == Family::hermite ? "  x *= 3;\n"
                                                                   : "");
    text_ += fill(R"(/* The family's functions 1 to count at x, by their recurrence. */
static int32_t *polynomials(int32_t x, int count, int32_t *row)
{
  int32_t before = ONE, now, next;
  int k;
@start@  now = x;
  for (k = 0; k < count; k++) {
    *row++ = now;
    next = @next@;
    before = now;
    now = next;
  }
  return row;
}

)",
                  places);
    body_.code_bytes += 80;
    for (const auto& axis : flat_.axes)
      if (!axis.periodic) body_.operations += {3 * axis.functions, axis.functions};
  }

  void write_turning() {
    text_ += R"(/* cos(pi x), sin(pi x), cos(2 pi x), ...: count of them. */
static int32_t *turning(int32_t x, int count, int32_t *row)
{
  const int32_t c = sine((x >> 1) + (ONE >> 2));
  int32_t cosine = c, cosine_before = ONE, sines = sine(x >> 1), sines_before = 0, next;
  int k;
  for (k = 0; k < count; k += 2) {
    *row++ = cosine;
    if (k + 1 < count) *row++ = sines;
    next = mul(2 * c, cosine) - cosine_before;
    cosine_before = cosine;
    cosine = next;
    next = mul(2 * c, sines) - sines_before;
    sines_before = sines;
    sines = next;
  }
  return row;
}

)";
    body_.code_bytes += 130;
    for (const auto& axis : flat_.axes)
      if (axis.periodic) body_.operations += {axis.functions + 14, axis.functions + 12};
  }

  std::string add_term(const std::string& value) {
    body_.code_bytes += 20;
    if (flat_.outputs == 1) return fmt::format("    sums[0] += *c++ * (int64_t){};\n", value);
    return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) sums[i] += *c++ * (int64_t)value;\n", value);
  }

  void write_evaluate() {
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
    for (std::size_t i = 0; i < d_; ++i) {
      if (!flat_.axes[i].knots.empty())
        text_ += fmt::format("  x[{0}] = bent(x[{0}], knot_{0}, {1});\n", i, flat_.axes[i].knots.size() + 1);
    }
    if (flat_.any_functions()) {
      text_ += "  *r++ = ONE;\n  for (i = 0; i < @N@; i++)";
      const bool poly = flat_.most_functions(false) > 0, turn = flat_.most_functions(true) > 0;
      text_ += poly && turn
                   ? "\n    r = periodic[i] ? turning(x[i], functions[i], r) : polynomials(x[i], functions[i], r);\n"
               : poly ? " r = polynomials(x[i], functions[i], r);\n"
                      : " r = turning(x[i], functions[i], r);\n";
    }
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

  void write_products() {
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

  void write_affine(std::size_t count, const std::string& bias, const std::string& weight, const std::string& value) {
    text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = {};\n", count, bias);
    text_ += fmt::format("    for (i = 0; i < @N@; i++) sum += {};\n", weight);
    text_ += add_term(value) + "  }\n";
    body_.operations += {count * (d_ + 1), count * (d_ + 1)};
    body_.code_bytes += 70;
  }

  void write_bumps() {
    const std::size_t bumps = flat_.bump_count();
    text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = 0;\n    for (i = 0; i < @N@; i++) {{\n", bumps);
    text_ +=
        fmt::format("      away = x[i] + ONE - (((int64_t)2 * centre[j][i] + 1) * ONE >> {});\n", flat_.centre_bits);
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

  void write_act() {
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

  void write_sample() {
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

  void measure() {
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

  void write_notes() {
    std::vector<int> obs_q, act_q;
    for (const FixedPlan::Axis& axis : plan_.axes) obs_q.push_back(axis.q);
    for (const FixedPlan::Action& action : plan_.actions) act_q.push_back(action.q);
    body_.header_lines += fixed_macros(c_.outside.contract, obs_q, act_q);
    if (c_.head == Head::gaussian)
      body_.header_lines += "#define @NAME@_NOISE_ONE 65536.0 /* one standard deviation */\n";
  }

  void write_selftest() {
    std::vector<std::string> given, expected;
    for (const std::vector<double>& state : test_states(c_)) {
      std::vector<std::int32_t> obs(d_), act(c_.outside.actions());
      for (std::size_t j = 0; j < d_; ++j)
        obs[j] = static_cast<std::int32_t>(std::llround(std::ldexp(state[j], plan_.axes[j].q)));
      fixed_act(c_, plan_, obs, act);
      for (const std::int32_t number : obs) given.push_back(std::to_string(number));
      for (const std::int32_t number : act) expected.push_back(std::to_string(number));
    }
    body_.source += fixed_selftest(given, expected, d_, c_.outside.actions());
  }

  const ContinuousController& c_;
  const FlatTerms& flat_;
  FixedPlan plan_;
  std::size_t d_;
  Places places_;
  std::string text_;
  CBody body_;
};

}  // namespace

CBody fixed_body(const ContinuousController& controller, const COptions& options) {
  return FixedWriter(controller, options).write();
}

}  // namespace mercer
