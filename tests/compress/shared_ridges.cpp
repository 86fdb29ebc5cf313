#include <algorithm>
#include <fstream>

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compress/evolve_student.hpp"
#include "compress/ridge_search.hpp"
#include "mercer/compress.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "support/temporary.hpp"

using namespace mercer;

namespace {

struct Swing {
  std::unique_ptr<Env> env = make_env("pendulum");
  std::unique_ptr<Policy> teacher =
      make_policy(std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx", env->task());
  EnvPlayer player{*env};
};

CompressOptions short_search() {
  CompressOptions options;
  options.lattice = false;
  options.shared_ridges = true;
  options.judge.max_loss = 0.001;  // nothing passes, so that students are tuned and grow
  options.judge.select_episodes = 32;
  options.judge.certify_episodes = 400;
  options.judge.seed = 5;
  options.ridges.imitation_rounds = 2;
  options.ridges.imitation_updates = 60;
  options.ridges.imitation_steps = 400;
  options.ridges.critic_turns = 1;
  options.ridges.first_turns = 3;
  options.ridges.later_turns = 2;
  options.ridges.most_ridges = 8;
  options.ridges.turn_updates = 10;
  options.ridges.turn_steps = 400;
  options.ridges.first_steps = 1600;
  options.ridges.evolve_generations = 2;
  return options;
}

std::vector<std::vector<std::uint8_t>> payloads(const Compressed& found) {
  std::vector<std::vector<std::uint8_t>> out;
  for (const Candidate& one : found.tried) out.push_back(one.embedding.payload());
  return out;
}

// Critics that see no difference between actions.
std::shared_ptr<const DenseCritics> small_critics() {
  DenseCritics critics;
  critics.networks.assign(
      2, {{4, 8, std::vector<double>(32, 0), std::vector<double>(8, 1)}, {8, 1, std::vector<double>(8, 1), {0}}});
  return std::make_shared<const DenseCritics>(critics);
}

std::vector<std::string> notes_of(const Swing& task, const CompressOptions& options) {
  std::vector<std::string> out;
  Progress progress;
  progress.note = [&](const std::string& sentence) { out.push_back(sentence); };
  compress(task.player, *task.teacher, options, {}, progress);
  return out;
}

}  // namespace

// Ended after any of its steps, as by kill -9, and begun again: all that was stored is the file.
TEST(SharedRidges, a_search_that_was_killed_finds_the_same_bytes) {
  const Swing task;
  const CompressOptions options = short_search();
  const auto whole = compress(task.player, *task.teacher, options);
  const auto wanted = payloads(whole);
  ASSERT_GT(wanted.size(), 3U);
  const TemporaryFolder folder;
  CompressOptions stored = options;
  stored.resume = {folder / "state", "same", 0};
  // Copies of the file at different moments are what killed processes leave.
  std::vector<std::filesystem::path> left;
  std::filesystem::file_time_type last{};
  Progress progress;
  progress.report = [&](std::string_view, double) {
    std::error_code none;
    const auto time = std::filesystem::last_write_time(stored.resume.file, none);
    if (none || time == last) return;
    last = time;
    left.push_back(folder / fmt::format("copy{}", left.size()));
    std::filesystem::copy_file(stored.resume.file, left.back());
  };
  EXPECT_EQ(payloads(compress(task.player, *task.teacher, stored, {}, progress)), wanted);
  EXPECT_FALSE(std::filesystem::exists(stored.resume.file)) << "a finished search leaves no state";
  ASSERT_GE(left.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t moment = i * (left.size() - 1) / 9;
    std::filesystem::rename(left[moment], stored.resume.file);
    const ThreadLimit threads(1 + i % 2);
    const auto again = compress(task.player, *task.teacher, stored);
    EXPECT_EQ(payloads(again), wanted) << "killed at moment " << moment << " of " << left.size();
    EXPECT_EQ(again.chosen, whole.chosen);
  }
}

TEST(SharedRidges, a_state_of_another_search_is_left_out) {
  const Swing task;
  CompressOptions options = short_search();
  const auto wanted = payloads(compress(task.player, *task.teacher, options));
  const TemporaryFolder folder;
  options.resume = {folder / "state", "mine", 1e9};
  std::ofstream(options.resume.file) << "no state at all";
  std::string said;
  Progress progress;
  progress.note = [&](const std::string& sentence) { said += sentence + "\n"; };
  EXPECT_EQ(payloads(compress(task.player, *task.teacher, options, {}, progress)), wanted);
  EXPECT_NE(said.find("starting over"), std::string::npos) << said;
}

TEST(SharedRidges, try_the_largest_students_that_a_limit_on_bytes_allows) {
  const Swing task;
  CompressOptions options = short_search();
  options.judge.max_bytes = 24;
  std::string said;
  Progress progress;
  progress.note = [&](const std::string& sentence) { said += sentence + "\n"; };
  const Compressed found = compress(task.player, *task.teacher, options, {}, progress);
  std::size_t largest = 0;
  for (const auto& payload : payloads(found)) largest = std::max(largest, payload.size());
  EXPECT_LE(largest, 24U);
  EXPECT_GE(largest, 18U);  // one ridge more takes five numbers of six bits or more
  EXPECT_NE(said.find("ridges lose"), std::string::npos) << said;
}

// Imitation says little about what tuning will reach. The grids that one percent allows are those of 8 to 6 bits.
TEST(SharedRidges, with_critics_of_the_teacher_only_the_largest_that_fits_imitates) {
  const Swing task;
  CompressOptions options = short_search();
  options.judge.max_bytes = 24;
  options.judge.max_loss = 0.01;
  options.critics = small_critics();
  const std::vector<std::string> said = notes_of(task, options);
  std::size_t sizes = 0;
  for (const std::string& sentence : said) sizes += sentence.ends_with("after imitation") ? 1 : 0;
  EXPECT_EQ(sizes, 2U) << fmt::format("{}", fmt::join(said, "\n"));  // a linear student, and the largest
  options.critics.reset();
  EXPECT_GT(
      std::ranges::count_if(notes_of(task, options), [](const auto& one) { return one.ends_with("after imitation"); }),
      2);
}

TEST(SharedRidges, without_them_what_is_to_be_tuned_imitates_for_longer) {
  const Swing task;
  CompressOptions options = short_search();
  const auto longer = [](const std::string& sentence) { return sentence.ends_with("after longer imitation"); };
  EXPECT_EQ(std::ranges::count_if(notes_of(task, options), longer), 1);
  options.critics = small_critics();
  EXPECT_EQ(std::ranges::count_if(notes_of(task, options), longer), 0);
}

// Nothing is known of the turns while students imitate. Then they count down, and the stage that usually follows
// counts.
TEST(SharedRidges, turns_that_are_left_count_down) {
  const Swing task;
  CompressOptions options = short_search();
  options.critics = small_critics();
  options.search.aim.teacher_return = -150;
  options.search.aim.budget = 1;
  const Progress silent;
  RidgeSearch search(
      task.player, *task.teacher, options,
      [](const ContinuousEmbedding&) {
        return Tried{true, false, 0.05};
      },
      [] { return false; }, silent);
  std::vector<double> left;
  while (search.advance() && left.size() < options.ridges.first_turns) {
    if (const auto turns = search.turns_left()) left.push_back(*turns);
  }
  const auto first = static_cast<double>(options.ridges.first_turns + options.ridges.later_turns);
  EXPECT_EQ(left, (std::vector{first, first - 1, first - 2}));
}

TEST(SharedRidges, are_not_for_unbounded_actions) {
  Task task = make_env("pendulum")->task();
  EXPECT_TRUE(takes_shared_ridges(task));
  task.action.axes[0].range.high = HUGE_VAL;
  EXPECT_FALSE(takes_shared_ridges(task));
  EXPECT_TRUE(takes_shared_ridges(make_env("acrobot")->task()));
}

// Whatever is said of critics that diverge, the search goes on without them.
TEST(SharedRidges, critics_that_diverge_do_not_end_the_search) {
  const Swing task;
  CompressOptions options = short_search();
  DenseCritics critics;
  critics.networks.assign(2, {{4, 8, std::vector<double>(32, 1e30), std::vector<double>(8, 1e30)},
                              {8, 1, std::vector<double>(8, 1e30), {0}}});
  options.critics = std::make_shared<const DenseCritics>(critics);
  std::string said;
  Progress progress;
  progress.note = [&](const std::string& sentence) { said += sentence + "\n"; };
  const Compressed found = compress(task.player, *task.teacher, options, {}, progress);
  EXPECT_GT(found.tried.size(), 0U);
  EXPECT_NE(said.find("critics diverge: the search learns others"), std::string::npos) << said;
}

// A return beyond the teacher's earns nothing: among students that earn enough the closest one costs least.
TEST(SharedRidges, returns_beyond_the_teacher_do_not_count) {
  const Swing task;
  Aim aim;
  aim.teacher_return = -200;
  aim.budget = 2;
  aim.roughness = 0.5;
  const auto cost = [&](double earned, double roughness, double error) {
    Outcome one;
    one.total = earned;
    one.motion.roughness = roughness;
    return student_cost(aim, std::span(&one, 1), task.env->task(), *task.teacher, error);
  };
  EXPECT_DOUBLE_EQ(cost(-150, 0.1, 0.3), cost(-200, 0.1, 0.3));
  EXPECT_LT(cost(-200, 0.1, 0.2), cost(-100, 0.1, 0.3));
  EXPECT_LT(cost(-200, 0.1, 0.3), cost(-204, 0.1, 0.3));
  EXPECT_NEAR(cost(-204, 0.1, 0) - cost(-200, 0.1, 0), 2, 1e-12);
  EXPECT_GT(cost(-200, 0.6, 0.3), cost(-200, 0.5, 0.3));
  aim.roughness.reset();
  EXPECT_NEAR(cost(-204, 0.1, 0) - cost(-200, 0.1, 0), 2, 1e-12);
}
