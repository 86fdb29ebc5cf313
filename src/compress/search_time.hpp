#pragma once

#include <cstddef>
#include <span>

namespace mercer {

/// How long a search that follows dictionaries in step still takes. Nothing here changes what a search finds: it is
/// what the bar shows.

/// One dictionary, whose embeddings grow by a term from round to round until they are larger than one that should pass.
struct Followed {
  bool alive = true;
  std::size_t k = 0;            ///< terms that were tried
  double took = 0;              ///< seconds for the last of them
  std::size_t least = 0;        ///< bytes of its smallest format
  std::size_t first_least = 0;  ///< the same with one term
};

inline constexpr std::size_t nothing_passed = static_cast<std::size_t>(-1);

/// Rounds until a candidate should pass, after k of them. By how much the nearest candidate falls short shrinks by
/// about the same factor from round to round; `first` and `now` are its logarithms, 0 where one passes. Seldom more
/// rounds are needed than two, or half of those that were done.
double rounds_to_pass(std::size_t k, double first, double now, std::size_t most_terms);

/// Seconds of the rounds that are left, of which the k-th is at work. `smallest`: bytes of the smallest that should
/// pass.
double seconds_of_rounds(std::size_t k, std::span<const Followed> followed, std::size_t smallest, double to_pass);

}  // namespace mercer
