#pragma once

#include "export/common/flat_terms.hpp"
#include "mercer/export.hpp"

namespace mercer {

/// The contract of an embedding of either route, as its C has to keep it.
struct ControllerInterface {
  Contract contract;
  std::vector<double> safe;  ///< one for each action
  std::size_t observations() const { return contract.observation.dimensions(); }
  std::size_t actions() const { return contract.action.dimensions(); }
  /// The unit of an action's errors: the width of its range or, without one, its scale.
  double width(std::size_t action) const;
};

/// With the safe action of the options, or one of its own. Throws `missing_option`, `bad_value` or `out_of_range`.
ControllerInterface controller_interface(const Contract& contract, const COptions& options);
/// What a comment says about an observation or an action behind its place: ", rad, -3.14 to 3.14, an angle: ...".
std::string axis_facts(const Contract& contract, const Space& space, std::size_t axis);
/// What is inside, so that nobody does it twice: "Pass raw observations ...".
std::string handling_note(const Contract& contract);
/// The teacher without the folder it lay in, and the task.
std::string origin_text(const EmbeddingOrigin& origin);

/// A continuous embedding for a writer of C.
struct ContinuousController {
  FlatTerms flat;
  Head head = Head::mean;
  bool squash = true;
  ControllerInterface outside;
  const ContinuousEmbedding* model = nullptr;

  bool discrete() const { return head == Head::logits; }
  bool samples() const { return head == Head::gaussian || (head == Head::logits && !squash); }
};

/// The tables, functions and figures that a number format makes of an embedding; what is the same for all formats is
/// written around it.
struct CBody {
  std::string header_lines{};  ///< macros that the header shows
  std::string source{};        ///< all of NAME.c but its first lines; @name@ and @NAME@ stand for the name
  std::string sample_argument{};
  std::size_t table_bytes = 0, code_bytes = 0, ram_bytes = 0;
  COperations operations{};
  double error = 0, stated_error = 0;
  bool needs_libm = false;
  std::vector<std::string> first_case{};  ///< observation of the self-test's first case, as numbers in C
};

CBody float_body(const ContinuousController& controller, const COptions& options);
CBody fixed_body(const ContinuousController& controller, const COptions& options);

/// State number i of a sequence that fills the box of ranges evenly; `beyond` widens it on both sides by this share.
std::vector<double> even_state(std::span<const Range> ranges, std::size_t i, double beyond);
/// Throws `out_of_range` for observations that reach beyond 1e18: single precision would overflow between such ends,
/// and no sensor says so.
void require_usable_ranges(const Contract& contract, std::span<const Range> ranges);
/// Ranges that coordinates come from.
std::vector<Range> ranges_of(const FlatTerms& flat);
/// A few states for the self-test, some a little outside the ranges, none close to a tie between actions.
std::vector<std::vector<double>> test_states(const ContinuousController& controller);
/// What the model says about states, one after the other: logits where actions are discrete, otherwise actions.
std::vector<double> model_answers(const ContinuousController& controller, std::span<const double> states);
/// The self-test as C: acts on the given states and compares. Integers must agree exactly where there are no
/// limits.
///
/// Where actions are discrete the numbers that they are chosen by are compared, too, if `outputs` has them (and floats
/// a limit): the choice alone would not notice most changes of a coefficient.
std::string float_selftest(std::span<const double> given, std::span<const double> expected,
                           std::span<const double> limits, std::size_t observations,
                           std::span<const double> outputs = {}, double output_limit = 0);
std::string fixed_selftest(std::span<const std::string> given, std::span<const std::string> expected,
                           std::size_t observations, std::size_t actions, std::span<const std::string> limits = {},
                           std::span<const std::string> outputs = {});
/// "#define NAME_OBS_ONE_0 1048576.0": one for each observation and action.
std::string fixed_macros(const Contract& contract, std::span<const int> obs_q, std::span<const int> act_q);
/// Rounded up to two digits: at least `least`.
double with_margin(double wanted, double least);

/// What the comment at the top of NAME.h says, apart from the contract.
struct HeaderFacts {
  std::string what;                     ///< the embedding in one line
  std::string computation;              ///< how actions come about, in one or two sentences
  std::string beyond;                   ///< what happens to observations outside their range
  std::string weights = "logits";       ///< what a discrete action is chosen by
  std::vector<std::string> formulas{};  ///< of `formula_lines`; none for a lattice
};

/// NAME.h, NAME.c and main.c around a body.
CExport assemble(const EmbeddingFile& file, const COptions& options, const ControllerInterface& outside,
                 const HeaderFacts& facts, CBody body);

/// NAME_check.c: acts on the test vectors of the options and compares, with their tolerance or, where that is larger,
/// twice the stated error of the export.
std::string check_program(const COptions& options, const ControllerInterface& outside, double stated_error);

/// Lines of at most 100 characters, the first with one beginning, the others with another.
std::string comment_lines(const std::string& text, const std::string& first = " * ", const std::string& next = " * ");

/// The lines of `formulas` for a comment, or where they are found if there are too many.
std::vector<std::string> formula_lines(const ContinuousEmbedding& embedding);
/// These as lines of a comment: a formula that goes on in the next line does so further to the right.
std::string formula_comment(std::span<const std::string> lines);

/// Whether the certificate is about drawn actions, while code that is exported plays others: the mean, or the most
/// likely one. A policy that draws the same at 256 states over all ranges draws nothing.
bool certified_as_drawn(const EmbeddingFile& file);

/// "the mean action", or of discrete actions "the most likely action".
std::string mean_words(const EmbeddingFile& file);

/// What the certificate promises, in sentences, and whether that is about the code.
std::string certificate_sentences(const EmbeddingFile& file);

/// Comment lines: what was measured of teacher and embedding, and a sentence for whatever is far above the teacher's.
std::string outcome_comment(const EmbeddingFile& file);

}  // namespace mercer
