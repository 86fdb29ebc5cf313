#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/number_codes.hpp"
#include "export/common/head.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "mercer/export.hpp"

namespace mercer {
namespace {

using json = nlohmann::json;

constexpr std::size_t states = 1000;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The same functions in another format of numbers, or about other axes.
EmbeddingFile changed(const std::string& kind, NumberFormat format, auto change) {
  const EmbeddingFile file = test::continuous_case(kind);
  ContinuousCode code = file.embedding.continuous().code();
  Contract contract = file.embedding.policy().contract();
  code.format = format;
  code.scales.clear();
  change(code, contract);
  return {ContinuousEmbedding::make(code, contract, kind), file.origin, 0, {}};
}

// Coordinates of their own, narrower than what is seen: values outside count as the ends.
void narrow(ContinuousCode& code, Contract& contract) {
  code.ranges = StoredRanges::half;
  for (Coordinate& axis : code.coordinates) {
    if (!axis.periodic)
      axis.range = {from_half(to_half(0.71 * axis.range.low)), from_half(to_half(0.37 * axis.range.high))};
  }
  contract.observation.axes[2].range = {-infinity, infinity};
}

// The log-density of the action: the functions have an axis more.
EmbeddingFile density_case(const std::string& family) {
  const EmbeddingFile file = test::continuous_case(family + "_mean");
  const Contract contract = file.embedding.policy().contract();
  ContinuousCode code = file.embedding.continuous().code();
  code.head = Head::density;
  code.squash = false;
  code.format = NumberFormat::float32;
  code.scales.clear();
  code.coordinates = contract_coordinates(contract, code.head);
  Terms terms = no_terms(periodic_axes(code.coordinates));
  if (family == "ridges") {
    add_ridges(terms, 6, 3.0, 12, 5);
  } else {
    add_tensor(terms, family == "hermite" ? Family::hermite : Family::chebyshev, IndexRule::total, 3);
  }
  code.terms = terms;
  code.outputs = 1;
  code.coefficients.clear();
  for (std::size_t t = 0; t < terms.size(); ++t) code.coefficients.push_back(std::sin(1.0 + static_cast<double>(t)));
  return {ContinuousEmbedding::make(code, contract, family), file.origin, 0, {}};
}

// Four observations with names that people give, and actions that may go on for ever.
EmbeddingFile awkward_case(bool squash) {
  Contract contract;
  contract.observation = Space::box({{"lambda", {-1, 1}, "", false},
                                     {"x0", {0, 3}, "", false},
                                     {"wheel speed (left)", {-infinity, infinity}, "", false},
                                     {"wheel speed (right)", {-infinity, infinity}, "", false}});
  contract.action = Space::box({{"lift", {-0.1, infinity}, "", false},
                                {"free", {-infinity, infinity}, "", false},
                                {"low", {-infinity, 0.2}, "", false},
                                {"v", {-0.4000000059604645, 0.4000000059604645}, "", false}});
  ContinuousCode code;
  code.squash = squash;
  code.format = NumberFormat::float32;
  code.ranges = StoredRanges::half;
  code.coordinates = {{{-1, 1}}, {{0, 3}}, {{-2.5, 1.25}}, {{-0.0625, 0.125}}};
  code.terms = no_terms(periodic_axes(code.coordinates));
  add_tensor(code.terms, Family::chebyshev, IndexRule::cross, 5);
  add_ridges(code.terms, 4, 2.0, 3, 5);
  code.outputs = 4;
  for (std::size_t i = 0; i < code.outputs * code.terms.size(); ++i)
    code.coefficients.push_back(0.3 * std::sin(1.0 + static_cast<double>(i)));
  EmbeddingOrigin origin;
  return {ContinuousEmbedding::make(code, contract, "awkward"), origin, 0, {}};
}

EmbeddingFile formula_case(const std::string& kind) {
  const auto nothing = [](ContinuousCode&, Contract&) {};
  const std::string last = kind.substr(kind.rfind('_') + 1), first = kind.substr(0, kind.rfind('_'));
  if (kind == "awkward_tanh" || kind == "awkward_clip") return awkward_case(last == "tanh");
  if (last == "density") return density_case(first);
  if (last == "narrow") return changed(first, NumberFormat::float16, narrow);
  if (last == "large") {
    return changed(first, NumberFormat::float32, [](ContinuousCode& code, Contract&) {
      for (double& coefficient : code.coefficients) coefficient *= 40;
    });
  }
  if (const auto format = find_name<NumberFormat>(last)) return changed(first, *format, nothing);
  return test::continuous_case(kind);
}

std::vector<std::string> formula_kinds() {
  std::vector<std::string> kinds = test::continuous_kinds();
  for (const std::string& format : names<NumberFormat>()) {
    for (const char* of : {"chebyshev_mean_", "mixed_mean_", "legendre_gaussian_", "knots_mean_"})
      kinds.push_back(of + format);
  }
  for (const char* of : {"chebyshev_mean_", "hermite_clip_", "knots_mean_", "ridges_mean_", "waves_gaussian_",
                         "matern52_gaussian_", "angle_greedy_", "bumps_softmax_"}) {
    kinds.push_back(std::string(of) + "narrow");
    kinds.push_back(std::string(of) + "large");
  }
  for (const char* family : {"chebyshev", "hermite", "ridges"}) kinds.push_back(std::string(family) + "_density");
  kinds.insert(kinds.end(), {"awkward_tanh", "awkward_clip"});
  return kinds;
}

// What an independent reader makes of the formulas.
json read(const json& questions) {
  const test::Folder folder;
  const std::string path = folder.path().string();
  std::ofstream(path + "/in") << questions.dump();
  const std::string command = fmt::format("{0} -B {1}/../support/read_formula.py < {2}/in > {2}/out 2> {2}/errors",
                                          MERCER_PYTHON, MERCER_TEST_DATA, path);
  if (std::system(command.c_str()) != 0) {
    std::stringstream said;
    said << std::ifstream(path + "/errors").rdbuf();
    ADD_FAILURE() << said.str();
    return {};
  }
  return json::parse(std::ifstream(path + "/out"));
}

// The largest difference.
double worst(const json& found, std::span<const double> wanted) {
  double most = found.size() == wanted.size() ? 0 : infinity;
  for (std::size_t i = 0; i < wanted.size() && i < found.size(); ++i)
    most = std::max(most, std::abs(found[i].get<double>() - wanted[i]));
  return most;
}

// One embedding, asked about and checked.
struct Question {
  explicit Question(std::string name) : kind(std::move(name)), file(formula_case(kind)) {
    const bool thorough = std::ranges::count(test::few_continuous_kinds(), kind) > 0 || kind.starts_with("awkward") ||
                          kind.ends_with("density");
    std::vector<std::string> axes;
    for (const Axis& axis : contract.observation.axes) axes.push_back(axis.name);
    if (kind.starts_with("awkward")) axes = {"lambda_", "x0", "wheel_speed_left", "wheel_speed_right"};
    for (std::size_t d = 0; d < code.coordinates.size(); ++d) {
      const Range own = code.coordinates[d].range;
      ranges.push_back(d >= axes.size() ? own : contract.observation.axes[d].range);
      if (!std::isfinite(ranges[d].low)) ranges[d] = {2 * own.low, 3 * own.high};
    }
    columns.resize(ranges.size() * states);
    for (std::size_t i = 0; i < states; ++i) {
      const std::vector<double> state = even_state(ranges, i + 4321, 0);
      for (std::size_t d = 0; d < ranges.size(); ++d) columns[d * states + i] = state[d];
    }
    for (std::size_t d = 0; d < ranges.size(); ++d) {
      std::vector<double> values(row(columns, d).begin(), row(columns, d).end());
      if (d >= axes.size()) {  // an action, which the density sees scaled
        for (double& value : values) value = contract.centre[0] + contract.scale[0] * value;
      }
      asked["given"][d < axes.size() ? axes[d] : "torque"] = values;
    }
    asked["text"] = formulas(model);
    asked["python"] = formulas(model, Notation::python);
    asked["sympy"] = thorough;
    asked["sources"] = json::array();
    if (thorough && code.head != Head::density) {
      asked["sources"].push_back(export_c(file, {.name = "pilot"}).header);
      asked["sources"].push_back(export_st(file, {.name = "pilot"}).source);
    }
  }

