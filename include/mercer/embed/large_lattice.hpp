#pragma once

#include <filesystem>

#include "mercer/core/progress.hpp"
#include "mercer/core/team.hpp"
#include "mercer/embed/file.hpp"
#include "mercer/embed/lattice_distance.hpp"
#include "mercer/embed/lattice_embedding.hpp"
#include "mercer/env/env.hpp"

namespace mercer {

/// How a lattice embedding is made whose table no process holds in memory.
struct LargeOptions {
  LatticeOptions lattice = best_lattice();  ///< edges by quantile, data_quantile or uniform; table by centre or mass;
                                            ///< neither `full` nor `conditional_actions`
  TruncationOptions truncation{};  ///< basis svd, centred or weighted if wanted; rows always stand by cell number
  std::size_t episodes = 1000;     ///< 1 to 10^9
  std::uint64_t seed = 0;
  std::size_t sketch = 4096;        ///< k of `QuantileSketch`, 8 to 2^24: edges are exact up to about as many steps
  std::filesystem::path scratch{};  ///< a folder with room for the table and the left factor, in single precision
};

/// What was made. The embedding itself is in the file.
struct LargeEmbedding {
  std::string basis;
  std::size_t k = 0;
  ParameterCount parameters;
  std::size_t payload_bytes = 0;
  std::size_t cells = 0, columns = 0;  ///< of the table
  double all_cells = 0;                ///< of the lattice, visited or not
  std::size_t collapsed_bins = 0;      ///< bins that ties in the data left out
  EdgeAccuracy edges;
  LatticeDistance distance;     ///< between the table and what the file makes of it
  std::size_t empty_rows = 0;   ///< rows that have nothing positive in the file and are uniform
  std::size_t table_bytes = 0;  ///< of the whole table; each process has its share in its scratch folder
};

/// Throws `bad_value` or `out_of_range` for options that this way cannot do, `cannot_write` for a scratch folder that
/// is none: to be asked before long work.
void check_large(const Policy& teacher, const LargeOptions& options);

/// `make_lattice` and `LatticeEmbedding::make` with basis svd, for a lattice of any size, straight to a file.
///
/// Episodes are played twice, in pieces of which nothing stays: once for the edges, by sketches of each dimension, and
/// once for the visited cells. The teacher's rows go to a file in the scratch folder, `row_svd` reads them from there,
/// and the left factor goes to another. In memory are the cells (16 to 24 bytes each, up to three times that while they
/// are merged), some blocks of rows and columns^2 numbers for each chain of blocks.
///
/// Every process of the team calls it with the same options and its own scratch folder, and holds the rows of its
/// chains only; process 0 writes `out`. Sketches, cells and chains follow fixed pieces of the work: the same bytes
/// whatever the number of processes and threads. Where edges are exact the file holds what the way through memory
/// does, up to rounding to single precision. What goes wrong in one process is thrown in all of them.
///
/// O(steps) twice, O(cells columns^2). Throws what `check_large`, the teacher and the task throw.
LargeEmbedding embed_large(const Env& env, const Policy& teacher, const LargeOptions& options,
                           const std::filesystem::path& out, const EmbeddingOrigin& origin, const Team& team = {},
                           const Progress& progress = {});

}  // namespace mercer
