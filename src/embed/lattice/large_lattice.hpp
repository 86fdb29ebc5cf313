#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "io/mapped_table.hpp"
#include "mercer/basis.hpp"
#include "mercer/embed.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// Runs `work`, which gathers nothing, in every process of a team. An error in one of them is thrown in all, since the
/// others would wait for it forever.
void run_in_team(const Team& team, const std::function<void()>& work);

/// Bytes of all processes, by rank; alone those given.
inline std::vector<std::string> gather_bytes(const Team& team, std::string mine) {
  if (team.size > 1) return team.gather(mine);
  std::vector<std::string> all;
  all.push_back(std::move(mine));
  return all;
}

/// Numbers of all processes, one process after the other.
inline std::vector<double> gather_numbers(const Team& team, const std::vector<double>& mine) {
  if (team.size == 1) return mine;
  const char* const bytes = reinterpret_cast<const char*>(mine.data());
  std::vector<double> all;
  for (const std::string& theirs : team.gather(std::string(bytes, bytes + mine.size() * sizeof(double)))) {
    const std::size_t before = all.size();
    all.resize(before + theirs.size() / sizeof(double));
    if (!theirs.empty()) std::memcpy(all.data() + before, theirs.data(), theirs.size());
  }
  return all;
}

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

/// The table of a large lattice, of which this process holds the rows of its chains, in a scratch file.
struct LargeTable {
  std::shared_ptr<const Cells> cells;
  Grid actions;
  std::size_t columns = 0;
  RowBlocks cut;            ///< of rows: follows from the size of the table alone
  Share own{0, 0};          ///< rows of this process
  MappedTable values;       ///< of those rows
  SvdOptions svd;           ///< what of each row is factored
  double whole_energy = 0;  ///< sum of the squares of all entries, off the centre of the SVD
};

/// Asks the teacher.
LargeTable make_large_table(const Policy& teacher, const LargeGrids& grids, Cells cells, const LargeOptions& options,
                            const Team& team, const Progress& progress);

/// All singular values and right vectors: as many as the table has columns (or rows, if fewer).
RowSvd factor(const LargeTable& table, const Team& team);

/// The left factor times the singular values, for the first k of them, of this process's rows: what files keep.
MappedTable left_factor(const LargeTable& table, const RowSvd& factors, const std::filesystem::path& scratch,
                        const Team& team);

/// How far the rows are from what the kept factors make of them.
struct LargeLoss {
  LatticeDistance distance;
  std::size_t empty_rows = 0;
};
LargeLoss measure_loss(const LargeTable& table, const MappedTable& left, std::span<const float> right,
                       SimplexRule simplex, const Team& team, const Progress& progress);

/// Rows of all processes in process 0, block by block; the others get an empty table.
MappedTable collect_rows(MappedTable own, const LargeTable& table, const std::filesystem::path& scratch,
                         const Team& team);

}  // namespace mercer
