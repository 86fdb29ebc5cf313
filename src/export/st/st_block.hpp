#pragma once

#include "export/common/head.hpp"
#include "export/common/lattice_controller.hpp"
#include "export/st/st_text.hpp"
#include "mercer/export.hpp"

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
StExport assemble_st(const EmbeddingFile& file, const StOptions& options, const ControllerInterface& outside,
                     StBody body);

/// Statements that bring the observations in the array x to -1 .. 1; constants and costs go into the body.
std::string st_coordinates(const FlatTerms& flat, StBody& body);

/// Statements that fill the array row with the functions of each coordinate. Needs `flat.any_functions()`.
std::string st_functions(const FlatTerms& flat, StBody& body);

}  // namespace mercer
