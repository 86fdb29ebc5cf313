#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/warning.hpp"
#include "support/agent_writer.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

/// Files of trainers, and plain evaluations of the networks in them.

namespace mercer {

using Vector = std::vector<double>;

/// A linear layer whose numbers depend on its name, so that exchanged layers are seen.
inline void add_layer(TestTensors& tensors, const std::string& name, std::int32_t outputs, std::int32_t inputs) {
  TestTensor weight{{outputs, inputs}, {}}, bias{{outputs}, {}};
  double phase = static_cast<double>(name.size());
  for (const char c : name) phase += 0.37 * c;
  for (std::int32_t i = 0; i < outputs * inputs; ++i) {
    weight.values.push_back(static_cast<float>(0.6 * std::sin(phase + 1.7 * i)));
  }
  for (std::int32_t i = 0; i < outputs; ++i) bias.values.push_back(static_cast<float>(0.2 * std::cos(phase + i)));
  tensors[name + ".weight"] = std::move(weight);
  tensors[name + ".bias"] = std::move(bias);
}

inline Vector linear(const TestTensors& tensors, const std::string& name, const Vector& x) {
  const TestTensor &weight = tensors.at(name + ".weight"), &bias = tensors.at(name + ".bias");
  Vector y(bias.values.begin(), bias.values.end());
  for (std::size_t r = 0; r < y.size(); ++r) {
    for (std::size_t c = 0; c < x.size(); ++c) y[r] += static_cast<double>(weight.values[r * x.size() + c]) * x[c];
  }
  return y;
}

template <class Function>
Vector mapped(Vector x, const Function& function) {
  for (double& number : x) number = function(number);
  return x;
}
inline double tanh_of(double x) { return std::tanh(x); }
inline double relu(double x) { return x > 0 ? x : 0; }
inline double elu(double x) { return x > 0 ? x : std::expm1(x); }
inline double silu(double x) { return x / (1 + std::exp(-x)); }

/// A LayerNorm.
inline Vector layer_norm(const TestTensors& tensors, const std::string& name, Vector x, double epsilon) {
  const auto count = static_cast<double>(x.size());
  double mean = 0, var = 0;
  for (const double number : x) mean += number / count;
  for (const double number : x) var += (number - mean) * (number - mean) / count;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(tensors.at(name + ".weight").values[i]) * (x[i] - mean) / std::sqrt(var + epsilon) +
           static_cast<double>(tensors.at(name + ".bias").values[i]);
  }
  return x;
}

/// The layers NAME.0, NAME.2, NAME.4 with a function between them.
template <class Function>
Vector three(const TestTensors& tensors, const std::string& name, Vector x, const Function& function) {
  x = mapped(linear(tensors, name + ".0", x), function);
  x = mapped(linear(tensors, name + ".2", x), function);
  return linear(tensors, name + ".4", x);
}
inline void add_three(TestTensors& tensors, const std::string& name, std::int32_t inputs, std::int32_t outputs) {
  add_layer(tensors, name + ".0", 5, inputs);
  add_layer(tensors, name + ".2", 4, 5);
  add_layer(tensors, name + ".4", outputs, 4);
}

inline const Vector probed[] = {{0.3, -0.9, 2.5}, {-1, 0.1, -6}, {0.7, 0.7, 0}};

/// Writes policy files into a folder of their own, loads them and keeps what was said.
class PolicyFiles : public testing::Test {
 protected:
  PolicyFiles() {
    set_warning_sink([this](const std::string& sentence) { warnings_ += sentence; });
  }
  ~PolicyFiles() override { set_warning_sink({}); }

  std::unique_ptr<Policy> load(const std::string& content, const char* env,
                               const std::vector<PolicySetting>& settings = {}, const std::string& name = "a.pt") {
    write_bytes(folder_ / name, content);
    warnings_.clear();
    return make_policy((folder_ / name).string(), make_env(env)->task(), settings, &reading_);
  }
  static double act(const Policy& policy, const Vector& observation) {
    double action = 0;
    policy.mean_action({observation.data(), observation.size(), 1}, {&action, 1, 1});
    return action;
  }
  static double density(const Policy& policy, const Vector& observation, double action) {
    double out = 0;
    policy.log_prob({observation.data(), observation.size(), 1}, {&action, 1, 1}, {&out, 1});
    return out;
  }
  // log of a normal density
  static double normal(double x, double mean, double log_std) {
    const double z = (x - mean) / std::exp(log_std);
    return -0.5 * z * z - log_std - 0.5 * std::log(2 * std::acos(-1.0));
  }

  TemporaryFolder folder_;
  std::string warnings_, reading_;
};

}  // namespace mercer
