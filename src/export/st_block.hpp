#pragma once

#include "export/head.hpp"
#include "export/lattice_controller.hpp"
#include "export/st_text.hpp"
#include "mercer/export/st.hpp"

namespace mercer {

/// What an embedding of one route puts into the block: from the array x of observations, all of them usable, to the
/// array act (box) or the number best (discrete actions).
struct StBody {
  std::string what, computation;  ///< for the comment at the top
  StDeclarations constants, variables;
  std::string statements;
  COperations operations;
  double error = 0, stated_error = 0;
  bool wraps = false;                   ///< some observation is an angle that goes round
  std::vector<double> given, expected;  ///< the self-test's cases, one after the other
  std::vector<double> numbers;          ///< what the array out holds then, if the action alone would tell too little
};

StBody st_continuous_body(const ContinuousController& controller);
/// Throws `too_large` for 2^31 cells or more.
StBody st_lattice_body(const LatticeController& controller);

/// The whole file around a body: comment, declarations, the choice between acting and the self-test.
StExport assemble_st(const EmbeddingFile& file, const StOptions& options, const Outside& outside, StBody body);

}  // namespace mercer
