#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace mercer {

/// What a draw is for. Part of the key of every draw, so that stages never share random numbers; the values are fixed
/// for ever, since changing one changes every result.
enum class Stage : std::uint16_t {
  start = 1,       ///< start states
  transition = 2,  ///< noise in the dynamics
  action = 3,      ///< a policy sampling its action
  task = 4,        ///< making a task (the fixed noise of `noisy-bandit`)
  weights = 5,     ///< initial weights of networks
  replay = 6,      ///< which steps a minibatch holds
  explore = 7,     ///< exploring while training
  update = 8,      ///< noise inside an update of the weights
  mixture = 9,     ///< where the components of a mixture start
  sketch = 10,     ///< random directions of a randomised decomposition
  baseline = 11,   ///< the actions that the sampling baseline keeps
  resample = 12,   ///< which episodes a bootstrap sample holds
  slice = 13,      ///< directions that distributions are projected on
  search = 14,     ///< candidates of a search
  feature = 15,    ///< random features and candidate terms of a dictionary
  simulate = 16,   ///< made-up processes and policies, and playing them
  perturb = 17,    ///< drawn parameters of a task, and noise of its sensors and actuators
};

/// Names one source of random numbers: the same key gives the same numbers on any thread, in any batch, in any order.
struct DrawKey {
  std::uint64_t seed = 0;
  Stage stage = Stage::start;
  std::uint64_t item = 0;  ///< episode or other item; below 2^48
  std::uint32_t step = 0;
};

/// The random numbers of one key, one after the other: Philox4x32-10 with key = seed and counter = (draw, step, item,
/// stage). Making one costs nothing; each call of the generator (128 bits) serves two draws.
class Random {
 public:
  explicit Random(const DrawKey& key) : key_(key) {}

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform();
  /// Standard normal, by Box and Muller from two uniforms (two draws).
  double normal();
  /// Index i with probability weights[i] / sum; weights are not negative and not all zero.
  std::size_t categorical(std::span<const double> weights);

 private:
  DrawKey key_;
  std::uint32_t draws_ = 0;
  std::array<std::uint64_t, 2> block_{};
};

/// The keys of a batch that share seed, stage and step: one item per column.
struct Draws {
  std::uint64_t seed = 0;
  Stage stage = Stage::start;
  std::uint32_t step = 0;
  std::span<const std::uint64_t> items;

  Random random(std::size_t column) const { return Random({seed, stage, items[column], step}); }
  /// out[i] = low + (high - low) * (draw number `draw` of column i), the same number that `random(i)` gives.
  void fill_uniform(std::span<double> out, double low = 0, double high = 1, std::uint32_t draw = 0) const;
  /// out[i] = the normal that `random(i)` gives after `pair` others.
  void fill_normal(std::span<double> out, std::uint32_t pair = 0) const;
};

/// Throws `bad_distribution` unless the numbers are probabilities that sum to one. `where` names them, as "P[3][0]". A
/// sum may miss one by 1e-6, as printed decimals do.
void check_distribution(std::span<const double> probabilities, const std::string& where);

}  // namespace mercer
