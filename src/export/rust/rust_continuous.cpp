#include <algorithm>
#include <cmath>

#include "export/c/c_text.hpp"
#include "export/c/functions.hpp"
#include "export/rust/rust.hpp"

namespace mercer {
namespace {

template <class Polynomial>
std::string horner(const Polynomial& polynomial, const std::string& v) {
  std::string text = rust_float(polynomial.back());
  for (std::size_t i = polynomial.size() - 1; i-- > 0;)
    text = fmt::format("{} + {} * ({})", rust_float(polynomial[i]), v, text);
  return text;
}

std::string sine() {
  return fill(R"(/// sin(2 pi t) to 1e-7: folded into a quarter turn, then a polynomial.
fn sine(t: f32) -> f32 {
    let t = t - ((t + if t < 0.0 { -0.5 } else { 0.5 }) as i32) as f32;
    let s = 4.0 * t;
    let s = if s > 1.0 { 2.0 - s } else if s < -1.0 { -2.0 - s } else { s };
    let square = s * s;
    s * (@sum@)
}

)",
              Places{{"sum", horner(sine_polynomial, "square")}});
}

std::string power() {
  return fill(R"(/// 2^t to 2e-7 of itself, t cut to [-126, 126]: the whole part becomes the exponent.
fn power(t: f32) -> f32 {
    let t = if t < -126.0 { -126.0 } else if t > 126.0 { 126.0 } else { t };
    let mut n = t as i32;
    if (n as f32) > t {
        n -= 1;
    }
    let t = t - n as f32;
    f32::from_bits(((n + 127) as u32) << 23) * (@sum@)
}

)",
              Places{{"sum", horner(power_polynomial, "t")}});
}

constexpr const char* bend = R"(/// tanh(u) = (1 - e) / (1 + e) with e = exp(-2 |u|), to 2e-7.
fn bend(u: f32) -> f32 {
    let e = power(if u < 0.0 { 2.88539008 * u } else { -2.88539008 * u });
    let t = (1.0 - e) / (1.0 + e);
    if u < 0.0 { -t } else { t }
}

)";

constexpr const char* exponential = R"(fn exponential(x: f32) -> f32 {
    power(1.44269504 * x)
}

)";

constexpr const char* square_root = R"(/// To 2e-7 of itself: half the exponent, then three steps of Newton's.
fn square_root(x: f32) -> f32 {
    if x < 1e-30 {
        return 0.0;
    }
    let mut y = f32::from_bits((x.to_bits() >> 1) + 0x1fbd1df5);
    for _ in 0..3 {
        y = 0.5 * (y + x / y);
    }
    y
}

)";

constexpr const char* coordinate = R"(/// To [-1, 1]; what lies outside counts as the end.
fn coordinate(value: f32, ends: &[f32; 2]) -> f32 {
    let value = if value < ends[0] { ends[0] } else if value > ends[1] { ends[1] } else { value };
    (value + value - (ends[0] + ends[1])) / (ends[1] - ends[0])
}

)";

constexpr const char* wrapped =
    R"(/// To [-1, 1] by whole turns. Beyond a million of them nothing is left of an angle: the middle.
fn wrapped(value: f32, ends: &[f32; 2]) -> f32 {
    let x = (value + value - (ends[0] + ends[1])) / (ends[1] - ends[0]);
    let x = if x > -2e6 && x < 2e6 { x } else { 0.0 };
    if x >= -1.000001 && x <= 1.000001 {
        return x;
    }
    x - 2.0 * ((0.5 * x + if x < 0.0 { -0.5 } else { 0.5 }) as i32) as f32
}

)";

constexpr const char* bent = R"(/// Through a rising line of straight pieces, each of the same height.
fn bent(x: f32, pieces: &[[f32; 2]]) -> f32 {
    let mut y = -1.0;
    for piece in pieces {
        let part = (x - piece[0]) * piece[1];
        y += (if part < 0.0 { 0.0 } else if part > 1.0 { 1.0 } else { part }) * (2.0 / pieces.len() as f32);
    }
    y
}

)";

