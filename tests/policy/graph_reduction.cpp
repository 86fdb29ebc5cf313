#include <algorithm>
#include <cmath>

#include "support/graph_case.hpp"

// Operators that look along axes of x, a grid of 2 by 3 by 4.

namespace {

constexpr std::size_t down = 2, across = 3, deep = 4;

OnnxModel grid(std::int64_t operator_set = 17) { return OnnxModel(operator_set).input("x", {2, 3, 4}); }

// The numbers that are looked at together when the marked axes go, for each that stays, in order.
std::vector<Numbers> groups(const Numbers& x, bool first, bool second, bool third) {
  std::vector<Numbers> all(down * across * deep);
  for (std::size_t i = 0; i < down; ++i) {
    for (std::size_t j = 0; j < across; ++j) {
      for (std::size_t k = 0; k < deep; ++k) {
        const std::size_t group = ((first ? 0 : i) * across + (second ? 0 : j)) * deep + (third ? 0 : k);
        all[group].push_back(x[(i * across + j) * deep + k]);
      }
    }
  }
  std::erase_if(all, [](const Numbers& group) { return group.empty(); });
  return all;
}

double sum_of(const Numbers& all) {
  double sum = 0;
  for (const double number : all) sum += number;
  return sum;
}
double mean_of(const Numbers& all) { return sum_of(all) / static_cast<double>(all.size()); }
double most_of(const Numbers& all) { return *std::ranges::max_element(all); }
double least_of(const Numbers& all) { return *std::ranges::min_element(all); }
double length_of(const Numbers& all) {
  double squares = 0;
  for (const double number : all) squares += number * number;
  return std::sqrt(squares);
}

void add_reductions(std::vector<GraphCase>& cases, const std::string& op, double (*of)(const Numbers&)) {
  const auto add = [&](const std::string& use, const OnnxModel& model, bool first, bool second, bool third) {
    cases.push_back({op, use, model, [=](const Numbers& x) {
                       Numbers y;
                       for (const Numbers& group : groups(x, first, second, third)) y.push_back(of(group));
                       return y;
                     }});
  };
  const OnnxAttribute last("axes", OnnxDims{-1}), outer("axes", OnnxDims{1, 3});
  add("along_the_last_axis", grid().node(op, {"x"}, {"y"}, {last}).output("y"), false, false, true);
  add("along_two_axes", grid().node(op, {"x"}, {"y"}, {outer}).output("y"), true, false, true);
  add("that_drops_axes",
      grid()
          .node(op, {"x"}, {"r"}, {outer, {"keepdims", 0}})
          .node("Add", {"r", "c"}, {"y"})
          .weights("c", {3}, {0, 0, 0})
          .output("y"),
      true, false, true);
  add("by_input", grid().integers("axes", {2}).node(op, {"x", "axes"}, {"y"}).output("y"), false, true, false);
}

// Softmax along axis 2 of the file, the one of 3.
GraphCase softmax(bool logarithm, const std::string& use, int axis, bool second, bool third) {
  const std::string op = logarithm ? "LogSoftmax" : "Softmax";
  return {op,
          use,
          grid().node(op, {"x"}, {"y"}, {{"axis", axis}}).output("y"),
          [=](const Numbers& x) {
            Numbers y(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
              double total = 0;
              for (std::size_t o = 0; o < x.size(); ++o) {
                const bool together = i / (across * deep) == o / (across * deep) && (second || i / deep == o / deep) &&
                                      (third || i % deep == o % deep);
                if (together) total += std::exp(x[o]);
              }
              y[i] = logarithm ? x[i] - std::log(total) : std::exp(x[i]) / total;
            }
            return y;
          },
          -20,
          20};
}

// Before operator set 13 softmax ran over all axes from the given one on.
GraphCase old_softmax(bool logarithm) {
  GraphCase old = softmax(logarithm, "over_several_axes_as_of_old", 2, true, true);
  old.model.proto.mutable_opset_import(0)->set_version(11);
  return old;
}

GraphCase layer_norm(const std::string& use, int axis, std::size_t width, bool with_bias, double epsilon) {
  const Numbers scale = random_numbers(width, 0.5, 1.5, 3), bias = random_numbers(width, -1, 1, 5);
  OnnxModel model = grid();
  const OnnxDims dims = width == deep ? OnnxDims{4} : OnnxDims{3, 4};
  model.weights("scale", dims, scale).weights("bias", dims, bias);
  std::vector<OnnxAttribute> attributes{{"axis", axis}};
  if (epsilon != 1e-5) attributes.emplace_back("epsilon", epsilon);
  std::vector<std::string> inputs{"x", "scale"};
  if (with_bias) inputs.push_back("bias");
  model.node("LayerNormalization", inputs, {"y"}, attributes).output("y");
  return {"LayerNormalization", use, model, [=](const Numbers& x) {
            Numbers y;
            for (std::size_t begin = 0; begin < x.size(); begin += width) {
              const auto from = x.begin() + static_cast<std::ptrdiff_t>(begin);
              const Numbers group(from, from + static_cast<std::ptrdiff_t>(width));
              const double mean = mean_of(group);
              double variance = 0;
              for (const double v : group) variance += (v - mean) * (v - mean) / static_cast<double>(width);
              for (std::size_t i = 0; i < width; ++i) {
                y.push_back((group[i] - mean) / std::sqrt(variance + epsilon) * scale[i] + (with_bias ? bias[i] : 0));
              }
            }
            return y;
          }};
}

GraphCase argmax(bool keep) {
  OnnxModel model;
  // Columns 0 and 2, and 1 and 3, are equal: ties must go to the first.
  model.input("x", {3}).weights("c", {3, 5}, {1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1});
  model.node("MatMul", {"x", "c"}, {"five"});
  model.node("ArgMax", {"five"}, {"y"}, {{"axis", keep ? 1 : -1}, {"keepdims", keep ? 1 : 0}}).output("y");
  return {"ArgMax", keep ? "that_keeps_the_axis" : "that_drops_the_axis", model, [](const Numbers& x) {
            const Numbers five{x[0], x[1], x[0], x[1], x[2]};
            return Numbers{static_cast<double>(std::ranges::max_element(five) - five.begin())};
          }};
}

}  // namespace

std::vector<GraphCase> graph_reduction_cases() {
  std::vector<GraphCase> cases;
  add_reductions(cases, "ReduceSum", sum_of);
  add_reductions(cases, "ReduceMean", mean_of);
  add_reductions(cases, "ReduceMax", most_of);
  add_reductions(cases, "ReduceMin", least_of);
  add_reductions(cases, "ReduceL2", length_of);
  for (const bool logarithm : {false, true}) {
    cases.push_back(softmax(logarithm, "along_the_last_axis", -1, false, true));
    cases.push_back(softmax(logarithm, "along_a_middle_axis", 2, true, false));
    cases.push_back(old_softmax(logarithm));
  }
  cases.push_back(layer_norm("along_the_last_axis", -1, deep, true, 1e-5));
  cases.push_back(layer_norm("along_two_axes", 2, across * deep, true, 1e-3));
  cases.push_back(layer_norm("without_bias", -1, deep, false, 1e-5));
  cases.push_back(argmax(true));
  cases.push_back(argmax(false));
  return cases;
}
