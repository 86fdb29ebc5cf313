#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/code_cases.hpp"
#include "export/common/head.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/exported.hpp"
#include "export/lattice_cases.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

constexpr double onnx_allowed = 1e-6;  // of the range
constexpr const char* npm_package = "onnxruntime-web@1.17.3";

struct OnnxCase {
  test::CodeCase one;
  std::string bytes;
  double stated = 0;
};

std::vector<OnnxCase> onnx_cases(const std::vector<std::string>& kinds) {
  std::vector<OnnxCase> cases;
  for (const std::string& kind : kinds) {
    OnnxCase made{test::continuous_code_case(kind), {}};
    made.one.states.resize(made.one.usable);  // a graph has no safe action
    const CodeExport exported = export_onnx(*made.one.file, {.name = "pilot"});
    made.bytes = exported.files.at(0).text;
    made.stated = exported.stated_error;
    cases.push_back(std::move(made));
  }
  return cases;
}

struct Difference {
  double own = 0;       // as the export states it: in shares of the action's range, of logits absolute
  double of_range = 0;  // of logits, the range of all of them
};

Difference difference(const OnnxCase& made, const std::vector<std::vector<double>>& answers) {
  const ContinuousController controller = test::controller_of(*made.one.file);
  double worst = 0;
  Range logits{0, 0};
  for (std::size_t i = 0; i < made.one.states.size(); ++i) {
    const std::vector<double> model = model_answers(controller, made.one.states[i]);
    if (answers.at(i).size() != model.size()) return {HUGE_VAL, HUGE_VAL};
    for (std::size_t a = 0; a < model.size(); ++a) {
      const double unit = controller.discrete() ? 1 : controller.outside.width(a);
      worst = std::max(worst, std::abs(answers[i][a] - model[a]) / unit);
      logits = {std::min(logits.low, model[a]), std::max(logits.high, model[a])};
    }
  }
  return {worst, controller.discrete() ? worst / logits.width() : worst};
}

void expect_close(const OnnxCase& made, const std::vector<std::vector<double>>& answers) {
  const Difference found = difference(made, answers);
  EXPECT_LE(found.own, made.stated) << made.one.name;
  EXPECT_LE(found.of_range, onnx_allowed) << made.one.name;
  printf("  %-20s worst %.2g of the range, stated %.2g\n", made.one.name.c_str(), found.of_range, made.stated);
}

// In the library's own reader, one state at a time.
std::vector<std::vector<double>> read_back(const OnnxCase& made) {
  const Network network = parse_onnx(std::as_bytes(std::span(made.bytes)), made.one.name);
  const std::size_t place = network.find_output(made.one.discrete() ? "logits" : "action");
  std::vector<std::vector<double>> answers;
  for (const std::vector<double>& state : made.one.states) {
    std::vector<std::vector<double>> numbers;
    std::vector<MatrixView<double>> out;
    for (const Network::Port& port : network.outputs()) numbers.emplace_back(port.size);
    for (std::vector<double>& one : numbers) out.push_back({one.data(), one.size(), 1});
    const MatrixView<const double> in{state.data(), state.size(), 1};
    network.evaluate({&in, 1}, out);
    if (made.one.discrete()) {
      const auto best = std::ranges::max_element(numbers[place]) - numbers[place].begin();
      EXPECT_EQ(numbers[network.find_output("action")].at(0), static_cast<double>(best));
    }
    answers.push_back(numbers[place]);
  }
  return answers;
}

TEST(OnnxExport, OurReaderGivesTheSameActions) {
  for (const OnnxCase& made : onnx_cases(test::continuous_kinds())) {
    expect_close(made, read_back(made));
  }
}

// All files of some cases, and their names one after the other.
std::string write_all(const std::vector<OnnxCase>& cases, const test::Folder& folder) {
  std::string names;
  for (const OnnxCase& made : cases) {
    test::write_file(folder.path() / (made.one.name + ".onnx"), made.bytes);
    names += " " + made.one.name + ".onnx";
  }
  return names;
}