constexpr const char* polynomials = R"(/// The family's functions at x, by their recurrence.
fn polynomials(x: f32, row: &mut [f32]) {
@start@    let (mut before, mut now) = (1.0, x);
    for (value, step) in row.iter_mut().zip(STEP.iter()) {
        *value = now;
        let next = step[0] * x * now - step[1] * before;
        before = now;
        now = next;
    }
}

)";

constexpr const char* turning = R"(/// cos(pi x), sin(pi x), cos(2 pi x), ...
fn turning(x: f32, row: &mut [f32]) {
    let c = sine(0.5 * x + 0.25);
    let (mut cosine, mut cosine_before, mut sines, mut sines_before) = (c, 1.0, sine(0.5 * x), 0.0);
    for (k, value) in row.iter_mut().enumerate() {
        if k % 2 == 0 {
            *value = cosine;
            continue;
        }
        *value = sines;
        let (next_cosine, next_sine) = (2.0 * c * cosine - cosine_before, 2.0 * c * sines - sines_before);
        cosine_before = cosine;
        cosine = next_cosine;
        sines_before = sines;
        sines = next_sine;
    }
}

)";

class EvaluateWriter {
 public:
  explicit EvaluateWriter(const ContinuousController& controller)
      : c_(controller),
        flat_(controller.flat),
        lines_(flat_.most_functions(false)),
        turns_(flat_.most_functions(true)) {
    all_periodic_ = std::ranges::all_of(flat_.axes, &FlatTerms::Axis::periodic);
  }

  std::string write() {
    const std::string start = flat_.family == Family::cosine    ? "    let x = -sine(0.25 * x);\n"
                              : flat_.family == Family::hermite ? "    let x = 3.0 * x;\n"
                                                                : "";
    const bool rbfs = flat_.rbf_count() > 0, bends = flat_.ridge_count() > 0 || (c_.squash && !c_.discrete());
    if (flat_.wave_count() > 0 || turns_ > 0 || (flat_.family == Family::cosine && lines_ > 0)) text_ += sine();
    if (rbfs || bends) text_ += power();
    if (bends) text_ += bend;
    if (rbfs) text_ += exponential;
    if (rbfs && flat_.kernel != Kernel::gaussian) text_ += square_root;
    if (!all_periodic_) text_ += coordinate;
    if (flat_.any_periodic()) text_ += wrapped;
    if (has_bends()) text_ += bent;
    if (lines_ > 0) text_ += fill(polynomials, Places{{"start", start}});
    if (turns_ > 0) text_ += turning;
    write_evaluate();
    return fill(std::move(text_), Places{{"N", std::to_string(flat_.dimensions())},
                                         {"O", std::to_string(flat_.outputs)},
                                         {"R", std::to_string(flat_.rows)},
                                         {"P", std::to_string(flat_.products)}});
  }

 private:
  bool has_bends() const {
    return std::ranges::any_of(flat_.axes, [](const auto& axis) { return !axis.knots.empty(); });
  }

  void write_evaluate() {
    text_ += R"(/// Adds one term to all sums.
fn add(out: &mut [f32; @O@], term: &mut usize, value: f32) {
    for (sum, c) in out.iter_mut().zip(COEFFICIENT[*term].iter()) {
        *sum += c * value;
    }
    *term += 1;
}

/// The sums for an observation; false if it is not usable.
fn evaluate(obs: &[f32; @N@], out: &mut [f32; @O@]) -> bool {
    let mut x = [0.0f32; @N@];
    for i in 0..@N@ {
        if unusable(obs[i]) {
            return false;
        }
)";
    text_ += all_periodic_ ? "        x[i] = wrapped(obs[i], &RANGE[i]);\n"
             : flat_.any_periodic()
                 ? "        x[i] = if PERIODIC[i] != 0 { wrapped(obs[i], &RANGE[i]) } else { coordinate(obs[i], "
                   "&RANGE[i]) };\n"
                 : "        x[i] = coordinate(obs[i], &RANGE[i]);\n";
    text_ += "    }\n";
    if (has_bends()) {
      text_ += R"(    let mut first = 0;
    for i in 0..@N@ {
        let end = first + PIECES[i] as usize;
        if end > first {
            x[i] = bent(x[i], &PIECE[first..end]);
        }
        first = end;
    }
)";
    }
    if (flat_.any_functions()) write_rows();
    text_ += "    let mut term = 0;\n";
    write_products();
    if (flat_.wave_count() > 0) write_affine("WAVE", "", "sine(sum)");
    if (flat_.ridge_count() > 0) {
      const std::string unit = rust_float(flat_.ridge_unit);
      const bool halved = !flat_.ridge_halvings.empty();
      write_affine("RIDGE", " as f32",
                   fmt::format("bend({} * sum{})", unit, halved ? " / (1u32 << HALVING[j]) as f32" : ""), halved);
    }
    if (flat_.rbf_count() > 0) write_rbfs();
    if (!flat_.any_functions() && flat_.wave_count() + flat_.ridge_count() + flat_.rbf_count() == 0)
      text_ += "    let _ = x;\n";
    text_ += "    true\n}\n\n";
  }

