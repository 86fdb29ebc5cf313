#include <cmath>

#include "support/graph_case.hpp"

// Constants and batches of different shapes in one operation, and operations on constants alone.

namespace {

// Numbers 0.5, 0.75, 1, ... for a constant: none is zero, so it may divide.
Numbers steps_from_half(std::size_t count) {
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(0.5 + 0.25 * static_cast<double>(i));
  return numbers;
}

// x of 3 by 4 with a constant: element (i, j) meets the constant's element i * down + j * right.
GraphCase with_constant(const std::string& op, const std::string& use, const OnnxDims& dims, std::size_t down,
                        std::size_t right, bool constant_first, double (*function)(double, double)) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count *= extent;
  const Numbers c = steps_from_half(static_cast<std::size_t>(count));
  OnnxModel model;
  model.input("x", {3, 4}).weights("c", dims, c);
  model.node(op, constant_first ? std::vector<std::string>{"c", "x"} : std::vector<std::string>{"x", "c"}, {"y"});
  model.output("y");
  return {op,
          use,
          model,
          [=](const Numbers& x) {
            Numbers y;
            for (std::size_t i = 0; i < 3; ++i) {
              for (std::size_t j = 0; j < 4; ++j) {
                const double a = x[i * 4 + j], b = c[i * down + j * right];
                y.push_back(constant_first ? function(b, a) : function(a, b));
              }
            }
            return y;
          },
          0.5,
          3};
}

GraphCase batches_of_different_sizes() {
  OnnxModel model;
  model.input("x", {3, 1}).input("z", {1, 4}).node("Sub", {"x", "z"}, {"y"}).output("y");
  return {"Sub", "of_a_column_and_a_row", model, [](const Numbers& in) {
            Numbers y;
            for (std::size_t i = 0; i < 3; ++i) {
              for (std::size_t j = 0; j < 4; ++j) y.push_back(in[i] - in[3 + j]);
            }
            return y;
          }};
}

// A vector of 2 in the batch grows to the constant's shape.
GraphCase batch_that_grows() {
  OnnxModel model;
  model.input("x", {1, 2}).weights("c", {3, 1}, {1, 2, 3}).node("Add", {"x", "c"}, {"y"}).output("y");
  return {"Add", "that_grows_the_batch_value", model,
          [](const Numbers& x) { return Numbers{x[0] + 1, x[1] + 1, x[0] + 2, x[1] + 2, x[0] + 3, x[1] + 3}; }};
}

// What an exporter leaves of exp(log_std)^2 * scale when it does not fold it itself.
GraphCase chain_of_constants() {
  OnnxModel model;
  model.input("x", {3}).weights("log_std", {3}, {-1, 0, 0.5}).weights("two", {}, {2}).weights("scale", {1, 1}, {0.25});
  model.node("Exp", {"log_std"}, {"std"}).node("Pow", {"std", "two"}, {"variance"});
  model.node("Mul", {"variance", "scale"}, {"scaled"}).node("Add", {"x", "scaled"}, {"y"}).output("y");
  return {"Exp", "of_a_constant", model, [](const Numbers& x) {
            return Numbers{x[0] + 0.25 * std::exp(-2.0), x[1] + 0.25, x[2] + 0.25 * std::exp(1.0)};
          }};
}

// An outer sum of two constants, and every kind of unary folding at once.
GraphCase outer_constants() {
  OnnxModel model;
  model.input("x", {2, 3}).weights("a", {2, 1}, {1, 2}).weights("b", {3}, {-1, 0, 1});
  model.node("Add", {"a", "b"}, {"sum"}).node("Clip", {"sum"}, {"cut"}, {{"min", 0.5}, {"max", 2.5}});
  model.node("Max", {"cut", "b", "a"}, {"most"}).node("Mul", {"x", "most"}, {"y"}).output("y");
  return {"Mul", "by_folded_constants", model, [](const Numbers& x) {
            Numbers y;
            for (int i = 0; i < 2; ++i) {
              for (int j = 0; j < 3; ++j) {
                const double a = i + 1, b = j - 1;
                const double cut = std::fmin(std::fmax(a + b, 0.5), 2.5);
                y.push_back(x[static_cast<std::size_t>(i * 3 + j)] * std::fmax(cut, std::fmax(a, b)));
              }
            }
            return y;
          }};
}

}  // namespace

std::vector<GraphCase> graph_broadcast_cases() {
  const auto add = [](double a, double b) { return a + b; };
  const auto subtract = [](double a, double b) { return a - b; };
  const auto divide = [](double a, double b) { return a / b; };
  const auto power = [](double a, double b) { return std::pow(a, b); };
  const auto leaky = [](double a, double b) { return a > 0 ? a : b * a; };
  std::vector<GraphCase> cases{with_constant("Add", "a_number", {}, 0, 0, false, add),
                               with_constant("Add", "a_list_of_one", {1}, 0, 0, false, add),
                               with_constant("Add", "a_row", {4}, 0, 1, false, add),
                               with_constant("Sub", "a_row_from_a_constant", {1, 4}, 0, 1, true, subtract),
                               with_constant("Sub", "a_column", {3, 1}, 1, 0, false, subtract),
                               with_constant("Div", "by_all", {3, 4}, 4, 1, false, divide),
                               with_constant("Div", "a_constant_with_a_batch_axis", {1, 3, 4}, 4, 1, true, divide),
                               with_constant("Div", "by_a_column_with_a_batch_axis", {1, 3, 1}, 1, 0, false, divide),
                               with_constant("Pow", "of_a_constant", {1, 1, 4}, 0, 1, true, power),
                               with_constant("Pow", "by_a_constant", {3, 1}, 1, 0, false, power),
                               batches_of_different_sizes(),
                               batch_that_grows(),
                               chain_of_constants(),
                               outer_constants()};
  cases.push_back(with_constant("PRelu", "by_a_row", {4}, 0, 1, false, leaky));
  cases.back().low = -3;
  return cases;
}
