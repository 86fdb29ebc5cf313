#include "run/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// Two makers of numbers and, for each, three that add to them; the job of `b` with add = 13 fails.
class SweepTest : public testing::Test {
 protected:
  SweepTest() {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("sweep_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SweepTest() override { fs::remove_all(folder_); }

  SweepPlan plan(const std::string& text = "[a]\nstart = [1, 2]\n[b]\nadd = [10, 13, 20]\n[c]\ntimes = 2\n") const {
    std::ofstream(folder_ / "s.toml") << text;
    return plan_sweep(folder_ / "s.toml",
                      {{"a", {"start"}, {}, {}},
                       {"b", {"add", "from"}, {}, {{"from", {"a"}}}},
                       {"c", {"times", "from"}, {}, {{"from", {"b"}}}}},
                      folder_);
  }

  std::string work(const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder) {
    ++calls_;
    long value = 0;
    for (const auto& [stage, product] : taken) value = std::stol(read_text(product.folder / "value"));
    if (job.stage == "a") value = std::stol(job.settings.at("start"));
    if (job.stage == "b") value += std::stol(job.settings.at("add"));
    if (job.stage == "c") value *= std::stol(job.settings.at("times"));
    if (full_ && job.stage == "b" && value >= 20) throw Error(ErrorCode::cannot_write, "no room", "Make some");
    if (small_ && job.stage == "b" && value < 20) throw std::bad_alloc();
    if (broken_ && value % 100 / 10 == 1 && value % 10 >= 4)
      throw Error(ErrorCode::bad_value, "thirteen", "Take another");
    std::ofstream(folder / "value") << value;
    return fmt::format(R"({{"value": {}, "pair": [1, {}], "word": "a,b", "long": [1,2,3,4,5]}})", value, value);
  }

  std::vector<SweepOutcome> run(const SweepPlan& plan, const std::string& build = "x",
                                const SweepOptions& options = {}) {
    return run_sweep(
        plan, folder_ / "out", build,
        [this](const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder,
               const Progress&) { return work(job, taken, folder); },
        options);
  }

  static std::size_t count(const std::vector<SweepOutcome>& outcomes, SweepOutcome::State state) {
    return static_cast<std::size_t>(std::ranges::count(outcomes, state, &SweepOutcome::state));
  }

  fs::path folder_;
  std::atomic<int> calls_ = 0;
  bool broken_ = true, full_ = false, small_ = false;
};

using State = SweepOutcome::State;

TEST_F(SweepTest, EachJobOnceWhateverTheNumberOfWorkers) {
  std::string csv;
  for (const std::size_t workers : {1, 4}) {
    fs::remove_all(folder_ / "out");
    calls_ = 0;
    SweepOptions options;
    options.workers = workers;
    const auto outcomes = run(plan(), "x", options);
    ASSERT_EQ(outcomes.size(), 2 + 6 + 6);
    EXPECT_EQ(count(outcomes, State::done), 2 + 4 + 4);
    EXPECT_EQ(count(outcomes, State::failed), 2);
    EXPECT_EQ(count(outcomes, State::skipped), 2);
    EXPECT_EQ(calls_, 2 + 6 + 4);
    const std::string text = read_text(folder_ / "out/results.csv");
    EXPECT_TRUE(csv.empty() || csv == text);
    csv = text;
  }
  EXPECT_TRUE(csv.starts_with("cell,a.start,b.add,state,error,a.value,a.pair.0,a.pair.1,a.word,b.value,")) << csv;
  EXPECT_NE(csv.find("\n0,1,10,done,,1,1,1,\"a,b\",11,1,11,\"a,b\",22,1,22,\"a,b\"\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n1,1,13,failed,E203: thirteen. Take another."), std::string::npos) << csv;
}

TEST_F(SweepTest, WhatIsDoneIsFoundAndFailuresAreKeptUntilTheyAreRetried) {
  run(plan());
  calls_ = 0;
  auto outcomes = run(plan());
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(count(outcomes, State::failed), 2);
  EXPECT_EQ(std::ranges::count(outcomes, true, &SweepOutcome::found), 12);
  broken_ = false;
  SweepOptions options;
  options.retry = true;
  outcomes = run(plan(), "x", options);
  EXPECT_EQ(calls_, 4);
  EXPECT_EQ(count(outcomes, State::done), 14);
}

TEST_F(SweepTest, WhatLackedDiskOrMemoryIsTriedAgain) {
  broken_ = false;
  full_ = true;
  auto outcomes = run(plan());
  EXPECT_EQ(count(outcomes, State::failed), 2);
  EXPECT_EQ(count(outcomes, State::skipped), 2);
  EXPECT_NE(read_text(folder_ / "out/results.csv").find(",failed,E302: no room. Make some.,"), std::string::npos);
  try {
    require_room(outcomes);
    ADD_FAILURE() << "there was no room";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cannot_write);
    EXPECT_NE(std::string(error.what()).find("2 of 14 jobs failed for lack of disk space or memory"),
              std::string::npos);
  }
  full_ = false;
  small_ = true;
  outcomes = run(plan());  // no retry was asked for
  EXPECT_EQ(count(outcomes, State::failed), 0) << "done before there was too little memory";
  fs::remove_all(folder_ / "out");
  outcomes = run(plan());
  EXPECT_EQ(count(outcomes, State::failed), 4);
  EXPECT_EQ(outcomes[std::ranges::find(outcomes, State::failed, &SweepOutcome::state) - outcomes.begin()].shortage,
            ErrorCode::too_large);
  small_ = false;
  calls_ = 0;
  outcomes = run(plan());
  EXPECT_EQ(count(outcomes, State::done), 14);
  EXPECT_EQ(calls_, 4 + 4);
  require_room(outcomes);
}

TEST_F(SweepTest, ALargerSweepTakesWhatASmallerOneMade) {
  run(plan("[a]\nstart = [1, 2]\n[b]\nadd = [10, 20]\n"));
  calls_ = 0;
  const auto outcomes = run(plan("[a]\nstart = [1, 2, 3]\n[b]\nadd = [10, 20, 30]\n"));
  EXPECT_EQ(calls_, 1 + 5);
  EXPECT_EQ(count(outcomes, State::done), 12);
}

TEST_F(SweepTest, AnotherBuildDoesEverythingAgain) {
  run(plan());
  calls_ = 0;
  run(plan(), "y");
  EXPECT_EQ(calls_, 12);
}

TEST_F(SweepTest, ADamagedResultIsMadeAgain) {
  const auto whole = run(plan());
  const std::string csv = read_text(folder_ / "out/results.csv");
  for (const auto& entry : fs::directory_iterator(folder_ / "out/store")) {
    if (entry.path().filename().string().starts_with("b-") && entry.is_directory()) {
      std::ofstream(entry.path() / "value") << "999";
      break;
    }
  }
  calls_ = 0;
  run(plan());
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(read_text(folder_ / "out/results.csv"), csv);
}

TEST_F(SweepTest, ASecondSweepOnAFolderIsRefused) {
  const SweepPlan outer = plan();
  std::string said;
  run_sweep(outer, folder_ / "out", "x",
            [&](const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder,
                const Progress&) {
              try {
                run(outer);
              } catch (const Error& error) {
                said = error.what();
              }
              return work(job, taken, folder);
            });
  EXPECT_NE(said.find("another process is working on 'sweep'"), std::string::npos) << said;
}

TEST_F(SweepTest, AStopIsNoFailure) {
  std::stop_source stop;
  Progress progress;
  progress.stop = stop.get_token();
  const SweepPlan all = plan();
  EXPECT_THROW(run_sweep(
                   all, folder_ / "out", "x",
                   [&](const SweepJob& job, const std::map<std::string, SweepProduct>& taken, const fs::path& folder,
                       const Progress& inner) {
                     if (job.stage == "c") stop.request_stop();
                     inner.check();
                     return work(job, taken, folder);
                   },
                   {}, {}, progress),
               Error);
  const auto outcomes = run(plan());
  EXPECT_EQ(count(outcomes, State::done), 10);
  EXPECT_EQ(calls_, 12);
}

TEST_F(SweepTest, ResultsThatAreNoDatabaseAreNamed) {
  fs::create_directories(folder_ / "out");
  std::ofstream(folder_ / "out/results.sqlite") << std::string(4096, 'x');
  try {
    run(plan());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt_file);
  }
}

}  // namespace
}  // namespace mercer
