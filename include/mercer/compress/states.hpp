#pragma once

#include "mercer/compress/compress.hpp"

namespace mercer {

/// What is promised where no task can be played.
struct StatesOptions {
  double max_error = 0.01;               ///< allowed mean error of the action, as a fraction of its range; above 0
  std::optional<std::size_t> max_bytes;  ///< largest payload
  double confidence = 0.95;              ///< in (0, 1)
  std::size_t most_terms = 32;           ///< 1 to 256
  std::size_t attempts = 5;              ///< candidates that may fail before giving up
  std::vector<DictionaryOptions> dictionaries;
  std::vector<NumberFormat> formats{NumberFormat::int8, NumberFormat::int6};
  std::uint64_t seed = 0;
};

/// The smallest continuous embedding whose mean action stays close to the teacher's on logged states (columns), where
/// nobody can play: fitted on a third of them, compared on another, certified on the last.
///
/// The error in a state is the largest over action dimensions of |difference| / width of the range. The certificate is
/// about its mean under the distribution that the states were drawn from, and says that no return is certified; its
/// losses and budgets are percent of the range. A candidate's `loss` is that mean, its `loss_percent` the same in
/// percent. Throws `shape_mismatch` for fewer than 30 states or states of another size, `bad_value` for a teacher whose
/// actions have no bounds or are discrete.
Compressed compress_states(const Policy& teacher, MatrixView<const double> states, const StatesOptions& options,
                           const CandidateSink& sink = {}, const Progress& progress = {});

}  // namespace mercer