  static std::span<const double> row(const std::vector<double>& all, std::size_t r) {
    return std::span(all).subspan(r * states, states);
  }

  // A name of the formulas, in all notations and by all readers.
  void expect(const json& answer, const std::string& name, std::span<const double> wanted, double allowed) const {
    for (const char* notation : {"text", "python"}) {
      ASSERT_TRUE(answer[notation].contains(name)) << notation << " " << name << asked[notation].dump(1);
      EXPECT_LE(worst(answer[notation][name], wanted), allowed) << notation << " " << name << asked[notation].dump(1);
    }
    for (const char* reader : {"math", "sympy"}) {
      if (!answer.contains(reader)) continue;
      EXPECT_NEAR(answer[reader][name].get<double>(), wanted[0], allowed) << reader << " " << name;
    }
  }

  void check(const json& answer) const {
    const std::size_t actions = contract.action.dimensions();
    std::vector<double> values(code.outputs * states), played(actions * states);
    model.function()({columns.data(), ranges.size(), states}, {values.data(), code.outputs, states});
    if (code.head == Head::density) return expect(answer, "log_density", row(values, 0), 2e-6);
    model.policy().mean_action({columns.data(), ranges.size(), states}, {played.data(), actions, states});
    if (code.head == Head::logits) return check_logits(answer, values, played);
    for (std::size_t a = 0; a < actions; ++a) {
      const double width = contract.clip[a].width();
      expect(answer, contract.action.axes[a].name, row(played, a), 1e-6 * (std::isfinite(width) ? width : 2));
    }
    for (std::size_t o = actions; o < code.outputs; ++o)
      expect(answer, "log_sigma_" + contract.action.axes[o - actions].name, row(values, o), 2e-6);
  }

