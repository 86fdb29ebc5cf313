#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"

/// @file
/// Tasks that are not quite the one a policy was trained in: other masses, noisy sensors, late actuators.
///
///     make_env("pendulum:m=1.2,noise=0.02,delay=1")       one such task
///     make_env("pendulum:m=0.8..1.2,noise=0..0.05")       a task that draws them anew for every episode

namespace mercer {

/// Disturbances that go with every task. A range of width 0 is fixed; from any other a value is drawn for each episode,
/// uniformly (delay, levels: an integer), the same for every policy that plays the episode.
struct Disturbance {
  Range noise{};         ///< standard deviation of Gaussian noise on observations, as a share of half their range
  Range action_noise{};  ///< the same on actions; discrete: probability of an action drawn uniformly
  Range delay{};         ///< steps by which an action comes late; the middle of the range is played before the first
  Range lag{};           ///< share of the last played action that is still in the next, 0 to below 1; not discrete
  Range levels{};        ///< values that a sensor can show over its range; 0: all
  bool any() const;
};
/// How each of them is spelled and what is legal: what `make_env` reads for every task.
const std::vector<Parameter>& disturbances();
Disturbance read_disturbance(Params& params);

/// The task with these disturbances: its state has more rows, its contract with policies is the same. Where an
/// observation has no bounds, noise and levels need its spread in `scales` (one number for each observation, 0 where
/// there are bounds); without it playing throws `missing_option`. Throws `bad_value` for a disturbance that does not go
/// with the task's spaces: noise on a discrete observation, lag of a discrete action.
std::unique_ptr<Env> disturb(std::unique_ptr<Env> env, const Disturbance& disturbance, std::vector<double> scales = {});
/// Whether a task made by `make_env` still needs such spreads, and the same task with them.
bool needs_spread(const Env& env);
std::unique_ptr<Env> with_spread(std::string_view spec, std::uint64_t seed, std::vector<double> scales);

/// One perturbed parameter of a box.
struct Perturbation {
  Parameter parameter;
  Range range;
};
/// Reads "m=0.8..1.2; noise=0..0.05; delay=1" for a task. Throws `unknown_name` with the nearest parameter that the
/// task has, `out_of_range`, and `bad_value` for one that is given twice, here or in the task's own settings.
std::vector<Perturbation> read_perturbations(std::string_view spec, std::string_view text);
/// The task that draws them, as text for `make_env`.
std::string perturbed_spec(std::string_view spec, std::span<const Perturbation> box);
/// The task at one point of the box.
std::string perturbed_spec(std::string_view spec, std::span<const Perturbation> box, std::span<const double> values);

/// Values of each parameter in a grid, unless asked for otherwise.
inline constexpr std::size_t usual_grid = 3;
/// `each` evenly spaced values of each parameter, ends included (integers: those that differ), in all combinations, the
/// last parameter fastest. The nominal point goes first where it lies in the box. Throws `too_large` above 1,000
/// points.
std::vector<std::vector<double>> grid_of(std::span<const Perturbation> box, std::size_t each);

}  // namespace mercer
