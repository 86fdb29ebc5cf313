#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "export/common/head.hpp"
#include "export/common/lattice_controller.hpp"
#include "mercer/env.hpp"
#include "mercer/export.hpp"

namespace mercer {

/// A single-precision number with digits on both sides of its point, as IEC 61131-3 wants it: "0.5", "1.2E-05".
std::string st_real(double value);

/// Without what would end a comment or begin another.
std::string st_comment(const std::string& text);

/// Whether a word means something to the language or to the block already, in any case of letters.
bool st_reserved(const std::string& word);

/// Whether a word is an identifier: letters, digits and single underlines between them, a letter first.
bool st_identifier(const std::string& word);

/// One identifier for each axis: the prefix and what is legal in the axis' name; all different.
std::vector<std::string> st_names(const std::string& prefix, std::span<const Axis> axes);

/// Every line moved to the right.
std::string indented(const std::string& text, std::size_t spaces);

/// What stands between VAR CONSTANT or VAR and END_VAR, with its size.
class StDeclarations {
 public:
  void reals(const std::string& name, std::span<const double> numbers);
  /// The smallest type that holds all of them, which is returned.
  std::string whole(const std::string& name, std::span<const std::int64_t> numbers);
  void variables(const std::string& names, const std::string& type, std::size_t count = 1);
  void array(const std::string& name, std::size_t size, const std::string& type);

  /// One declaration; of an array when `size` is not 0, with initial values where `values` has any.
  struct Entry {
    std::string names, type;
    std::size_t size = 0;
    std::vector<std::string> values{};
  };
  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& text() const { return text_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void table(const std::string& name, const std::string& type, std::span<const std::string> numbers);
  std::vector<Entry> entries_;
  std::string text_;
  std::size_t bytes_ = 0;
};

/// What an embedding of one route puts into the block: from the array x of observations, all of them usable, to the
/// array act (box) or the number best (discrete actions).
struct StBody {
  std::string what, computation;        ///< for the comment at the top
  std::vector<std::string> formulas{};  ///< the same
  StDeclarations constants, variables;
  std::string statements;
  COperations operations;
  double error = 0, stated_error = 0;
  bool wraps = false;                   ///< some observation is an angle that goes round
  std::vector<double> given, expected;  ///< the self-test's cases, one after the other
  std::vector<double> numbers;  ///< what the array out holds then, if the action alone would not show most errors
};

StBody st_continuous_body(const ContinuousController& controller);
/// Throws `too_large` for 2^31 cells or more.
StBody st_lattice_body(const LatticeController& controller);

/// The whole file around a body: comment, declarations, the choice between acting and the self-test.
StExport assemble_st(const EmbeddingFile& file, const StOptions& options, const ControllerInterface& outside,
                     StBody body);

/// What the XML and the example program need to know about a block.
struct StBlock {
  std::string name, comment;
  std::vector<std::string> inputs, outputs;
  std::string output_type;  ///< of the actions
  const StDeclarations& constants;
  const StDeclarations& variables;
  std::string statements;
  double dt = 0;  ///< seconds between calls; 0: not known
};
/// A program that calls the block in every cycle, after its self-test in the first.
std::string st_example(const StBlock& block);
/// Block and program as PLCopen TC6 XML 2.01, which programming systems import.
std::string plcopen_xml(const StBlock& block);

/// Statements that bring the observations in the array x to -1 .. 1; constants and costs go into the body.
std::string st_coordinates(const FlatTerms& flat, StBody& body);

/// Statements that fill the array row with the functions of each coordinate. Needs `flat.any_functions()`.
std::string st_functions(const FlatTerms& flat, StBody& body);

}  // namespace mercer
