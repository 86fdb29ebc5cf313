#pragma once

#include <filesystem>
#include <vector>

#include "mercer/policy/policy.hpp"

namespace mercer {

/// pi[s][a] for finitely many states and actions.
class TabularPolicy : public Policy {
 public:
  /// `pi` is row-major, `states` rows of `actions` probabilities. Throws `shape_mismatch` or `bad_distribution`.
  TabularPolicy(std::string name, std::size_t states, std::size_t actions, std::vector<double> pi);

  std::size_t states() const { return states_; }
  std::span<const double> row(std::size_t state) const { return std::span(pi_).subspan(state * actions_, actions_); }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  std::span<const double> row_of(double observation) const;

  std::size_t states_;
  std::size_t actions_;
  std::vector<double> pi_;
};

/// Reads {"pi": [[...], ...]} from a .json file or the array `pi` from an .npz file.
TabularPolicy read_tabular_policy(const std::filesystem::path& path);

}  // namespace mercer
