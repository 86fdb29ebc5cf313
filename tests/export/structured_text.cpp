#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/common/head.hpp"
#include "export/compiled.hpp"
#include "export/continuous_cases.hpp"
#include "export/st/st.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {
namespace {

constexpr std::size_t states = 200;
constexpr double allowed = 1e-5;  // of the action's range

struct Ran {
  bool passed = false;  // the self-test
  std::vector<int> ok;
  std::vector<double> actions;
};

// What the interpreter in tests/export_st makes of a block.
Ran run(const StExport& made, std::span<const double> given, std::size_t observations) {
  const test::Folder folder;
  const std::string path = folder.path().string();
  std::ofstream(path + "/block.st") << made.source;
  std::ofstream in(path + "/in");
  for (std::size_t i = 0; i < given.size(); ++i)
    in << fmt::format("{:.9g}{}", given[i], (i + 1) % observations == 0 ? "\n" : " ");
  in.close();
  const std::string command =
      fmt::format("{0} -B {1}/../export_st/run_block.py {2}/block.st < {2}/in > {2}/out 2> {2}/errors", MERCER_PYTHON,
                  MERCER_TEST_DATA, path);
  if (std::system(command.c_str()) != 0) {
    std::stringstream said;
    said << std::ifstream(path + "/errors").rdbuf() << made.source;
    ADD_FAILURE() << said.str();
    return {};
  }
  Ran ran;
  std::ifstream out(path + "/out");
  std::string line;
  std::getline(out, line);
  ran.passed = line == "1";
  while (std::getline(out, line)) {
    std::istringstream numbers(line);
    int ok = 0;
    numbers >> ok;
    ran.ok.push_back(ok);
    for (double action = 0; numbers >> action;) ran.actions.push_back(action);
  }
  return ran;
}

std::vector<double> even_states(std::span<const Range> ranges, const std::vector<std::uint8_t>& periodic,
                                double beyond) {
  std::vector<double> all;
  for (std::size_t i = 0; i < states; ++i) {
    std::vector<double> state = even_state(ranges, i + 7654321, beyond);
    for (std::size_t d = 0; d < state.size(); ++d) {
      if (periodic[d] != 0) state[d] = std::clamp(state[d], ranges[d].low, ranges[d].high);
      all.push_back(static_cast<float>(state[d]));
    }
  }
  return all;
}

class StructuredText : public testing::TestWithParam<std::string> {};

TEST_P(StructuredText, ActsAsTheLibraryDoes) {
  const EmbeddingFile file = test::continuous_case(GetParam());
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const FlatTerms flat = flatten(embedding.code());
  const ControllerInterface outside = controller_interface(embedding.policy().contract(), {});
  const std::size_t d = outside.observations(), m = outside.actions(), o = flat.outputs;
  const std::vector<double> given = even_states(ranges_of(flat), periodic_axes(embedding.code().coordinates), 0.05);

  const StExport made = export_st(file);
  const Ran ran = run(made, given, d);
  EXPECT_TRUE(ran.passed);
  ASSERT_EQ(ran.actions.size(), states * m);
  EXPECT_EQ(std::ranges::count(ran.ok, 1), static_cast<std::ptrdiff_t>(states));
  double worst = 0;
  std::vector<double> action(m), logits(o);
  for (std::size_t i = 0; i < states; ++i) {
    const MatrixView<const double> state{given.data() + i * d, d, 1};
    embedding.policy().mean_action(state, {action.data(), m, 1});
    if (embedding.code().head == Head::logits) {
      embedding.function()(state, {logits.data(), o, 1});
      const double best = *std::ranges::max_element(logits);
      worst = std::max(worst, best - logits[static_cast<std::size_t>(ran.actions[i])]);
      continue;
    }
    for (std::size_t a = 0; a < m; ++a)
      worst = std::max(worst, std::abs(ran.actions[i * m + a] - action[a]) / outside.width(a));
  }
  EXPECT_LE(worst, allowed);
  EXPECT_LE(worst, made.stated_error);
  printf("  worst %.2g of the range, stated %.2g; %zu bytes of tables, %zu of variables, %zu operations\n", worst,
         made.stated_error, made.table_bytes, made.variable_bytes, made.operations.total());
}

class StructuredTextOdd : public testing::TestWithParam<std::string> {};

// Every observation in turn: not a number, infinite, beyond all sense, far outside.
TEST_P(StructuredTextOdd, ObservationsAreHandledAsStated) {
  const EmbeddingFile file = test::continuous_case(GetParam());
  const ContinuousEmbedding& embedding = file.embedding.continuous();
  const bool discrete = embedding.code().head == Head::logits;
  const ControllerInterface outside = controller_interface(embedding.policy().contract(), {});
  const std::size_t d = outside.observations(), m = outside.actions();
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> safe(m, discrete ? 2 : 0.5), given;
  for (std::size_t i = 0; i < d; ++i) {
    for (const double odd : {std::nan(""), infinite, -infinite, 2e18, -2e18, 1e9, -1e9}) {
      for (std::size_t j = 0; j < d; ++j) given.push_back(j == i ? odd : 0.25);
    }
  }
  const Ran ran = run(export_st(file, {.name = "pilot", .safe_action = safe}), given, d);
  ASSERT_EQ(ran.ok.size(), 7 * d);
  std::vector<double> action(m);
  for (std::size_t i = 0; i < ran.ok.size(); ++i) {
    const std::size_t axis = i / 7;
    EXPECT_EQ(ran.ok[i], i % 7 < 5 ? 0 : 1);
    if (i % 7 >= 5 && embedding.code().coordinates[axis].periodic) continue;  // nothing is left of such an angle
    embedding.policy().mean_action({given.data() + i * d, d, 1}, {action.data(), m, 1});
    for (std::size_t a = 0; a < m; ++a) {
      EXPECT_NEAR(ran.actions[i * m + a], i % 7 < 5 ? safe[a] : action[a], discrete ? 0 : 1e-5 * outside.width(a));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, StructuredText, testing::ValuesIn(test::continuous_kinds()),
                         [](const auto& one) { return one.param; });

INSTANTIATE_TEST_SUITE_P(Kinds, StructuredTextOdd, testing::ValuesIn(test::few_continuous_kinds()),
                         [](const auto& one) { return one.param; });

// A coefficient that is not the one exported: what the self-test is for.
TEST(StructuredTextSelftest, SeesATamperedCoefficient) {
  for (const std::string kind : {"legendre_mean", "ridges_gaussian", "bumps_greedy"}) {
    StExport made = export_st(test::continuous_case(kind));
    const std::size_t begin = made.source.find("coefficients : "), first = made.source.find('[', begin + 25);
    const std::size_t number = made.source.find_first_not_of(" \n", first + 1), end = made.source.find(',', number);
    made.source.replace(number, end - number, "7.5");
    EXPECT_FALSE(run(made, {}, 3).passed) << kind;
  }
}

class StructuredTextLattice : public testing::TestWithParam<std::tuple<const char*, Unvisited>> {};

TEST_P(StructuredTextLattice, ActsAsTheLibraryDoes) {
  const auto [task_name, unvisited] = GetParam();
  const bool pendulum = std::string(task_name) == "pendulum";
  const auto task = make_env(task_name);
  const auto teacher = make_policy(std::string(MERCER_TEST_DATA) + (pendulum ? "/policies/pendulum_5000_actor.onnx"
                                                                             : "/policies/mc_dqn_120000_q.onnx"),
                                   task->task());
  const Rollouts rollouts = rollout(*task, *teacher, {.episodes = 20, .seed = 5});
  LatticeOptions options = best_lattice();
  options.state_bins = {6};
  options.action_bins = {9};
  options.playing.unvisited = unvisited;
  const Lattice lattice = make_lattice(*teacher, rollouts, options);
  EmbeddingOrigin origin;
  origin.env = task_name;
  origin.teacher = "t";
  const EmbeddingFile file{
      LatticeEmbedding::make(*teacher, lattice, options.playing, {.basis = "dct", .k = 40}), origin, 0, {}};
  const LatticePolicy& policy = file.embedding.lattice().policy();

  std::vector<Range> ranges;
  for (const Edges& axis : policy.cells().grid().axes) ranges.push_back({axis.values.front(), axis.values.back()});
  const std::vector<double> given = even_states(ranges, std::vector<std::uint8_t>(ranges.size()), 0.1);
  const StExport made = export_st(file);
  const Ran ran = run(made, given, ranges.size());
  EXPECT_TRUE(ran.passed);
  const std::size_t m = policy.action_space().dimensions();
  ASSERT_EQ(ran.actions.size(), states * m);
  double worst = 0;
  std::size_t holes = 0;
  for (std::size_t i = 0; i < states; ++i) {
    const double* state = given.data() + i * ranges.size();
    std::vector<double> action(m);
    policy.mean_action({state, ranges.size(), 1}, {action.data(), m, 1});
    holes += policy.cells().find(state) == Cells::none ? 1 : 0;
    worst = std::max(worst, std::abs(ran.actions[i] - action[0]) / (pendulum ? 4 : 1));
  }
  EXPECT_LE(worst, made.stated_error);
  EXPECT_GT(holes, 10U);
  printf("  worst %.2g, %zu of %zu states in cells not visited; %zu cells, %zu bytes of tables, %zu operations\n",
         worst, holes, states, policy.cells().size(), made.table_bytes, made.operations.total());
}

INSTANTIATE_TEST_SUITE_P(Kinds, StructuredTextLattice,
                         testing::Combine(testing::Values("pendulum", "mountain-car"),
                                          testing::Values(Unvisited::nearest, Unvisited::uniform)));

TEST(StructuredTextRefusals, NamesAndSafeActions) {
  const EmbeddingFile file = test::continuous_case("legendre_mean");
  for (const char* name :
       {"", "1st", "a-b", "a b", "_x", "a__b", "a_", "if", "Real", "STEP", "coefficients", "obs_x"}) {
    EXPECT_THROW(export_st(file, {.name = name}), Error) << name;
  }
  EXPECT_THROW(export_st(file, {.safe_action = {3}}), Error);
  EXPECT_THROW(export_st(file, {.safe_action = {0, 0}}), Error);
}

TEST(StructuredTextText, NumbersComeBackToTheSameBits) {
  for (const float value : {0.1F, 1.0F, -3.0F, 1.2e-38F, 3.4e38F, 16777216.0F, 0.33333334F, 1e18F}) {
    const std::string text = st_real(value);
    EXPECT_EQ(std::stof(text), value) << text;
    EXPECT_NE(text.find('.'), std::string::npos) << text;
    EXPECT_EQ(text.find('e'), std::string::npos) << text;
  }
}

TEST(StructuredTextText, NamesAreIdentifiersAndDiffer) {
  const std::vector<Axis> axes{
      {"speed", {}, ""}, {"Speed", {}, ""}, {"wheel speed (left)", {}, ""}, {"", {}, ""},
      {"a__b_", {}, ""}, {"!?", {}, ""},    {std::string(90, 'y'), {}, ""}, {std::string(91, 'y'), {}, ""}};
  const std::vector<std::string> names = st_names("obs_", axes);
  EXPECT_EQ(names[0], "obs_speed");
  EXPECT_EQ(names[2], "obs_wheel_speed_left");
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_TRUE(st_identifier(names[i])) << names[i];
    EXPECT_EQ(std::ranges::count(names, names[i]), 1) << names[i];
  }
}

TEST(StructuredTextText, CommentsStayComments) {
  for (const char* text : {"a *) b", "(* a", "(*) *)", "**) ((*"}) {
    EXPECT_EQ(st_comment(text).find("*)"), std::string::npos) << text;
    EXPECT_EQ(st_comment(text).find("(*"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mercer
