#pragma once

#include "mercer/compress.hpp"

namespace mercer {

/// What a log serves for. `certifying` is missing where it has too few episodes.
struct LogParts {
  LoggedStates fitting, selecting;
  std::optional<LoggedStates> certifying;
};

/// Every third episode each, so that each part meets the whole log; of too few episodes every second state each.
/// Throws `shape_mismatch` for offsets that do not fit the states.
LogParts split_log(const LoggedStates& log);

/// A number for each episode: the mean over its states of the largest error over action dimensions, as a share of the
/// range of that dimension, in [0, 1].
std::vector<double> episode_errors(const Policy& teacher, const Policy& student, const LoggedStates& log);

}  // namespace mercer
