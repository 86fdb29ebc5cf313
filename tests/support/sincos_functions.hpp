#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "core/sincos.hpp"

/// One of the four ways to a batch of sines or cosines, beside what it should give.
struct TrigonometricFunction {
  const char* name;
  bool is_sine;
  std::function<void(std::span<const double>, std::span<double>)> batch;

  std::vector<double> operator()(std::span<const double> x) const {
    std::vector<double> out(x.size());
    batch(x, out);
    return out;
  }
  /// In long double: 64 bits or more.
  long double exact(long double x) const { return is_sine ? std::sin(x) : std::cos(x); }
  double library(double x) const { return is_sine ? std::sin(x) : std::cos(x); }
};

inline const std::vector<TrigonometricFunction>& trigonometric_functions() {
  using In = std::span<const double>;
  using Out = std::span<double>;
  static const std::vector<TrigonometricFunction> functions{
      {"sine", true, [](In x, Out out) { mercer::sine(x, out); }},
      {"cosine", false, [](In x, Out out) { mercer::cosine(x, out); }},
      {"sincos' sine", true,
       [](In x, Out out) {
         std::vector<double> other(x.size());
         mercer::sincos(x, out, other);
       }},
      {"sincos' cosine", false,
       [](In x, Out out) {
         std::vector<double> other(x.size());
         mercer::sincos(x, other, out);
       }},
  };
  return functions;
}
