#pragma once

#include <functional>

#include "mercer/embed.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// Episodes in pieces that are played one after the other, so that only one of them is in memory. Some pieces make a
/// group, which is what processes share. Both follow from the task and the number of episodes alone.
struct EpisodePieces {
  std::size_t episodes, piece, group;  ///< in episodes each

  EpisodePieces(std::size_t count, std::size_t horizon);
  std::size_t groups() const { return (episodes + group - 1) / group; }
  Share own(const Team& team) const { return share_of(team.rank, team.size, episodes, group); }
};

/// Rollouts of a piece, row-major as they are, and the number of its group.
using TakePiece = std::function<void(std::size_t group, const Rollouts& played)>;

/// Plays the pieces of this process in their order.
void play_pieces(const Env& env, const Policy& teacher, std::uint64_t seed, const EpisodePieces& pieces,
                 const Team& team, const TakePiece& take, const Progress& progress, const char* stage);

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