TEST(OnnxExport, TheCheckerOfOnnxAcceptsIt) {
  const test::Folder folder;
  if (!test::complaint(MERCER_PYTHON " -c 'import onnx'", folder.path()).empty())
    GTEST_SKIP() << "python3-onnx is not installed";
  const std::string names = write_all(onnx_cases(test::continuous_kinds()), folder);
  EXPECT_EQ(
      test::complaint(fmt::format("{} -B {}/../export_code/check_onnx.py{}", MERCER_PYTHON, MERCER_TEST_DATA, names),
                      folder.path()),
      "");
}

TEST(OnnxExport, OnnxruntimeWebGivesTheSameActions) {
  if (!test::has_program("node") || !test::has_program("npm")) GTEST_SKIP() << "node or npm is not installed";
  const std::filesystem::path packages = MERCER_NPM_FOLDER;
  if (!std::filesystem::exists(packages / "node_modules/onnxruntime-web")) {
    test::write_file(packages / "package.json", "{ \"private\": true }\n");
    const std::string problem = test::complaint(
        fmt::format("timeout 120 npm install --prefix . --no-audit --no-fund --silent --fetch-retries 0 {}",
                    npm_package),
        packages);
    if (!problem.empty()) GTEST_SKIP() << "npm cannot fetch " << npm_package;
  }
  const test::Folder folder;
  const std::vector<OnnxCase> cases = onnx_cases(test::continuous_kinds());
  const std::string names = write_all(cases, folder);
  std::string lines;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (const std::vector<double>& state : cases[c].one.states) {
      lines += std::to_string(c);
      for (const double number : state) lines += fmt::format(" {}", number);
      lines += "\n";
    }
  }
  test::write_file(folder.path() / "in", lines);
  ASSERT_EQ(test::complaint(fmt::format("node {}/../export_code/run_onnx.mjs {}{} < in > out", MERCER_TEST_DATA,
                                        packages.string(), names),
                            folder.path()),
            "");
  std::ifstream out(folder.path() / "out");
  for (const OnnxCase& made : cases) {
    std::vector<std::vector<double>> answers;
    std::string line;
    while (answers.size() < made.one.states.size() && std::getline(out, line)) {
      std::istringstream text(line);
      answers.emplace_back();
      for (double number = 0; text >> number;) answers.back().push_back(number);
    }
    ASSERT_EQ(answers.size(), made.one.states.size());
    expect_close(made, answers);
  }
}

TEST(OnnxExport, RefusesWithAWayOut) {
  for (const test::LatticeKind& kind : {test::lattice_kinds().front()}) {
    try {
      export_onnx(test::lattice_case(kind));
      ADD_FAILURE() << "a lattice was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_value);
      EXPECT_NE(std::string(error.what()).find("mercer export c"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(export_onnx(test::continuous_case("legendre_mean"), {.safe_action = {0}}), Error);
}

// Test vectors stand behind the self-test's own cases.
TEST(OnnxExport, HoldsTestVectors) {
  const EmbeddingFile file = test::continuous_case("legendre_mean");
  CodeOptions options{.name = "pilot"};
  const std::string without = export_onnx(file, options).files[0].text;
  options.check = std::make_shared<const TestVectors>(make_test_vectors(file, 20, 3));
  const std::string with = export_onnx(file, options).files[0].text;
  const auto cases = [](const std::string& bytes) {
    const std::size_t at = bytes.find("{\"observations\":");
    const auto found = nlohmann::json::parse(bytes.substr(at, bytes.rfind('}') + 1 - at));
    EXPECT_EQ(found["observations"].size(), found["actions"].size());
    return found["observations"].size();
  };
  EXPECT_EQ(cases(with), cases(without) + 20);
  options.check = std::make_shared<const TestVectors>(make_test_vectors(test::continuous_case("ridges_mean"), 20, 3));
  EXPECT_THROW(export_onnx(file, options), Error);
}

}  // namespace
}  // namespace mercer
