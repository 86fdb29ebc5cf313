#pragma once

#include <cstddef>
#include <span>

#include "mercer/policy/options.hpp"

namespace mercer {

/// Where the rows of an embedding's table come from when it acts.
enum class RowsFrom {
  decoded,       ///< the table is rebuilt once: fastest, rows x columns numbers
  coefficients,  ///< a row is computed from the kept coefficients when it is asked for: memory of K
};

/// How a cell is drawn from a row of probabilities. `inverse` and `alias` draw exactly from it.
enum class DrawRule {
  inverse,     ///< the first entry whose sum reaches a uniform number: O(log columns)
  alias,       ///< Vose's alias table, made once for the decoded table: O(1)
  importance,  ///< proposals resampled by weight, as published: approximate, exact only as proposals grow
};

/// What importance sampling proposes from.
enum class Proposal {
  marginal,  ///< mean of the rows, weighted by visits where they are known
  uniform,
};

/// How an embedding is played. Nothing of this is stored with it: every choice plays the same policy, `importance` up
/// to its error.
struct Acting {
  RowsFrom from = RowsFrom::decoded;
  DrawRule draw = DrawRule::inverse;
  std::size_t proposals = 64;  ///< for `importance`, 1 to 2^20
  Proposal proposal = Proposal::marginal;
};

/// From settings such as those behind "p.mercer:from=coefficients,draw=inverse": keys `from`, `draw`, `proposals` and
/// `proposal`. Throws `unknown_name`, `bad_value`, `out_of_range`.
Acting parse_acting(std::span<const PolicySetting> settings);

}  // namespace mercer
