#include "run/store.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// Long enough that kills hit it in the middle, and easy to check.
std::string expected_text(int seed) {
  std::string text;
  for (int line = 0; line < 400; ++line) text += std::to_string(line * line + seed) + "\n";
  return text;
}

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("store-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "-" +
               std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Store store(const std::string& build = "build one") const { return Store(folder_, build); }
  // Counts how often the work is done.
  Entry squares(const Store& in, const Job& job, int seed = 0, Busy busy = Busy::wait) {
    return in.require(
        job,
        [&](const fs::path& work) {
          ++made_;
          std::ofstream(work / "squares.txt") << expected_text(seed);
          std::ofstream(work / "empty");
        },
        {}, busy);
  }

  fs::path folder_;
  int made_ = 0;
};

TEST_F(StoreTest, TheSameJobIsDoneOnce) {
  const Store one = store();
  const Job job{"squares", R"({"n": 400, "seed": 0})", {}};
  EXPECT_FALSE(one.has(job));
  const Entry first = squares(one, job), second = squares(store(), {"squares", R"({"seed": 0.0, "n": 4e2})", {}});
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(first.folder, second.folder);
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(read_text(first.folder / "squares.txt"), expected_text(0));
  EXPECT_EQ(first.bytes, expected_text(0).size());
  EXPECT_TRUE(one.has(job));
  EXPECT_FALSE(fs::exists(folder_ / (first.key + ".work")));
}

TEST_F(StoreTest, WhateverItDependsOnMakesAnotherKey) {
  const Store one = store();
  const Job job{"squares", R"({"n": 400})", {"ab", "cd"}};
  std::set<std::string> keys{one.key(job),
                             store("build two").key(job),
                             one.key({"cubes", job.configuration, job.inputs}),
                             one.key({"squares", R"({"n": 401})", job.inputs}),
                             one.key({"squares", job.configuration, {"abcd"}}),
                             one.key({"squares", job.configuration, {"cd", "ab"}})};
  EXPECT_EQ(keys.size(), 6u);
  for (const char* kind : {"", "Squares", "a/b", "a.work", "../x"}) EXPECT_THROW(one.key({kind, "{}", {}}), Error);
}

TEST_F(StoreTest, DigestsFollowContentsAlone) {
  const Entry a = squares(store(), {"squares", R"({"way": 1})", {}}, 7);
  const Entry b = squares(store(), {"squares", R"({"way": 2})", {}}, 7);
  const Entry c = squares(store(), {"squares", R"({"way": 3})", {}}, 8);
  EXPECT_NE(a.key, b.key);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_NE(a.digest, c.digest);
}

TEST_F(StoreTest, DamageIsNoticedAndMended) {
  const Job job{"squares", "{}", {}};
  const std::vector<std::function<void(const fs::path&)>> damages{
      [](const fs::path& at) { fs::resize_file(at / "squares.txt", 100); },
      [](const fs::path& at) { std::fstream(at / "squares.txt", std::ios::in | std::ios::out).seekp(50) << "x"; },
      [](const fs::path& at) { fs::remove(at / "empty"); },
      [](const fs::path& at) { std::ofstream(at / "one more") << "x"; },
      [](const fs::path& at) { fs::remove(at / "entry.json"); },
      [](const fs::path& at) { std::ofstream(at / "entry.json") << "{\"key\": "; },
      [](const fs::path& at) { std::ofstream(at / "entry.json") << "{\"key\": 3, \"files\": []}"; }};
  const Store one = store();
  for (std::size_t i = 0; i < damages.size(); ++i) {
    const Entry before = squares(one, job);
    damages[i](before.folder);
    EXPECT_FALSE(one.has(job)) << i;
    ASSERT_EQ(one.list().size(), 1u);
    EXPECT_EQ(one.list()[0].state, Listed::State::damaged) << i;
    EXPECT_EQ(squares(one, job).digest, before.digest) << i;
    EXPECT_EQ(made_, static_cast<int>(i) + 2);
  }
}

