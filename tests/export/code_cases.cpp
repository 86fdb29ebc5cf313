#include "export/code_cases.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/common/head.hpp"
#include "export/continuous_cases.hpp"
#include "export/exported.hpp"
#include "export/lattice_cases.hpp"

namespace mercer::test {
namespace {

constexpr std::size_t states_each = 200;

// States that the export itself never looked at, in single precision, then odd ones.
void add_states(std::span<const Range> ranges, const std::vector<std::uint8_t>& periodic, CodeCase& one) {
  for (std::size_t i = 0; i < states_each; ++i) {
    std::vector<double> state = even_state(ranges, i + 7654321, 0.05);
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (periodic[d] != 0) state[d] = std::clamp(state[d], ranges[d].low, ranges[d].high);
      state[d] = static_cast<float>(state[d]);
    }
    one.states.push_back(state);
  }
  one.usable = one.states.size();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double odd : {std::nan(""), infinite, -infinite, 2e18, -2e18}) {
    one.states.push_back(one.states[0]);
    one.states.back()[one.states.size() % ranges.size()] = odd;
  }
}

CodeCase lattice_code_case(const LatticeKind& kind) {
  CodeCase one{kind.name, std::make_shared<EmbeddingFile>(lattice_case(kind)), {}};
  std::vector<Range> ranges;
  for (const Edges& axis : one.file->embedding.lattice().policy().cells().grid().axes)
    ranges.push_back({axis.values.front(), axis.values.back()});
  add_states(ranges, std::vector<std::uint8_t>(ranges.size()), one);
  return one;
}

}  // namespace

CodeCase continuous_code_case(const std::string& kind) {
  CodeCase one{kind, std::make_shared<EmbeddingFile>(continuous_case(kind)), {}};
  const ContinuousCode& code = one.file->embedding.continuous().code();
  add_states(ranges_of(flatten(code)), periodic_axes(code.coordinates), one);
  return one;
}

std::vector<CodeCase> code_cases() {
  std::vector<CodeCase> cases;
  for (const std::string& kind : few_continuous_kinds()) cases.push_back(continuous_code_case(kind));
  for (const LatticeKind& kind : lattice_kinds()) cases.push_back(lattice_code_case(kind));
  return cases;
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string complaint(const std::string& command, const std::filesystem::path& folder) {
  const std::string said = (folder / "said").string();
  if (std::system(fmt::format("cd {} && ({}) > {} 2>&1", folder.string(), command, said).c_str()) == 0) return "";
  std::stringstream text;
  text << command << "\n" << std::ifstream(said).rdbuf();
  return text.str();
}

bool has_program(const std::string& name) {
  return std::system(fmt::format("command -v {} > /dev/null 2>&1", name).c_str()) == 0;
}

CodeRun run_code(const std::string& command, const std::filesystem::path& folder, const std::vector<CodeCase>& cases) {
  std::ofstream in(folder / "in");
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (const std::vector<double>& state : cases[c].states) {
      in << c;
      for (const double number : state) in << fmt::format(" {}", number);
      in << "\n";
    }
  }
  in.close();
  const std::string problem = complaint(command + " < in > out", folder);
  EXPECT_EQ(problem, "");
  std::ifstream out(folder / "out");
  std::string line;
  const auto next = [&] {
    std::getline(out, line);
    std::istringstream text(line);
    std::vector<double> numbers;
    for (double number = 0; text >> number;) numbers.push_back(number);
    return numbers;
  };
  CodeRun run;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const std::vector<double> result = next();
    run.selftests.push_back(result.empty() ? -1 : result[0]);
  }
  for (const CodeCase& one : cases) {
    run.actions.emplace_back();
    for (std::size_t i = 0; i < one.states.size(); ++i) run.actions.back().push_back(next());
  }
  return run;
}

double worst_difference(const CodeCase& one, const std::vector<std::vector<double>>& actions) {
  const Policy& policy = one.file->embedding.policy();
  const ControllerInterface outside = controller_interface(policy.contract(), {});
  const std::size_t m = outside.actions();
  double worst = 0;
  std::vector<double> expected(m);
  for (std::size_t i = 0; i < one.states.size(); ++i) {
    if (actions[i].size() != m) return std::numeric_limits<double>::infinity();
    const std::vector<double>& state = one.states[i];
    if (i >= one.usable) {
      EXPECT_EQ(actions[i], outside.safe) << one.name << ", state " << i;
      continue;
    }
    if (one.discrete() && !one.file->embedding.is_lattice()) {
      const std::vector<double> logits = model_answers(controller_of(*one.file), state);
      const auto chosen = static_cast<std::size_t>(actions[i][0]);
      worst = std::max(worst, std::ranges::max(logits) - logits.at(chosen));
      continue;
    }
    policy.mean_action({state.data(), state.size(), 1}, {expected.data(), m, 1});
    for (std::size_t a = 0; a < m; ++a)
      worst = std::max(worst, std::abs(actions[i][a] - expected[a]) / outside.width(a));
  }
  return worst;
}

}  // namespace mercer::test
