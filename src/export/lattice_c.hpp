#pragma once

#include "export/head.hpp"

namespace mercer {

/// A lattice embedding as a table: edges, the numbers of the visited cells, the action of each. Float alone.
CBody lattice_table_body(const LatticeEmbedding& embedding, const Outside& outside, const COptions& options);

}  // namespace mercer
