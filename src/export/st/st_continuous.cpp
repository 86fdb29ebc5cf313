#include <algorithm>
#include <cmath>
#include <numbers>

#include "export/c/c_text.hpp"
#include "export/st/st.hpp"

namespace mercer {
namespace {

using Places = std::vector<std::pair<std::string, std::string>>;

// Writes the statements in the order of float_machine.cpp, so that the error measured there is this one's.
class StContinuousWriter {
 public:
  explicit StContinuousWriter(const ContinuousController& controller)
      : c_(controller),
        flat_(controller.flat),
        d_(flat_.dimensions()),
        outputs_(controller.discrete() ? flat_.outputs : controller.outside.actions()) {
    places_ = {{"N-1", std::to_string(d_ - 1)},           {"M-1", std::to_string(c_.outside.actions() - 1)},
               {"O-1", std::to_string(outputs_ - 1)},     {"O", std::to_string(outputs_)},
               {"F", std::to_string(flat_.factors_each)}, {"F-1", std::to_string(flat_.factors_each - 1)}};
  }

  StBody write() {
    body_.wraps = flat_.any_periodic();
    body_.variables.variables("j, k, place", "DINT", 3);
    body_.variables.variables("low, high, value, bend", "REAL", 4);
    body_.variables.array("out", outputs_, "REAL");
    text_ += st_coordinates(flat_, body_);
    if (flat_.any_functions()) text_ += st_functions(flat_, body_);
    write_sums();
    write_head();
    body_.statements = fill(std::move(text_), places_);
    measure();
    for (const std::vector<double>& state : test_states(c_)) add_case(state);
    return std::move(body_);
  }

 private:
  // value becomes its tanh; beyond 10 nothing but 1 is left of it.
  std::string tanh(std::size_t times) {
    body_.operations += {times, 2 * times, times, 2 * times, 0, times};
    return R"((* tanh *)
bend := ABS(value);
IF bend > REAL#10.0 THEN
  bend := REAL#10.0;
END_IF;
bend := EXP(REAL#-2.0 * bend);
bend := (REAL#1.0 - bend) / (REAL#1.0 + bend);
IF value < REAL#0.0 THEN
  value := -bend;
ELSE
  value := bend;
END_IF;
)";
  }

  void write_sums() {
    const std::size_t terms = flat_.terms();
    std::vector<double> coefficients;
    for (std::size_t t = 0; t < terms; ++t) {
      for (std::size_t o = 0; o < outputs_; ++o) coefficients.push_back(flat_.coefficients[t * flat_.outputs + o]);
    }
    text_ += "(* The sum of all terms. *)\nFOR i := 0 TO @O-1@ DO\n  out[i] := REAL#0.0;\nEND_FOR;\nplace := 0;\n";
    if (coefficients.empty()) return;
    body_.constants.reals("coefficients", coefficients);
    if (flat_.products > 0) write_products();
    if (flat_.wave_count() > 0) write_waves();
    if (flat_.ridge_count() > 0) write_ridges();
    if (flat_.rbf_count() > 0) write_rbfs();
    body_.operations += {coefficients.size(), 2 * coefficients.size(), 0, 0, coefficients.size()};
  }

  void write_terms(std::size_t count, const std::string& value) {
    text_ += fmt::format("FOR j := 0 TO {} DO\n", count - 1) + indented(value, 2);
    text_ += R"(  FOR i := 0 TO @O-1@ DO
    out[i] := out[i] + coefficients[place] * value;
    place := place + 1;
  END_FOR;
END_FOR;
)";
  }

  void write_products() {
    if (flat_.factors_each == 0) return write_terms(flat_.products, "value := REAL#1.0;\n");
    body_.constants.whole("factors", std::vector<std::int64_t>(flat_.factors.begin(), flat_.factors.end()));
    const std::string first = flat_.factors_each == 1 ? "j" : "@F@ * j";
    std::string value = fmt::format("value := row[factors[{}]];\n", first);
    if (flat_.factors_each > 1)
      value += "FOR i := 1 TO @F-1@ DO\n  value := value * row[factors[@F@ * j + i]];\nEND_FOR;\n";
    write_terms(flat_.products, value);
    const std::size_t all = flat_.products * flat_.factors_each;
    body_.operations += {all - flat_.products, 0, 0, 0, 2 * all};
  }

  // value := w . x + b
  std::string affine(const std::string& table, const std::string& to_real, std::size_t count) {
    const auto number = [&](const std::string& at) {
      return to_real.empty() ? fmt::format("{}[{}]", table, at) : fmt::format("{}({}[{}])", to_real, table, at);
    };
    body_.operations += {count * d_, count * d_, 0, 0, count * (2 * d_ + 1)};
    return fmt::format("value := {};\nFOR i := 0 TO @N-1@ DO\n  value := value + {} * x[i];\nEND_FOR;\n",
                       number(fmt::format("{} * j + {}", d_ + 1, d_)), number(fmt::format("{} * j + i", d_ + 1)));
  }

  void write_waves() {
    const std::size_t count = flat_.wave_count();
    body_.constants.reals("waves", flat_.waves);
    write_terms(count, affine("waves", "", count) + fmt::format(R"(value := value - DINT_TO_REAL(REAL_TO_DINT(value));
value := SIN(REAL#{} * value);
)",
                                                                st_real(2 * std::numbers::pi)));
    body_.operations += {count, count, 0, 0, 0, count};
  }

