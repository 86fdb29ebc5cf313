#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mercer/env/env.hpp"

namespace mercer {

/// A finite Markov decision process, with the symbols of the theory: n states, m actions.
struct TabularMdp {
  std::size_t n = 0;
  std::size_t m = 0;
  std::vector<double> P;   ///< P[(s m + a) n + s'], rows sum to one
  std::vector<double> r;   ///< r[s m + a]
  std::vector<double> mu;  ///< start distribution over the states
  double gamma = 0.99;
  std::uint32_t horizon = 1;
  std::vector<std::uint8_t> terminal;  ///< 1 for states where an episode ends; empty for none
};

/// Throws `shape_mismatch`, `not_finite` or `bad_distribution` (with the row and its sum) unless the process is sound.
/// Rows may miss one by 1e-6, as printed decimals do.
void check_mdp(const TabularMdp& mdp, const std::string& where);

/// Reads {"P": [s][a][s'], "r": [s][a], "mu": [s], "gamma": g} and, if given, "horizon" and "terminal" (a list of
/// states). Without a horizon episodes are as long as the discount needs to fall under 1e-6.
TabularMdp read_mdp(const std::filesystem::path& path);

/// N states in a row and two actions, left (0) and right (1). An action does what it says with probability alpha and
/// the opposite otherwise; at the two ends the state stays. Reward 1 for each step taken from the last state.
TabularMdp make_chain(std::size_t n, double alpha, std::uint32_t horizon);

/// One state, N arms: r(i) = exp(-(i - N/2)^2 / 2) / sqrt(2 pi) + U_i for i = 1..N, U_i normal with standard deviation
/// lambda, drawn once from the seed.
TabularMdp make_noisy_bandit(std::size_t arms, double lambda, std::uint64_t seed);

/// A finite process as a task: state and observation are the number of the state.
class TabularEnv : public Env {
 public:
  TabularEnv(std::string name, TabularMdp mdp);
  const TabularMdp& mdp() const { return mdp_; }

  void reset(const Draws& draws, MatrixView<double> state) const override;
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override;
  Range return_range(std::uint32_t horizon) const override;

 private:
  TabularMdp mdp_;
  std::vector<double> start_cdf_;
  std::vector<double> next_cdf_;
};

}  // namespace mercer
