#include <cmath>

#include "support/graph_case.hpp"

// Products with weights, against a plain triple loop.

namespace {

// out[s][o] = alpha * sum over i of x[s][i] w[i][o], plus beta * bias[o].
Numbers product(const Numbers& x, std::size_t inputs, const Numbers& w, std::size_t outputs, double alpha,
                const Numbers& bias, double beta, bool transposed) {
  Numbers y;
  for (std::size_t s = 0; s < x.size() / inputs; ++s) {
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = 0;
      for (std::size_t i = 0; i < inputs; ++i) {
        sum += x[s * inputs + i] * w[transposed ? o * inputs + i : i * outputs + o];
      }
      y.push_back(alpha * sum + beta * (bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : o]));
    }
  }
  return y;
}

struct GemmUse {
  std::size_t inputs, outputs;
  OnnxDims bias_dims;  // {0}: no third input
  double alpha = 1, beta = 1;
  bool transposed = false;
};

GraphCase gemm(const std::string& use, const GemmUse& how) {
  const auto k = static_cast<std::int64_t>(how.inputs), n = static_cast<std::int64_t>(how.outputs);
  // Small weights: sums of many terms stay near one, and so does the rounding.
  const double size = 1 / std::sqrt(static_cast<double>(how.inputs));
  const Numbers w = random_numbers(how.inputs * how.outputs, -size, size, 11);
  std::size_t biases = 1;
  for (const std::int64_t extent : how.bias_dims) biases *= static_cast<std::size_t>(extent);
  const Numbers bias = random_numbers(biases, -1, 1, 13);
  OnnxModel model;
  model.input("x", {k}).weights("w", how.transposed ? OnnxDims{n, k} : OnnxDims{k, n}, w);
  std::vector<std::string> inputs{"x", "w"};
  if (biases > 0) {
    model.weights("b", how.bias_dims, bias);
    inputs.push_back("b");
  }
  std::vector<OnnxAttribute> attributes;
  if (how.alpha != 1) attributes.emplace_back("alpha", how.alpha);
  if (how.beta != 1) attributes.emplace_back("beta", how.beta);
  if (how.transposed) attributes.emplace_back("transB", 1);
  model.node("Gemm", inputs, {"y"}, attributes).output("y");
  return {"Gemm", use, model, [=](const Numbers& x) {
            return product(x, how.inputs, w, how.outputs, how.alpha, bias, how.beta, how.transposed);
          }};
}

GraphCase matmul(const std::string& use, const OnnxDims& sizes, std::size_t outputs) {
  const auto inputs = static_cast<std::size_t>(sizes.back());
  const Numbers w = random_numbers(inputs * outputs, -0.5, 0.5, 17);
  OnnxModel model;
  model.input("x", sizes).weights("w", {sizes.back(), static_cast<std::int64_t>(outputs)}, w);
  model.node("MatMul", {"x", "w"}, {"y"}).output("y");
  return {"MatMul", use, model, [=](const Numbers& x) { return product(x, inputs, w, outputs, 1, {}, 0, false); }};
}

// gSDE: the variance is latent^2 times exp(log_std)^2, weights that are computed once.
GraphCase matmul_by_folded_weights() {
  const Numbers log_std = random_numbers(8, -2, 0, 19);
  OnnxModel model;
  model.input("x", {4}).weights("log_std", {4, 2}, log_std).weights("two", {}, {2});
  model.node("Exp", {"log_std"}, {"std"}).node("Pow", {"std", "two"}, {"variance"});
  model.node("MatMul", {"x", "variance"}, {"y"}).output("y");
  return {"MatMul", "by_folded_weights", model, [=](const Numbers& x) {
            Numbers w;
            for (const double value : log_std) w.push_back(std::exp(2 * value));
            return product(x, 4, w, 2, 1, {}, 0, false);
          }};
}

}  // namespace

std::vector<GraphCase> graph_linear_cases() {
  return {gemm("without_bias", {5, 3, {0}}),
          gemm("with_bias", {5, 3, {3}}),
          gemm("with_one_bias_for_all", {5, 3, {1}}),
          gemm("with_a_number_as_bias", {5, 3, {}}),
          gemm("with_a_bias_row", {5, 3, {1, 3}}),
          gemm("transposed", {5, 3, {3}, 1, 1, true}),
          gemm("scaled", {5, 3, {3}, 0.5, -2, true}),
          gemm("scaled_without_bias", {5, 3, {0}, -1.5, 3}),
          gemm("to_one_number", {7, 1, {1}, 1, 1, true}),
          gemm("from_one_number", {1, 9, {9}}),
          gemm("as_wide_as_a_policy", {64, 64, {64}, 1, 1, true}),
          gemm("wider_than_a_block", {300, 270, {270}, 1, 1, true}),
          matmul("on_two_axes", {6}, 4),
          matmul("on_three_axes", {3, 6}, 4),
          matmul("on_four_axes", {2, 3, 6}, 5),
          matmul("to_one_number", {3, 6}, 1),
          matmul_by_folded_weights()};
}
