#pragma once

#include <functional>
#include <optional>

#include "export/common/head.hpp"
#include "export/common/lattice_controller.hpp"

namespace mercer {

/// Numbers of a controller under the name that exported code knows them by.
struct CodeTable {
  std::string name;
  bool real = true;         ///< false: integers
  std::size_t columns = 0;  ///< 0: a plain list
  std::vector<double> numbers{};
};

/// Stored observations with what the embedding gives for them: what exported code tests itself with.
struct CodeCases {
  std::vector<double> given{}, expected{};  ///< rows of observations and of actions
  std::vector<double> numbers{};            ///< what discrete actions are chosen by; none of a lattice
};

/// An embedding of either route, ready for the writers of Rust, JavaScript and ONNX. Refers to the file it is made of.
struct CodeSubject {
  std::optional<ContinuousController> continuous{};
  std::optional<LatticeController> lattice{};  ///< the other one is absent
  std::vector<CodeTable> tables{};             ///< all that acting needs
  CodeCases cases{};
  std::string what{}, computation{}, beyond{};
  std::vector<std::string> formulas{};

  const ControllerInterface& outside() const { return continuous ? continuous->outside : lattice->outside; }
  bool discrete() const { return outside().contract.action.is_discrete(); }
  const CodeTable* find(const std::string& table) const;
};

/// Throws what `export_c` throws for names, safe actions, vectors and embeddings without a form in code. `keywords` are
/// words that the language keeps for itself; a name is lower-case letters, digits and '_'.
CodeSubject code_subject(const EmbeddingFile& file, const CodeOptions& options,
                         std::span<const std::string_view> keywords = {});

/// Tables of a controller, each only where it is needed; `tables.cpp` lists them.
std::vector<CodeTable> continuous_tables(const ContinuousController& controller);
std::vector<CodeTable> lattice_tables(const LatticeController& controller);

/// "numbers, numbers, ..." in lines of at most 100 characters, rows in brackets of this kind.
std::string table_text(const CodeTable& table, const std::function<std::string(double)>& number, char open, char close);

/// Actions (or logits of discrete ones) of many states, one after the other, as the exported code computes them.
using CodeAnswers = std::function<std::vector<double>(std::span<const double> states)>;
/// Their largest difference from the embedding on states that fill the ranges evenly: in shares of the action's range,
/// of logits absolute.
double largest_difference(const ContinuousController& controller, const CodeAnswers& answers);

/// What the comment at the top says: contract, computation, difference, origin, certificate. Each line begins with
/// `prefix`.
std::string code_notes(const EmbeddingFile& file, const CodeOptions& options, const CodeSubject& subject,
                       const CodeExport& made, const std::string& prefix);

/// For each action, by how much code may differ from a stored action.
std::vector<double> case_limits(const ControllerInterface& outside, double stated_error, const TestVectors* vectors);

}  // namespace mercer
