#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/export.hpp"

namespace mercer::test {

/// An embedding with states to act on: those that fill its ranges, and at the end some that no sensor gives.
struct CodeCase {
  std::string name;
  std::shared_ptr<EmbeddingFile> file;
  std::vector<std::vector<double>> states;
  std::size_t usable = 0;  ///< states before the odd ones

  bool discrete() const { return file->embedding.policy().action_space().is_discrete(); }
};

/// Every family of functions and every kind of lattice.
std::vector<CodeCase> code_cases();
CodeCase continuous_code_case(const std::string& kind);

/// What a program prints for all cases: first a line for each case with the result of its self-test, then one for each
/// state with its action.
struct CodeRun {
  std::vector<double> selftests;
  std::vector<std::vector<std::vector<double>>> actions;  ///< by case and state
};
/// Runs a program that reads lines "CASE number number ..."; fails the test and returns nothing where that goes wrong.
CodeRun run_code(const std::string& command, const std::filesystem::path& folder, const std::vector<CodeCase>& cases);

/// The largest difference of actions from the embedding's, in shares of the range; of a discrete action by how much its
/// logit is below the largest one, or in a lattice 1 for another action. The safe action must stand behind odd states.
double worst_difference(const CodeCase& one, const std::vector<std::vector<double>>& actions);

/// Runs a command; what it said, or nothing if it went well.
std::string complaint(const std::string& command, const std::filesystem::path& folder);
bool has_program(const std::string& name);
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace mercer::test
