#pragma once

#include <span>
#include <string>

#include "mercer/core/matrix_view.hpp"
#include "mercer/core/random.hpp"
#include "mercer/policy/contract.hpp"

namespace mercer {

/// Anything that can choose actions: a teacher, an embedding, a baseline.
///
/// Batches are columns, as in `Env`: one row per dimension, one column per state. A policy is const and may be used by
/// many threads at once; nothing allocates per call. A column's result never depends on the columns beside it.
class Policy {
 public:
  virtual ~Policy() = default;

  /// How the policy was asked for, such as "uniform" or a file name.
  const std::string& name() const { return name_; }
  /// The number of observations it takes in and of action dimensions it gives out.
  std::size_t observation_dimensions() const { return contract_.observation.dimensions(); }
  const Space& action_space() const { return contract_.action; }
  /// All that whoever runs it must know.
  const Contract& contract() const { return contract_; }

  /// Draws an action for each column, using the keys of that column alone.
  virtual void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const = 0;

  /// The action played when nothing is drawn: the mean on a box, the most likely one (the first of equals) among
  /// discrete actions.
  virtual void mean_action(MatrixView<const double> observation, MatrixView<double> action) const = 0;

  /// log of the density of each action: with respect to length or volume on a box, to counting on discrete actions;
  /// minus infinity where the policy never goes.
  virtual void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                        std::span<double> out) const = 0;

  /// The same for m actions in each state, as a matrix with a row for each state. `action` has m columns for every
  /// state, one state after the other, or m columns that all states share. By default `log_prob` of all pairs; policies
  /// that compute something from the state do that once for all its actions.
  virtual void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                             MatrixView<double> out) const;

  /// P(action[dimension] <= value) in each state, for policies on a box whose dimensions are independent given the
  /// state and that know it in closed form. `values` has a row for each state or one that all share, `out` a row for
  /// each state. Returns false, leaving `out` alone, where there is none: by default.
  virtual bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
                   MatrixView<double> out) const;

 protected:
  Policy(std::string name, Contract contract) : name_(std::move(name)), contract_(std::move(contract)) {
    check_contract(contract_, name_);
  }

 private:
  std::string name_;
  Contract contract_;
};

}  // namespace mercer