  void check_logits(const json& answer, const std::vector<double>& values, const std::vector<double>& played) const {
    double most = 0;
    for (const double value : values) most = std::max(most, std::abs(value));
    for (std::size_t o = 0; o < code.outputs; ++o)
      expect(answer, fmt::format("logit_{}", o), row(values, o), 5e-6 * most);
    for (std::size_t i = 0; i < states; ++i) {  // the action itself, apart from ties
      std::vector<double> logits;
      for (std::size_t o = 0; o < code.outputs; ++o) logits.push_back(values[o * states + i]);
      std::ranges::sort(logits, std::greater<>());
      if (logits[0] - logits[1] < 1e-5 * most) continue;
      ASSERT_EQ(answer["text"]["push"][i].get<double>(), played[i]) << asked["text"].dump(1);
      ASSERT_EQ(answer["python"]["push"][i].get<double>(), played[i]) << asked["python"].dump(1);
    }
  }

  void check_sources(const json& answer) const {
    ASSERT_EQ(answer["sources"].size(), asked["sources"].size());
    for (const json& source : answer["sources"]) {
      if (model.k() <= 64) {
        EXPECT_EQ(source, asked["text"]);
      } else {
        EXPECT_NE(source[0].get<std::string>().find("mercer inspect"), std::string::npos);
      }
    }
  }

  std::string kind;
  EmbeddingFile file;
  const ContinuousEmbedding& model = file.embedding.continuous();
  const ContinuousCode& code = model.code();
  const Contract& contract = model.policy().contract();
  std::vector<Range> ranges;
  std::vector<double> columns;
  json asked;
};

TEST(Formulas, SayWhatThePolicyPlays) {
  const std::vector<std::string> kinds = formula_kinds();
  std::vector<std::unique_ptr<Question>> questions;
  json all = json::array();
  for (const std::string& kind : kinds) {
    questions.push_back(std::make_unique<Question>(kind));
    all.push_back(questions.back()->asked);
  }
  const json answers = read(all);
  ASSERT_EQ(answers.size(), kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    SCOPED_TRACE(kinds[i]);
    questions[i]->check(answers[i]);
    questions[i]->check_sources(answers[i]);
  }
}

TEST(Formulas, AreLatex) {
  for (const std::string& kind : formula_kinds()) {
    for (const std::string& line : formulas(formula_case(kind).embedding.continuous(), Notation::latex)) {
      int depth = 0, left = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
        ASSERT_GE(depth, 0) << line;
        EXPECT_TRUE(line[i] != '_' || line[i + 1] == '{' || line[i - 1] == '\\') << line;
        EXPECT_NE(line[i], '*') << line;
        left += line.compare(i, 5, "\\left") == 0 ? 1 : line.compare(i, 6, "\\right") == 0 ? -1 : 0;
      }
      EXPECT_EQ(depth, 0) << line;
      EXPECT_EQ(left, 0) << line;
    }
  }
}

TEST(Formulas, HaveNoMoreDigitsThanNeeded) {
  for (const char* kind : {"chebyshev_mean", "ridges_mean", "legendre_gaussian"}) {
    for (const std::string& line : formulas(test::continuous_case(kind).embedding.continuous())) {
      std::size_t digits = 0;
      for (const char c : line) {
        digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : c == '.' ? digits : 0;
        EXPECT_LE(digits, 10U) << line;
      }
    }
  }
}

}  // namespace
}  // namespace mercer
