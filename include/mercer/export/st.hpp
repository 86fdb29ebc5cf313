#pragma once

#include "mercer/export/c.hpp"

namespace mercer {

struct StOptions {
  std::string name = "controller";    ///< of the file and the block: an IEC identifier of 1 to 40, no reserved word
  std::vector<double> safe_action{};  ///< for observations that are no numbers; empty: as for `COptions`
};

/// Exported Structured Text: what stands in the file, and what it costs.
struct StExport {
  std::string source;              ///< NAME.st
  std::size_t table_bytes = 0;     ///< constants of acting: exact
  std::size_t variable_bytes = 0;  ///< variables, inputs and outputs: exact, without what a compiler adds
  COperations operations;          ///< `functions`: EXP, SIN, COS and SQRT
  double error = 0;                ///< as `CExport::error`
  double stated_error = 0;
};

/// One FUNCTION_BLOCK of IEC 61131-3, second edition: an input for each observation and an output for each action.
///
/// Its input SELFTEST makes it check stored cases and tell in its output OK; otherwise OK says whether the observations
/// were usable. Numbers are REAL: every controller has it, LREAL is optional and many emulate it, and an embedding's
/// own rounding is coarser than REAL's. It needs nothing but EXP, SIN, COS, SQRT, ABS and conversions, each only where
/// the embedding does. A lattice embedding becomes a table of actions.
///
/// Throws what `export_c` throws, and `too_large` for a lattice of 2^31 cells or more.
StExport export_st(const EmbeddingFile& file, const StOptions& options = {});

}  // namespace mercer