  void write_ridges() {
    const std::size_t count = flat_.ridge_count();
    const std::string type =
        body_.constants.whole("ridges", std::vector<std::int64_t>(flat_.ridges.begin(), flat_.ridges.end()));
    std::string unit = "REAL#" + st_real(flat_.ridge_unit);
    if (!flat_.ridge_halvings.empty()) {
      std::vector<double> units;
      for (std::size_t j = 0; j < count; ++j) units.push_back(std::ldexp(flat_.ridge_unit, -flat_.ridge_halving(j)));
      body_.constants.reals("ridge_units", units);
      body_.operations.lookups += count;
      unit = "ridge_units[j]";
    }
    write_terms(count,
                affine("ridges", type + "_TO_REAL", count) + fmt::format("value := {} * value;\n", unit) + tanh(count));
    body_.operations += {count};
  }

  void write_rbfs() {
    const std::size_t count = flat_.rbf_count();
    const double step = std::ldexp(2.0, -static_cast<int>(flat_.centre_bits));
    const std::string type =
        body_.constants.whole("centres", std::vector<std::int64_t>(flat_.centres.begin(), flat_.centres.end()));
    if (!flat_.widths.empty())
      body_.constants.whole("widths", std::vector<std::int64_t>(flat_.widths.begin(), flat_.widths.end()));
    body_.constants.reals("inverse_squares", flat_.inverse_squares);
    std::string value =
        fmt::format(R"(value := REAL#0.0;
FOR i := 0 TO @N-1@ DO
  bend := x[i] - (REAL#{} * {}_TO_REAL(centres[{} * j + i]) + REAL#{});
  value := value + bend * bend;
END_FOR;
value := value * inverse_squares[{}];
)",
                    st_real(step), type, d_, st_real(0.5 * step - 1), flat_.widths.empty() ? "0" : "widths[j]");
    const bool gaussian = flat_.kernel == Kernel::gaussian, three = flat_.kernel == Kernel::matern32;
    if (!gaussian) body_.variables.variables("root", "REAL");
    value += gaussian
                 ? "bend := REAL#-0.5 * value;\nvalue := REAL#1.0;\n"
                 : fmt::format("root := SQRT(REAL#{} * value);\nbend := -root;\nvalue := {};\n", three ? "3.0" : "5.0",
                               three ? "REAL#1.0 + root" : "REAL#1.0 + root + REAL#1.66666667 * value");
    value += R"(IF bend < REAL#-80.0 THEN
  bend := REAL#-80.0;
END_IF;
value := value * EXP(bend);
)";
    write_terms(count, value);
    body_.operations += {count * (2 * d_ + 4), count * (3 * d_ + 2), 0, count, count * d_, count * (gaussian ? 1 : 2)};
  }

  void write_head() {
    const std::size_t m = c_.outside.actions();
    if (c_.discrete()) {
      text_ += "(* The action with the largest number. *)\nbest := 0;\nFOR i := 1 TO @O-1@ DO\n";
      text_ += "  IF out[i] > out[best] THEN\n    best := i;\n  END_IF;\nEND_FOR;\n";
      body_.operations.comparisons += outputs_;
      return;
    }
    const Contract& contract = c_.outside.contract;
    std::vector<double> spans;
    for (std::size_t a = 0; a < m; ++a) {
      const auto [low, high] = contract.clip[a];
      spans.insert(spans.end(), {contract.centre[a], contract.scale[a], std::max(low, -3e38), std::min(high, 3e38)});
    }
    body_.constants.reals("spans", spans);
    text_ += "(* From unbounded numbers to actions: centre, scale, lowest and highest. *)\n";
    text_ += "FOR i := 0 TO @M-1@ DO\n  value := out[i];\n";
    if (c_.squash) text_ += indented(tanh(m), 2);
    text_ += R"(  value := spans[4 * i] + spans[4 * i + 1] * value;
  low := spans[4 * i + 2];
  high := spans[4 * i + 3];
  IF value < low THEN
    value := low;
  ELSIF value > high THEN
    value := high;
  END_IF;
  act[i] := value;
END_FOR;
)";
    body_.operations += {m, m, 0, 2 * m, 4 * m};
  }

  // The C without a library does the same in the same order. Functions of other makers are trusted with a little less.
  void measure() {
    body_.error = float_body(c_, {.math = CMath::none}).error;
    body_.stated_error = with_margin(1.5 * body_.error, 1e-5);
  }

  void add_case(const std::vector<double>& state) {
    std::vector<double> obs, act(c_.outside.actions());
    for (const double number : state) obs.push_back(static_cast<float>(number));
    c_.model->policy().mean_action({obs.data(), d_, 1}, {act.data(), act.size(), 1});
    body_.given.insert(body_.given.end(), obs.begin(), obs.end());
    body_.expected.insert(body_.expected.end(), act.begin(), act.end());
    if (!c_.discrete()) return;
    const std::vector<double> logits = model_answers(c_, obs);
    body_.numbers.insert(body_.numbers.end(), logits.begin(), logits.end());
  }

  const ContinuousController& c_;
  const FlatTerms& flat_;
  std::size_t d_, outputs_;
  Places places_;
  std::string text_;
  StBody body_;
};

}  // namespace

StBody st_continuous_body(const ContinuousController& controller) { return StContinuousWriter(controller).write(); }

}  // namespace mercer
