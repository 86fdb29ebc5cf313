#pragma once

#include "embed/episode_pieces.hpp"
#include "mercer/embed/large_lattice.hpp"

namespace mercer {

/// The grids of a large lattice, and how far their edges may be from those of the data.
struct LargeGrids {
  Grid states, actions;
  EdgeAccuracy accuracy;
  std::size_t collapsed_bins = 0;
};

/// From all episodes, played piece by piece; the same in every process of the team.
LargeGrids make_large_grids(const Env& env, const Policy& teacher, const LargeOptions& options,
                            const EpisodePieces& pieces, const Team& team, const Progress& progress);

/// The cells that those episodes visit, played once more.
Cells count_large_cells(const Env& env, const Policy& teacher, const LargeOptions& options, const Grid& states,
                        const EpisodePieces& pieces, const Team& team, const Progress& progress);

}  // namespace mercer
