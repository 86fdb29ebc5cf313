#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/embed/file.hpp"

namespace mercer {

/// What the exported C computes with.
enum class CNumbers {
  floating,  ///< float
  fixed,     ///< whole numbers alone: int32 in stated fixed-point formats, products in int64
};

/// Where the exported C takes tanh, exp and square roots from.
enum class CMath {
  libm,  ///< tanhf, expf and sqrtf of the C library, and only those of them that the embedding needs
  none,  ///< polynomials of its own; nothing is linked
};

/// How a lattice embedding is laid down.
enum class CMode {
  table,         ///< the action of every cell: fast, flash grows with cells
  coefficients,  ///< the kept numbers, from which a row is computed for every action
};

struct COptions {
  std::string name = "controller";  ///< of the files and in front of every public name: a C identifier of 1 to 40
  CNumbers numbers = CNumbers::floating;
  CMath math = CMath::libm;   ///< of no meaning for whole numbers, which never call a library
  CMode mode = CMode::table;  ///< of lattices
  /// For observations that are no numbers; empty: the middle of the range, action 0.
  std::vector<double> safe_action{};
};

/// Most operations of one call, as written in the source.
struct COperations {
  std::size_t multiplications = 0, additions = 0, divisions = 0, comparisons = 0, lookups = 0;
  std::size_t functions = 0;  ///< calls of the C library
  COperations& operator+=(const COperations& more);
  std::size_t total() const { return multiplications + additions + divisions + comparisons + lookups + functions; }
};

/// Exported C: what stands in the files, and what it costs.
struct CExport {
  std::string header, source, example;  ///< NAME.h, NAME.c, main.c
  std::size_t flash_bytes = 0;          ///< const tables of acting: exact
  std::size_t code_bytes = 0;           ///< an estimate for Thumb-2 with -Os
  std::size_t ram_bytes = 0;            ///< on the stack, an estimate; there are no variables
  COperations operations;
  double error = 0;  ///< largest difference from the model that was measured, in the share of the action's range (of
                     ///< logits: absolute)
  double stated_error = 0;  ///< what the header promises, with a margin on the measured one
};

/// C99 that is valid C++11, too: no heap, no variables outside functions, nothing undefined for any input.
///
/// Throws `not_finite` for a coefficient that is no number, `missing_option` for a contract without observations or
/// actions, `bad_value` for a density head, an illegal name, a safe action of another size or a lattice without
/// coefficients, `out_of_range` for a safe action outside the action's range or numbers that no fixed-point format
/// holds, `too_large` for a lattice of 2^64 cells or, from coefficients, of more than 32767 rows.
CExport export_c(const EmbeddingFile& file, const COptions& options = {});

}  // namespace mercer
