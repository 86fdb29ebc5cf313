#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include "mercer/policy.hpp"

/// Python functions of a batch of observations (n, dimensions). Those that are None are not there.
struct PolicyFunctions {
  pybind11::object mean;      ///< observations -> actions
  pybind11::object sample;    ///< observations, seed -> actions
  pybind11::object log_prob;  ///< observations, actions -> numbers (n,)
  pybind11::object given{};   ///< what they were made of: plays in Python's own environments
};

/// A policy whose work Python does. Any thread may call it: each takes Python's lock. Without `sample` it plays its
/// mean action; without `log_prob` it has no density (`missing_option`).
///
/// `sample` is called with a seed made of the seed, the step and the first episode of the batch, so rollouts are the
/// same each time for one batch size.
class PythonPolicy : public mercer::Policy {
 public:
  PythonPolicy(std::string name, mercer::Contract contract, PolicyFunctions functions);

  /// The object that the user gave, or null.
  const pybind11::object& given() const { return functions_->given; }

  void sample(mercer::MatrixView<const double> observation, const mercer::Draws& draws,
              mercer::MatrixView<double> action) const override;
  void mean_action(mercer::MatrixView<const double> observation, mercer::MatrixView<double> action) const override;
  void log_prob(mercer::MatrixView<const double> observation, mercer::MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  std::shared_ptr<const PolicyFunctions> functions_;  // given back under Python's lock
};
