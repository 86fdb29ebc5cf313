#include "support/onnx_model.hpp"
#include "support/policy_files.hpp"

// A policy as docs/guide/onnx.md exports it: a normaliser before the first layer, tanh and scale behind the last.

namespace mercer {
namespace {

using OnnxPolicies = PolicyFiles;

TEST_F(OnnxPolicies, a_normaliser_inside_is_a_part_of_the_graph) {
  TestTensors net;
  add_layer(net, "a", 4, 3);
  add_layer(net, "b", 1, 4);
  const auto numbers = [&](const std::string& name) {
    const std::vector<float>& values = net.at(name).values;
    return Vector(values.begin(), values.end());
  };
  OnnxModel model;
  model.input("obs", {3}).output("action");
  model.weights("mean", {1, 3}, {0.5, -0.25, 1}).weights("std", {1, 3}, {2, 0.5, 0.1}).weights("scale", {1}, {1.5});
  model.weights("low", {}, {-10}).weights("high", {}, {10});
  for (const std::string layer : {"a", "b"}) {
    const auto& shape = net.at(layer + ".weight").shape;
    model.weights(layer + ".weight", {shape[0], shape[1]}, numbers(layer + ".weight"));
    model.weights(layer + ".bias", {shape[0]}, numbers(layer + ".bias"));
  }
  model.node("Sub", {"obs", "mean"}, {"centred"}).node("Div", {"centred", "std"}, {"normed"});
  model.node("Clip", {"normed", "low", "high"}, {"seen"});
  model.node("Gemm", {"seen", "a.weight", "a.bias"}, {"x"}, {{"transB", 1}}).node("Elu", {"x"}, {"y"});
  model.node("Gemm", {"y", "b.weight", "b.bias"}, {"z"}, {{"transB", 1}}).node("Tanh", {"z"}, {"t"});
  model.node("Mul", {"scale", "t"}, {"action"});
  const auto policy = load(model.bytes(), "pendulum", {}, "actor.onnx");
  EXPECT_NE(reading_.find("deterministic policy of output action"), std::string::npos);
  double limited = 0;
  for (const Vector& x : probed) {
    Vector seen{(x[0] - 0.5) / 2, (x[1] + 0.25) / 0.5, (x[2] - 1) / 0.1};
    for (const double number : seen) limited += std::abs(number) > 10;
    seen = mapped(seen, [](double number) { return std::clamp(number, -10.0, 10.0); });
    EXPECT_NEAR(act(*policy, x), 1.5 * std::tanh(linear(net, "b", mapped(linear(net, "a", seen), elu))[0]), 1e-5);
  }
  EXPECT_GT(limited, 0);
}

}  // namespace
}  // namespace mercer
