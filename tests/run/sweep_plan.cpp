#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "run/sweep.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

class SweepPlanTest : public testing::Test {
 protected:
  SweepPlanTest() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("sweep_plan_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SweepPlanTest() override { fs::remove_all(folder_); }

  SweepPlan plan(const std::string& text) const {
    std::ofstream(folder_ / "s.toml") << text;
    return plan_sweep(folder_ / "s.toml", stages(), folder_ / "out");
  }
  // What the plan is refused with.
  std::pair<ErrorCode, std::string> refused(const std::string& text) const {
    try {
      plan(text);
    } catch (const Error& error) {
      return {error.code(), error.what()};
    }
    return {ErrorCode::interrupted, "accepted"};
  }
  static std::vector<SweepStage> stages() {
    return {{"train", {"seed", "env", "steps"}, {}, {}},
            {"embed", {"seed", "policy", "basis", "k"}, {"policy"}, {{"policy", {"train"}}}},
            {"evaluate",
             {"seed", "policy", "against", "episodes"},
             {"policy", "against"},
             {{"policy", {"embed", "train"}}, {"against", {"train"}, "policy"}},
             false}};
  }

  fs::path folder_;
};

TEST_F(SweepPlanTest, CrossesArraysAndSharesWhatAgrees) {
  const SweepPlan made = plan(R"(
seed = [0, 1]
[train]
env = "pendulum"
[embed]
k = [4, 8, 16]
basis = "dct"
[evaluate]
episodes = 10
)");
  EXPECT_EQ(made.varied, (std::vector<std::string>{"seed", "embed.k"}));
  EXPECT_EQ(made.stages, (std::vector<std::string>{"train", "embed", "evaluate"}));
  ASSERT_EQ(made.cells.size(), 6);
  EXPECT_EQ(made.cells[1].values, (std::vector<std::string>{"0", "8"}));
  EXPECT_EQ(made.cells[3].values, (std::vector<std::string>{"1", "4"}));
  EXPECT_EQ(made.jobs.size(), 2 + 6 + 6);
  EXPECT_EQ(made.cells[0].jobs[0], made.cells[2].jobs[0]);
  EXPECT_NE(made.cells[0].jobs[0], made.cells[3].jobs[0]);
  std::set<std::string> ids;
  for (std::size_t j = 0; j < made.jobs.size(); ++j) {
    ids.insert(made.jobs[j].id);
    for (const auto& [stage, other] : made.jobs[j].takes) EXPECT_LT(other, j);
  }
  EXPECT_EQ(ids.size(), made.jobs.size());
  const SweepJob& last = made.jobs[made.cells[5].jobs[2]];
  EXPECT_EQ(last.settings.at("policy"), "@embed");
  EXPECT_EQ(last.settings.at("against"), "@train");
  EXPECT_EQ(last.takes.at("train"), made.cells[5].jobs[0]);
}

TEST_F(SweepPlanTest, ATableIsAStageWithoutSettingsToo) {
  const SweepPlan made = plan("policy = \"uniform\"\n[embed]\n[evaluate]\nepisodes = 10\n");
  EXPECT_EQ(made.stages, (std::vector<std::string>{"embed", "evaluate"}));
  EXPECT_EQ(made.jobs[1].settings.at("policy"), "@embed");
  expect_error(ErrorCode::unknown_name, "line 1", [&] { plan("[embd]\n[evaluate]\nepisodes = 10\n"); });
}

TEST_F(SweepPlanTest, WalksTogether) {
  const SweepPlan made = plan(R"(
together = ["embed.basis, embed.k"]
seed = [0, 1]
policy = "uniform"
[embed]
basis = ["dct", "dct", "svd"]
k = [4, 8, 2]
)");
  ASSERT_EQ(made.cells.size(), 6);
  EXPECT_EQ(made.cells[1].values, (std::vector<std::string>{"0", "dct", "8"}));
  EXPECT_EQ(made.cells[5].values, (std::vector<std::string>{"1", "svd", "2"}));
  EXPECT_EQ(made.jobs[0].settings.at("policy"), "uniform");
}

TEST_F(SweepPlanTest, ATeacherIsNotHeldAgainstItself) {
  const SweepPlan made = plan("stages = [\"train\", \"evaluate\"]\nseed = 3\n");
  EXPECT_EQ(made.jobs[1].settings.at("policy"), "@train");
  EXPECT_FALSE(made.jobs[1].settings.contains("against"));
}

TEST_F(SweepPlanTest, FilesAreSeenFromTheFolderOfTheSweep) {
  std::ofstream(folder_ / "t.onnx") << "x";
  const SweepPlan made =
      plan("[embed]\npolicy = [\"t.onnx\", \"t.onnx:kind=greedy\", \"tabular:t.onnx\", \"uniform\"]\n");
  EXPECT_EQ(made.jobs[0].settings.at("policy"), "../t.onnx");
  EXPECT_EQ(made.jobs[1].settings.at("policy"), "../t.onnx:kind=greedy");
  EXPECT_EQ(made.jobs[2].settings.at("policy"), "tabular:../t.onnx");
  EXPECT_EQ(made.jobs[2].files, std::vector<std::string>{"../t.onnx"});
  EXPECT_EQ(made.jobs[3].settings.at("policy"), "uniform");
  EXPECT_TRUE(made.jobs[3].files.empty());
  std::ofstream(folder_ / "t.toml") << "kind = \"greedy\"\n";
  EXPECT_EQ(plan("[embed]\npolicy = \"t.onnx\"\n").jobs[0].files, (std::vector<std::string>{"../t.onnx", "../t.toml"}));
}

TEST_F(SweepPlanTest, AnIdFollowsFromStageSettingsAndInputsAlone) {
  const SweepPlan small = plan("[train]\nsteps = 5\n[embed]\nk = 4\n");
  const SweepPlan large = plan("[embed]\nk = [2, 4]\n[train]\nsteps = [4, 5]\n");
  EXPECT_EQ(large.jobs[large.cells[3].jobs[1]].id, small.jobs[1].id);
  EXPECT_NE(large.jobs[large.cells[1].jobs[1]].id, large.jobs[large.cells[3].jobs[1]].id);
}

TEST_F(SweepPlanTest, MistakesAreNamed) {
  const std::vector<std::tuple<std::string, ErrorCode, std::vector<std::string>>> cases{
      {"[embde]\nk = 1\n", ErrorCode::unknown_name, {"embde", "'embed'", "line 1"}},
      {"[embed]\nkk = 1\n", ErrorCode::unknown_name, {"kk", "line 2"}},
      {"basos = 1\n[embed]\nk = 1\n", ErrorCode::unknown_name, {"basos", "'basis'"}},
      {"stages = [\"trian\"]\n", ErrorCode::unknown_name, {"trian", "'train'"}},
      {"seed = 1\n", ErrorCode::missing_option, {"no stage"}},
      {"[embed]\nk = []\n", ErrorCode::bad_value, {"no value"}},
      {"[embed]\nk = [1, 2, 1]\n", ErrorCode::bad_value, {"twice"}},
      {"basis = 1\n[embed]\nbasis = 2\n", ErrorCode::bad_value, {"used by no stage"}},
      {"together = [\"embed.k, embed.basis\"]\n[embed]\nk = [1, 2]\nbasis = [\"a\", \"b\", \"c\"]\n",
       ErrorCode::bad_value,
       {"3", "walk together"}},
      {"together = [\"embed.k\"]\n[embed]\nk = 1\n", ErrorCode::unknown_name, {"embed.k"}},
      {"[embed]\npolicy = \"@evaluate\"\n[evaluate]\nepisodes = 1\n", ErrorCode::unknown_name, {"evaluate"}},
      {"[embed]\npolicy = \"@train\"\n", ErrorCode::unknown_name, {"train"}},
  };
  for (const auto& [text, code, parts] : cases) {
    const auto [found, said] = refused(text);
    EXPECT_EQ(found, code) << text << said;
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << text << said;
  }
  std::string many = "[embed]\nk = [0";
  for (int i = 1; i < 1001; ++i) many += "," + std::to_string(i);
  many += "]\nbasis = [0";
  for (int i = 1; i < 1001; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(refused(many + "]\n").first, ErrorCode::too_large);
}

}  // namespace
}  // namespace mercer
