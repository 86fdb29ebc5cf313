#pragma once

#include <string>
#include <vector>

#include "mercer/core/progress.hpp"
#include "mercer/embed/continuous_embedding.hpp"
#include "mercer/embed/continuous_fit.hpp"
#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// Names that `DictionaryOptions::basis` takes.
const std::vector<std::string>& known_continuous_bases();

/// Which functions a continuous embedding may choose from.
struct DictionaryOptions {
  /// legendre, chebyshev, cosine, hermite, fourier; "mixed" (chebyshev, ridges and bumps); "ridge";
  /// "kernel:gaussian", "kernel:matern32", "kernel:matern52"; "rff" or "rff:KERNEL"
  std::string basis = "chebyshev";
  std::size_t degree = 5;  ///< of tensor products, 0 to 16
  IndexRule rule = IndexRule::total;
  std::vector<std::uint8_t> limits{};  ///< of the degree along each axis; empty: none
  std::size_t knots = 0;               ///< bends in each axis, 0 to 15, by where visited states are
  double temper = 0.5;                 ///< how far they follow the states, 0 to 1
  std::size_t candidates = 400;        ///< ridges, centres and random features to choose from, 1 to 65536
  unsigned bits = 4;                   ///< of a ridge's numbers, 3 to 8; centres have one more
  double length = 0;                   ///< of kernels, in units of half the range; 0: chosen
};

struct ContinuousOptions {
  DictionaryOptions dictionary{};
  std::size_t k = 6;  ///< terms, 1 to 4096
  NumberFormat format = NumberFormat::int8;
  Act act = Act::mean;         ///< what is embedded: the mean action, or the whole distribution
  bool squash = true;          ///< mean actions through tanh; otherwise through the cut to the box
  std::size_t episodes = 200;  ///< of the teacher, and of every candidate
  std::size_t states = 5000;   ///< of the teacher's that the fit sees, 1 to 10^6
  std::size_t rounds = 5;      ///< fits; after each, states that the candidate visits are added
  std::uint64_t seed = 0;
  Polish polish{};
};

/// Throws what is wrong with the options before any work is done.
void check_options(const ContinuousOptions& options, const Policy& teacher);

/// Coordinates for a teacher: its observation box where that is finite, else ranges from visited states.
Coordinates choose_coordinates(const Policy& teacher, Head head, const DictionaryOptions& options,
                               MatrixView<const double> states, bool& own_ranges);
/// The dictionary that the options describe. `states` (columns) are where bumps may be.
Terms make_dictionary(const DictionaryOptions& options, const Coordinates& coordinates, MatrixView<const double> points,
                      std::uint64_t seed);

/// States (columns) picked evenly from rollouts with steps: at most `most`.
struct StateMatrix {
  std::size_t dimensions = 0;
  std::vector<double> values;
  MatrixView<const double> view() const { return {values.data(), dimensions, values.size() / dimensions}; }
};
StateMatrix pick_states(const Rollouts& rollouts, std::size_t most);

/// E[(1 - pi2(a|s) / pi1(a|s))^+], a drawn from pi1: the mean over states (columns) of the total variation between two
/// policies that have densities, without bias. The spread of the estimate is below 1 / sqrt(states).
double mean_total_variation(const Policy& first, const Policy& second, MatrixView<const double> states,
                            std::uint64_t seed);

/// A fit of K terms of a dictionary to samples: choice, least squares, polish, rounding.
ContinuousEmbedding fit_embedding(const ContinuousCode& shape, const Terms& dictionary, const Samples& samples,
                                  std::size_t k, const Polish& options, const std::string& name);

/// One fit of the route and what it earned in `episodes` episodes.
struct ContinuousRound {
  ContinuousEmbedding embedding;
  double objective = 0;  ///< per sample, on the states it was fitted to
  double loss = 0;       ///< mean return of the teacher less its own, same starts
};
/// Plays the teacher, fits, adds the states that the candidate visits, and fits again; the candidate that lost least
/// comes first. With `Act::sample` all that is played is drawn.
std::vector<ContinuousRound> make_continuous(const Env& env, const Policy& teacher, const ContinuousOptions& options,
                                             const Progress& progress = {});

}  // namespace mercer
