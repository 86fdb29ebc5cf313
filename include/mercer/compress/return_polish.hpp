#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/embed/continuous_embedding.hpp"
#include "mercer/embed/continuous_fit.hpp"
#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// Mean undiscounted return of `episodes` episodes.
double mean_return(const Env& env, const Policy& policy, std::size_t episodes, std::uint64_t seed, Act act);

/// How coefficients are improved on the return itself.
struct ReturnPolish {
  std::size_t generations = 60;  ///< 0 to 10^5
  std::size_t episodes = 256;    ///< that each candidate of a generation plays, fresh ones every generation
  std::size_t population = 0;    ///< candidates a generation; 0: 4 + 3 ln K
  double step = 0.15;            ///< first steps, as root mean square change of the function over the samples
  Act act = Act::mean;
  std::uint64_t seed = 0;
  std::uint64_t item = 0;  ///< tells searches of one seed apart
};

/// Asked between generations; true ends the polish with what it has.
using EnoughTime = std::function<bool()>;

/// Raises the mean return of the policy that `function` makes, over its coefficients: an evolution strategy whose
/// candidates of one generation all play the same episodes, new ones in each generation, so that it follows the task
/// and not a set of start states. Coordinates are whitened by the Gram matrix of `features`: a step moves the function
/// by as much in every direction. Returns the centre of the search. On all threads, the same for any number of them.
std::vector<double> polish_on_return(const Env& env, const ContinuousCode& shape, const Contract& contract,
                                     const TermFunction& function, const Features& features,
                                     std::vector<double> coefficients, const ReturnPolish& options,
                                     const EnoughTime& enough = {}, const Progress& progress = {});

/// The same for coefficients that are whole numbers: moves one after the other by one unit and keeps what earns more on
/// `options.episodes` fixed episodes, `sweeps` times over all of them. Never lowers the return on those episodes.
ContinuousEmbedding polish_rounded(const Env& env, const ContinuousEmbedding& embedding, const ReturnPolish& options,
                                   std::size_t sweeps = 2, const EnoughTime& enough = {},
                                   const Progress& progress = {});

}  // namespace mercer