TEST_F(StoreTest, AFailureLeavesNothingUnlessItResumes) {
  const Store one = store();
  const auto fail = [](const fs::path& work) {
    std::ofstream(work / "part.txt") << "half";
    throw std::runtime_error("no");
  };
  Job job{"fails", "{}", {}};
  EXPECT_THROW(one.require(job, fail), std::runtime_error);
  EXPECT_TRUE(one.list().empty());
  job.resumes = true;
  EXPECT_THROW(one.require(job, fail), std::runtime_error);
  ASSERT_EQ(one.list().size(), 1u);
  EXPECT_EQ(one.list()[0].state, Listed::State::unfinished);
  one.require(job, [](const fs::path& work) {
    EXPECT_EQ(read_text(work / "part.txt"), "half");
    std::ofstream(work / "part.txt", std::ios::app) << " and half";
  });
  EXPECT_TRUE(one.has(job));
  EXPECT_THROW(one.require({"nothing", "{}", {}}, [](const fs::path&) {}), Error);
  one.remove(job);
  EXPECT_FALSE(one.has(job));
}

TEST_F(StoreTest, OneWorksAndTheOthersWaitOrAreRefused) {
  const Store one = store();
  const Job job{"slow", "{}", {}};
  std::atomic<bool> inside = false, let_go = false;
  std::atomic<int> made = 0;
  const auto slow = [&](const fs::path& work) {
    ++made;
    std::ofstream(work / "x") << "x";
    inside = true;
    while (!let_go) std::this_thread::yield();
  };
  std::thread first([&] { one.require(job, slow); });
  while (!inside) std::this_thread::yield();
  try {
    one.require(job, slow, {}, Busy::refuse);
    ADD_FAILURE() << "not refused";
  } catch (const Error& refused) {
    EXPECT_EQ(refused.code(), ErrorCode::cannot_write);
    EXPECT_NE(refused.problem().find("another process is working on 'slow-"), std::string::npos);
  }
  std::stop_source stop;
  stop.request_stop();
  Progress stopped;
  stopped.stop = stop.get_token();
  EXPECT_THROW(one.require(job, slow, stopped), Error);
  std::thread second([&] { store().require(job, slow); });
  let_go = true;
  first.join();
  second.join();
  EXPECT_EQ(made, 1);
}

// A child does three jobs, the last of which builds on the others. First it kills itself in the middle of a file, then
// it is killed wherever it happens to be.
TEST_F(StoreTest, HalfWrittenFilesOfAKilledProcessAreNoResult) {
  const Store one = store();
  const Job job{"job", "{}", {}, true};
  const auto make = [](const fs::path& work) { std::ofstream(work / "a.txt") << "a"; };
  const std::string digest = one.require(job, make).digest;
  one.remove(job);
  const fs::path work = folder_ / (one.key(job) + ".work");
  fs::create_directories(work);
  std::ofstream(work / ".entry.json.17.part") << "{";
  std::ofstream(work / "kept.txt") << "from before";
  const Entry resumed = one.require(job, [&](const fs::path& at) {
    EXPECT_TRUE(fs::exists(at / "kept.txt"));
    fs::remove(at / "kept.txt");
    make(at);
  });
  EXPECT_EQ(resumed.digest, digest);
}

TEST_F(StoreTest, KilledAnywhereItEndsWithTheSameBytes) {
  const auto three = [this](int pause, int pieces = 1000000) {
    const Store one = store();
    std::vector<std::string> digests;
    for (int j = 0; j < 3; ++j) {
      Job job{"job", "{\"j\": " + std::to_string(j) + "}", digests, j == 1};
      digests.push_back(one.require(job,
                                    [&](const fs::path& work) {
                                      std::ofstream out(work / "squares.txt");
                                      const std::string text = expected_text(j);
                                      for (std::size_t i = 0; i < text.size(); i += 100) {
                                        out << text.substr(i, 100) << std::flush;
                                        if (--pieces == 0) ::raise(SIGKILL);
                                        if (pause > 0) ::usleep(static_cast<useconds_t>(pause));
                                      }
                                    })
                            .digest);
    }
    return digests;
  };
  int killed = 0;
  for (int round = 0; round < 25; ++round) {
    const bool by_itself = round < 5;
    const pid_t child = ::fork();
    if (child == 0) {
      three(100, by_itself ? 1 + round : 1000000);
      ::_exit(0);
    }
    if (!by_itself) {
      ::usleep(static_cast<useconds_t>(1500 + 700 * round));
      ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    for (const Listed& listed : store().list()) EXPECT_NE(listed.state, Listed::State::damaged);
  }
  EXPECT_GE(killed, 2);
  const auto after = three(0);
  EXPECT_EQ(store().list().size(), 3u);
  fs::remove_all(folder_);
  EXPECT_EQ(three(0), after);
}

}  // namespace
}  // namespace mercer
