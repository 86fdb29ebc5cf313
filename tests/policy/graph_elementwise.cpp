#include <algorithm>
#include <cmath>

#include "support/graph_case.hpp"

// Operators that treat every number by itself, on x of 5 numbers; formulas from the ONNX operator list.

namespace {

GraphCase unary(const std::string& op, double (*function)(double), double low = -3, double high = 3,
                const std::string& use = "plain", const std::vector<OnnxAttribute>& attributes = {}) {
  OnnxModel model;
  model.input("x", {5}).node(op, {"x"}, {"y"}, attributes).output("y");
  return {op,
          use,
          model,
          [=](const Numbers& x) {
            Numbers y;
            for (const double v : x) y.push_back(function(v));
            return y;
          },
          low,
          high};
}

GraphCase binary(const std::string& op, double (*function)(double, double), double low = -3, double high = 3) {
  OnnxModel model;
  model.input("x", {5}).input("z", {5}).node(op, {"x", "z"}, {"y"}).output("y");
  return {op,
          "of_two_batches",
          model,
          [=](const Numbers& in) {
            Numbers y;
            for (std::size_t i = 0; i < 5; ++i) y.push_back(function(in[i], in[i + 5]));
            return y;
          },
          low,
          high};
}

double elu(double x, double alpha) { return x > 0 ? x : alpha * std::expm1(x); }
double clip(double x, double low, double high) { return std::min(std::max(x, low), high); }

// Bounds as inputs of the node (operator set 11 on); an empty name is a bound that is not given.
GraphCase clip_by_inputs(const std::string& use, const std::vector<std::string>& inputs, double low, double high) {
  OnnxModel model;
  model.input("x", {5}).weights("low", {}, {-1}).weights("high", {}, {0.5});
  model.node("Clip", inputs, {"y"}).output("y");
  return {"Clip", use, model, [=](const Numbers& x) {
            Numbers y;
            for (const double v : x) y.push_back(clip(v, low, high));
            return y;
          }};
}

std::vector<GraphCase> extremes() {
  std::vector<GraphCase> cases;
  for (const bool most : {false, true}) {
    OnnxModel model;
    model.input("x", {5}).input("z", {5}).weights("c", {5}, {-2, -1, 0, 1, 2}).weights("d", {}, {0.25});
    model.node(most ? "Max" : "Min", {"x", "c", "z", "d"}, {"y"}).output("y");
    cases.push_back({most ? "Max" : "Min", "of_four", model, [=](const Numbers& in) {
                       Numbers y;
                       for (std::size_t i = 0; i < 5; ++i) {
                         const auto all = {in[i], static_cast<double>(i) - 2, in[i + 5], 0.25};
                         y.push_back(most ? std::max(all) : std::min(all));
                       }
                       return y;
                     }});
    cases.push_back(unary(
        most ? "Max" : "Min", [](double x) { return x; }, -3, 3, "of_one"));
  }
  return cases;
}

}  // namespace

std::vector<GraphCase> graph_elementwise_cases() {
  const auto huge = HUGE_VAL;
  std::vector<GraphCase> cases{
      unary("Relu", [](double x) { return std::max(x, 0.0); }),
      unary(
          "Tanh", [](double x) { return std::tanh(x); }, -12, 12),
      unary(
          "Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -30, 30),
      unary(
          "Softplus", [](double x) { return std::log1p(std::exp(x)); }, -40, 40),
      unary("Softsign", [](double x) { return x / (1 + std::abs(x)); }),
      unary(
          "HardSwish", [](double x) { return x * clip(x / 6 + 0.5, 0, 1); }, -5, 5),
      unary(
          "HardSigmoid", [](double x) { return clip(0.2 * x + 0.5, 0, 1); }, -5, 5),
      unary("HardSigmoid", [](double x) { return clip(0.3 * x + 0.1, 0, 1); }, -5, 5, "tuned",
            {{"alpha", 0.3}, {"beta", 0.1}}),
      unary("Erf", [](double x) { return std::erf(x); }),
      unary(
          "Exp", [](double x) { return std::exp(x); }, -20, 5),
      unary(
          "Log", [](double x) { return std::log(x); }, 1e-3, 100),
      unary(
          "Sqrt", [](double x) { return std::sqrt(x); }, 0, 100),
      unary(
          "Reciprocal", [](double x) { return 1 / x; }, 0.1, 4),
      unary("Abs", [](double x) { return std::abs(x); }),
      unary("Neg", [](double x) { return -x; }),
      unary("Sign", [](double x) { return x > 0   ? 1.0
                                          : x < 0 ? -1.0
                                                  : 0.0; }),
      unary(
          "Sin", [](double x) { return std::sin(x); }, -10, 10),
      unary(
          "Cos", [](double x) { return std::cos(x); }, -10, 10),
      unary("LeakyRelu", [](double x) { return x > 0 ? x : 0.01 * x; }),
      unary("LeakyRelu", [](double x) { return x > 0 ? x : 0.25 * x; }, -3, 3, "tuned", {{"alpha", 0.25}}),
      unary("Elu", [](double x) { return elu(x, 1); }),
      unary("Elu", [](double x) { return elu(x, 2.5); }, -3, 3, "tuned", {{"alpha", 2.5}}),
      unary("Celu", [](double x) { return elu(x, 1); }),
      unary("Celu", [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }, -3, 3, "tuned", {{"alpha", 2.0}}),
      unary("Selu", [](double x) { return 1.0507009873554805 * elu(x, 1.6732632423543772); }),
      unary("Selu", [](double x) { return 0.5 * elu(x, 2); }, -3, 3, "tuned", {{"alpha", 2.0}, {"gamma", 0.5}}),
      unary("Clip", [](double x) { return clip(x, -1, 0.5); }, -3, 3, "by_attributes", {{"min", -1.0}, {"max", 0.5}}),
      unary("Clip", [](double x) { return clip(x, -1, HUGE_VAL); }, -3, 3, "by_one_attribute", {{"min", -1.0}}),
      clip_by_inputs("by_inputs", {"x", "low", "high"}, -1, 0.5),
      clip_by_inputs("from_below", {"x", "low"}, -1, huge),
      clip_by_inputs("from_above", {"x", "", "high"}, -huge, 0.5),
      clip_by_inputs("without_bounds", {"x"}, -huge, huge),
      binary("Add", [](double x, double z) { return x + z; }),
      binary("Sub", [](double x, double z) { return x - z; }),
      binary("Mul", [](double x, double z) { return x * z; }),
      binary(
          "Div", [](double x, double z) { return x / z; }, 0.2, 3),
      binary(
          "Pow", [](double x, double z) { return std::pow(x, z); }, 0.1, 3),
      binary("PRelu", [](double x, double z) { return x > 0 ? x : z * x; }),
      binary("Min", [](double x, double z) { return std::min(x, z); }),
      binary("Max", [](double x, double z) { return std::max(x, z); })};
  for (GraphCase& extreme : extremes()) cases.push_back(std::move(extreme));
  return cases;
}