  void write_rows() {
    text_ += R"(    let mut row = [1.0f32; @R@];
    let mut place = 1;
    for i in 0..@N@ {
        let end = place + FUNCTIONS[i] as usize;
)";
    text_ += lines_ > 0 && turns_ > 0 ? R"(        if PERIODIC[i] != 0 {
            turning(x[i], &mut row[place..end]);
        } else {
            polynomials(x[i], &mut row[place..end]);
        }
)"
             : lines_ > 0             ? "        polynomials(x[i], &mut row[place..end]);\n"
                                      : "        turning(x[i], &mut row[place..end]);\n";
    text_ += "        place = end;\n    }\n";
  }

  void write_products() {
    if (flat_.products == 0) return;
    text_ += flat_.factors_each == 0 ? "    for _ in 0..@P@ {\n        add(out, &mut term, 1.0);\n    }\n"
                                     : R"(    for factors in FACTOR.iter() {
        let mut product = 1.0;
        for f in factors.iter() {
            product *= row[*f as usize];
        }
        add(out, &mut term, product);
    }
)";
  }

  void write_affine(const std::string& table, const std::string& cast, const std::string& value,
                    bool numbered = false) {
    text_ += numbered ? fmt::format("    for (j, w) in {}.iter().enumerate() {{\n", table)
                      : fmt::format("    for w in {}.iter() {{\n", table);
    text_ += fmt::format(R"(        let mut sum = w[@N@]{0};
        for i in 0..@N@ {{
            sum += {1} * x[i];
        }}
        add(out, &mut term, {2});
    }}
)",
                         cast, cast.empty() ? "w[i]" : "(w[i]" + cast + ")", value);
  }

  void write_rbfs() {
    const double step = std::ldexp(2.0, -static_cast<int>(flat_.centre_bits));
    const bool three = flat_.kernel == Kernel::matern32, wide = !flat_.widths.empty();
    const std::string value =
        flat_.kernel == Kernel::gaussian
            ? "        add(out, &mut term, exponential(-0.5 * square));\n"
            : fmt::format(
                  "        let root = square_root({} * square);\n        add(out, &mut term, {} * "
                  "exponential(-root));\n",
                  three ? "3.0" : "5.0", three ? "(1.0 + root)" : "(1.0 + root + 1.66666667 * square)");
    text_ += fmt::format(R"(    for {} in CENTRE.iter(){} {{
        let mut square = 0.0;
        for i in 0..@N@ {{
            let away = x[i] - ({} * centre[i] as f32 + {});
            square += away * away;
        }}
        square *= INVERSE_SQUARE[{}];
{}    }}
)",
                         wide ? "(j, centre)" : "centre", wide ? ".enumerate()" : "", rust_float(step),
                         rust_float(0.5 * step - 1), wide ? "WIDTH[j] as usize" : "0", value);
  }

  const ContinuousController& c_;
  const FlatTerms& flat_;
  std::size_t lines_, turns_;
  bool all_periodic_ = false;
  std::string text_;
};

}  // namespace

std::string rust_continuous(const ContinuousController& controller) { return EvaluateWriter(controller).write(); }

}  // namespace mercer
