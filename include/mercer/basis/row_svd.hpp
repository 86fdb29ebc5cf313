#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/core/team.hpp"

namespace mercer {

/// The leading singular values and right singular vectors of a tall table; the left ones are rows of table * v / s.
struct RowSvd {
  std::size_t rows = 0, columns = 0, rank = 0;
  std::vector<double> s;   ///< rank, falling
  std::vector<double> vt;  ///< rank x columns, signs as those of `Svd`
};

/// Fills rows [begin, end) of the table, row after row. Called from several threads at once, for any rows.
using RowReader = std::function<void(std::size_t begin, std::size_t end, std::span<double> values)>;
/// Takes rows [begin, end) of the left factor (rank columns). From several threads at once, each row once.
using RowWriter = std::function<void(std::size_t begin, std::size_t end, std::span<const double> values)>;

/// How rows are cut: a chain of `blocks` blocks of `rows` rows makes one triangle, and those are joined in order.
struct RowBlocks {
  std::size_t rows = 1024;  ///< at least 1
  std::size_t blocks = 64;  ///< at least 1
};

/// The decomposition of a table that nobody holds, by tall-skinny QR: each block of rows is factored under the triangle
/// of the blocks before it in its chain, the triangles of the chains, which are all that processes exchange, are joined
/// in the same way, and the last triangle is decomposed. Errors of s and v are those of Householder QR, a small
/// multiple of 1e-16 times the largest singular value: no squares of the table are formed.
///
/// Every process of the team reads the chains that fall to it and gets the same result, which follows the chains, not
/// the processes: the same bytes for any number of them and of threads. Reads the table once. O(rows columns^2); memory
/// (rows of a block + columns) x columns for each thread, and columns^2 for each chain.
///
/// `rank` from 1 to min(rows, columns); columns up to 4096. Throws `out_of_range`, `not_finite`.
RowSvd row_svd(std::size_t rows, std::size_t columns, std::size_t rank, const RowReader& read, const Team& team,
               const RowBlocks& cut = {});

/// The left factor u = table v / s of the rows of this process's chains, block by block in one more pass over the
/// table. Columns whose s is below 1e-13 of the largest are zero: they have no direction. Columns of u are orthonormal
/// up to 1e-16 s_1 / s_k.
void row_factors(const RowSvd& of, const RowReader& read, const RowWriter& write, const Team& team,
                 const RowBlocks& cut = {});

}  // namespace mercer
