#include <algorithm>
#include <cmath>

#include "export/c_text.hpp"
#include "export/float_functions.hpp"
#include "export/float_machine.hpp"
#include "export/head.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

// Writes one controller: pieces are added as the embedding needs them, and each brings its cost.
class FloatWriter {
 public:
  FloatWriter(const ContinuousController& controller, const COptions& options)
      : c_(controller), flat_(controller.flat), options_(options), d_(flat_.dimensions()) {
    places_ = {{"name", options.name},
               {"N", std::to_string(d_)},
               {"M", std::to_string(c_.outside.actions())},
               {"O", std::to_string(flat_.outputs)},
               {"R", std::to_string(flat_.rows)},
               {"F", std::to_string(flat_.factors_each)}};
  }

  CBody write() {
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

 private:
  bool needs_bend() const { return flat_.ridge_count() > 0 || (c_.squash && !c_.discrete()); }
  bool needs_exponential() const { return flat_.bump_count() > 0 || c_.samples(); }
  bool needs_root() const { return flat_.bump_count() > 0 && flat_.kernel != Kernel::gaussian; }
  bool needs_sine() const {
    return flat_.wave_count() > 0 || flat_.most_functions(true) > 0 ||
           (flat_.family == Family::cosine && flat_.most_functions(false) > 0);
  }
  std::size_t bent_axes() const {
    return static_cast<std::size_t>(std::ranges::count_if(flat_.axes, [](const auto& a) { return !a.knots.empty(); }));
  }

  void add_floats(const std::string& name, const std::vector<double>& numbers, std::size_t columns = 0) {
    text_ += c_float_table(name, numbers, columns);
    body_.table_bytes += 4 * numbers.size();
  }
  template <class T>
  void add_whole(const std::string& type, std::size_t bytes, const std::string& name, const std::vector<T>& numbers,
                 std::size_t columns = 0) {
    text_ += c_whole_table(type, name, numbers, columns);
    body_.table_bytes += bytes * numbers.size();
  }

  void write_tables() {
    std::vector<double> ranges, steps, actions;
    std::vector<unsigned> counts, periodic;
    for (const FlatTerms::Axis& axis : flat_.axes) {
      ranges.insert(ranges.end(), {axis.range.low, axis.range.high});
      counts.push_back(static_cast<unsigned>(axis.functions));
      periodic.push_back(axis.periodic ? 1 : 0);
    }
    add_floats("range", ranges, 2);
    if (flat_.any_periodic() && std::ranges::count(periodic, 0U) > 0)
      add_whole("unsigned char", 1, "periodic", periodic);
    for (std::size_t i = 0; i < d_; ++i) {
      std::vector<double> pieces;
      const std::vector<double>& knots = flat_.axes[i].knots;
      for (std::size_t j = 0; !knots.empty() && j <= knots.size(); ++j) {
        const double from = j == 0 ? -1 : knots[j - 1], to = j == knots.size() ? 1 : knots[j];
        pieces.insert(pieces.end(), {from, 1 / (to - from)});
      }
      if (!pieces.empty()) add_floats(fmt::format("piece_{}", i), pieces, 2);
    }
    if (flat_.any_functions()) add_whole("unsigned char", 1, "functions", counts);
    if (has_steps()) {
      for (std::size_t k = 0; k < flat_.most_functions(false); ++k) {
        const auto [a, b] = recurrence(flat_.family, k + 2);
        steps.insert(steps.end(), {a, b});
      }
      add_floats("step", steps, 2);
    }
    if (flat_.factors_each > 0)
      add_whole(flat_.rows > 256 ? "uint16_t" : "unsigned char", flat_.rows > 256 ? 2 : 1, "factor", flat_.factors,
                flat_.factors_each);
    if (flat_.wave_count() > 0) add_floats("wave", flat_.waves, d_ + 1);
    if (flat_.ridge_count() > 0) add_whole("signed char", 1, "ridge", flat_.ridges, d_ + 1);
    if (flat_.bump_count() > 0) {
      const bool wide = flat_.centre_bits > 8;
      add_whole(wide ? "uint16_t" : "unsigned char", wide ? 2 : 1, "centre", flat_.centres, d_);
      if (!flat_.widths.empty()) add_whole("unsigned char", 1, "width", flat_.widths);
      add_floats("inverse_square", flat_.inverse_squares);
    }
    add_floats("coefficient", flat_.coefficients, flat_.outputs);
    if (!c_.discrete()) {
      const Contract& contract = c_.outside.contract;
      for (std::size_t a = 0; a < c_.outside.actions(); ++a) {
        const auto [low, high] = contract.clip[a];
        actions.insert(actions.end(),
                       {contract.centre[a], contract.scale[a], std::max(low, -3e38), std::min(high, 3e38)});
      }
      text_ += "/* centre, scale, lowest, highest */\n";
      add_floats("action", actions, 4);
    }
    std::vector<double> safe = c_.outside.safe;
    add_floats("safe", safe);
    text_ += "\n";
  }

  bool has_steps() const {
    return flat_.most_functions(false) > 1 && (flat_.family == Family::legendre || flat_.family == Family::hermite);
  }

  void write_functions() {
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
    if (flat_.most_functions(false) > 0) write_polynomials();
    if (flat_.most_functions(true) > 0) write_turning();
  }

  void write_coordinate() {
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

  void write_polynomials() {
    std::string start;
    if (flat_.family == Family::cosine) start = "  x = -sine(0.25f * x);\n";
    if (flat_.family == Family::hermite) start = "  x *= 3.0f;\n";
    Places places = places_;
    places.insert(places.end(),
                  {{"start", start},
                   {"next", has_steps() ? "step[k][0] * x * now - step[k][1] * before" : "2.0f * x * now - before"}});
    text_ += fill(R"(/* The family's functions 1 to count at x, by their recurrence. */
static float *polynomials(float x, int count, float *row)
{
  float before = 1.0f, now, next;
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
    body_.code_bytes += 60;
    for (const auto& axis : flat_.axes) {
      if (!axis.periodic) body_.operations += {3 * axis.functions, axis.functions};
    }
  }

  void write_turning() {
    text_ += R"(/* cos(pi x), sin(pi x), cos(2 pi x), ...: count of them. */
static float *turning(float x, int count, float *row)
{
  const float c = sine(0.5f * x + 0.25f);
  float cosine = c, cosine_before = 1.0f, sines = sine(0.5f * x), sines_before = 0.0f, next;
  int k;
  for (k = 0; k < count; k += 2) {
    *row++ = cosine;
    if (k + 1 < count) *row++ = sines;
    next = 2.0f * c * cosine - cosine_before;
    cosine_before = cosine;
    cosine = next;
    next = 2.0f * c * sines - sines_before;
    sines_before = sines;
    sines = next;
  }
  return row;
}

)";
    body_.code_bytes += 120;
    for (const auto& axis : flat_.axes) {
      if (axis.periodic) body_.operations += {2 * axis.functions + 16, axis.functions + 12};
    }
  }

  // "out[o] += c[o] * value" and on to the next term's coefficients.
  std::string add_term(const std::string& value) {
    body_.code_bytes += 12;
    if (flat_.outputs == 1) return fmt::format("    out[0] += *c++ * {};\n", value);
    return fmt::format("    value = {};\n    for (i = 0; i < @O@; i++) out[i] += *c++ * value;\n", value);
  }

  void write_evaluate() {
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
    for (std::size_t i = 0; i < d_; ++i) {
      if (!flat_.axes[i].knots.empty())
        text_ += fmt::format("  x[{0}] = bent(x[{0}], piece_{0}, {1});\n", i, flat_.axes[i].knots.size() + 1);
    }
    if (flat_.any_functions()) {
      text_ += "  *r++ = 1.0f;\n  for (i = 0; i < @N@; i++)";
      const bool poly = flat_.most_functions(false) > 0, turn = flat_.most_functions(true) > 0;
      text_ += poly && turn
                   ? "\n    r = periodic[i] ? turning(x[i], functions[i], r) : polynomials(x[i], functions[i], r);\n"
               : poly ? " r = polynomials(x[i], functions[i], r);\n"
                      : " r = turning(x[i], functions[i], r);\n";
    }
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
  void cost_of_functions(std::size_t count, std::size_t multiplications, std::size_t additions, std::size_t divisions) {
    if (options_.math == CMath::libm) {
      body_.operations += {0, 0, 0, 0, 0, count};
    } else {
      body_.operations += {count * multiplications, count * additions, count * divisions, count * 3};
    }
  }

  void write_products() {
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

  void write_affine(std::size_t count, const std::string& value, const std::string& bias, const std::string& weight) {
    text_ += fmt::format("  for (j = 0; j < {}; j++) {{\n    sum = {};\n", count, bias);
    text_ += fmt::format("    for (i = 0; i < @N@; i++) sum += {} * x[i];\n", weight);
    text_ += add_term(value) + "  }\n";
    body_.operations += {count * (d_ + 1), count * d_};
    body_.code_bytes += 56;
  }

  void write_bumps() {
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

  void write_act() {
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

  void write_sample() {
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

  void measure() {
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

  void write_selftest() {
    std::vector<double> given, expected, limits;
    for (const std::vector<double>& state : test_states(c_)) {
      std::vector<double> obs, act(c_.outside.actions());
      for (const double number : state) obs.push_back(static_cast<float>(number));
      c_.model->policy().mean_action({obs.data(), d_, 1}, {act.data(), act.size(), 1});
      given.insert(given.end(), obs.begin(), obs.end());
      expected.insert(expected.end(), act.begin(), act.end());
    }
    for (std::size_t a = 0; a < c_.outside.actions(); ++a)
      limits.push_back(c_.discrete() ? 0 : 2 * body_.stated_error * c_.outside.width(a));
    body_.source += float_selftest(given, expected, limits, d_);
  }

  const ContinuousController& c_;
  const FlatTerms& flat_;
  const COptions& options_;
  std::size_t d_;
  Places places_;
  std::string text_;
  CBody body_;
};

}  // namespace

CBody float_body(const ContinuousController& controller, const COptions& options) {
  return FloatWriter(controller, options).write();
}

}  // namespace mercer
