#include "mercer/compress.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "support/stranger.hpp"

using namespace mercer;

namespace {

struct Car {
  std::unique_ptr<Env> env = make_env("continuous-mountain-car");
  std::unique_ptr<Policy> teacher =
      make_policy(std::string(MERCER_TEST_DATA) + "/policies/cmc_sde_10000_actor.onnx", env->task());
  EnvPlayer player{*env};
};

CompressOptions quick() {
  CompressOptions options;
  options.lattice = false;
  options.dictionaries.resize(1);
  options.dictionaries[0].basis = "ridge";
  options.formats = {NumberFormat::int8, NumberFormat::int4};
  options.most_terms = 2;
  options.search.generations = 20;
  options.search.episodes = 64;
  options.judge.max_loss = 0.2;
  options.judge.select_episodes = 100;
  options.judge.certify_episodes = 1000;
  options.judge.seed = 5;
  return options;
}

}  // namespace

TEST(Compress, FindsAFewBytesThatKeepTheirPromise) {
  const Car car;
  std::size_t told = 0;
  const Compressed found = compress(car.player, *car.teacher, quick(), [&](const Candidate&, bool) { ++told; });
  EXPECT_TRUE(found.certificate->within_budget);
  EXPECT_LE(*found.certificate->upper_percent, 20);
  EXPECT_LT(found.winner().payload_bytes(), 16u);
  EXPECT_EQ(told, found.tried.size());
  // Fresh episodes: another sample of the same loss, within what chance allows.
  const double teacher = -Aim{}.cost(car.player, *car.teacher, 500, 77, Act::mean);
  const double own = -Aim{}.cost(car.player, found.winner().embedding.policy(), 500, 77, Act::mean);
  EXPECT_LE(100 * (teacher - own) / teacher, *found.certificate->upper_percent + 10);
}

TEST(Compress, OneBarShowsEveryPhaseByItsName) {
  const Car car;
  std::set<std::string> phases;
  double last = 0;
  Progress progress;
  progress.report = [&](std::string_view stage, double fraction) {
    phases.emplace(stage.substr(0, stage.find(',')));
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    last = fraction;
  };
  compress(car.player, *car.teacher, quick(), {}, progress);
  EXPECT_EQ(phases, (std::set<std::string>{"teacher plays", "fit", "polish", "choose", "certify"}));
  EXPECT_GT(last, 0.5) << "the share is that of the whole search, and this was its end";
}

TEST(Compress, TheFrontRisesInBytesAndFallsInLoss) {
  const Car car;
  const Compressed found = compress(car.player, *car.teacher, quick());
  ASSERT_FALSE(found.front.empty());
  for (std::size_t i = 1; i < found.front.size(); ++i) {
    const Candidate &before = found.tried[found.front[i - 1]], &now = found.tried[found.front[i]];
    EXPECT_LT(before.payload_bytes(), now.payload_bytes());
    EXPECT_GT(before.loss, now.loss);
  }
  for (const Candidate& one : found.tried) {  // nobody that is admissible beats the front
    bool beaten = !one.admissible;
    for (const std::size_t i : found.front) {
      beaten = beaten || (found.tried[i].payload_bytes() <= one.payload_bytes() && found.tried[i].loss <= one.loss);
    }
    EXPECT_TRUE(beaten);
  }
}

TEST(Compress, TheSameBytesOnOneThreadAndOnTwo) {
  const Car car;
  std::vector<std::vector<std::uint8_t>> payloads;
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    payloads.push_back(compress(car.player, *car.teacher, quick()).winner().embedding.payload());
  }
  EXPECT_EQ(payloads[0], payloads[1]);
}

TEST(Compress, AnImpossibleBudgetIsTold) {
  const Car car;
  CompressOptions options = quick();
  options.judge.max_loss = std::nullopt;
  options.judge.max_loss_return = -1000;
  EXPECT_FALSE(compress(car.player, *car.teacher, options).certificate->within_budget);
  options.judge.max_bytes = 2;
  EXPECT_THROW(compress(car.player, *car.teacher, options), Error);
}

TEST(Compress, PolishOnReturnEarnsMoreThanTheFit) {
  const Car car;
  CompressOptions options = quick();
  options.search.generations = 20;
  options.judge.select_episodes = 400;
  options.most_terms = 1;
  options.formats = {NumberFormat::int8};
  options.judge.keeps = {};
  options.polish = PolishBy::action;
  const double fitted = compress(car.player, *car.teacher, options).tried.front().loss;
  options.polish = PolishBy::returned;
  const double polished = compress(car.player, *car.teacher, options).tried.front().loss;
  EXPECT_LT(polished, fitted);
}

// All that the search needs of a task is a player: one that hides everything else leads it to the same bytes.
TEST(Compress, APlayerOfAnotherKindFindsTheSame) {
  const Car car;
  CompressOptions options = quick();
  options.lattice = true;
  const Compressed expected = compress(car.player, *car.teacher, options);
  for (const bool parallel : {true, false}) {
    const Stranger player(*car.env, car.env->return_range(car.env->task().time_limit), parallel);
    const Compressed found = compress(player, *car.teacher, options);
    ASSERT_EQ(found.tried.size(), expected.tried.size());
    for (std::size_t i = 0; i < found.tried.size(); ++i) {
      EXPECT_EQ(found.tried[i].embedding.payload(), expected.tried[i].embedding.payload());
      EXPECT_EQ(found.tried[i].loss, expected.tried[i].loss);
    }
    EXPECT_EQ(found.chosen, expected.chosen);
    EXPECT_EQ(found.certificate->upper_return, expected.certificate->upper_return);
    EXPECT_EQ(found.certificate->upper_percent, expected.certificate->upper_percent);
    EXPECT_EQ(found.certificate->level, Level::statistical);
    if (!parallel) {
      EXPECT_EQ(player.most_at_once(), 1);
    }
  }
}

TEST(Compress, WithoutARangeOfReturnsTheyAreCut) {
  const Car car;
  const Stranger player(*car.env, std::nullopt, true);
  const Certificate cut = compress(player, *car.teacher, quick()).certificate.value();
  EXPECT_EQ(cut.level, Level::statistical);
  ASSERT_TRUE(cut.cut);
  EXPECT_GT(cut.upper_return, cut.loss_return);
  CompressOptions options = quick();
  options.judge.method = LossMethod::student_t;
  const Certificate estimate = compress(player, *car.teacher, options).certificate.value();
  EXPECT_EQ(estimate.level, Level::estimate);
  EXPECT_EQ(estimate.method, LossMethod::student_t);
  ASSERT_EQ(estimate.rows.size(), 1u);
  EXPECT_EQ(estimate.rows[0].level, Level::estimate);
  EXPECT_GT(estimate.upper_return, estimate.loss_return);
}

TEST(Compress, UsualOptionsAskLessOfAPlayerThatPlaysOnePolicyAtATime) {
  const Car car;
  const CompressOptions fast = usual_options(car.player), slow = usual_options(Stranger(*car.env, std::nullopt, false));
  EXPECT_EQ(fast.judge.certify_episodes, CompressOptions{}.judge.certify_episodes);
  EXPECT_TRUE(fast.lattice && fast.polish == PolishBy::returned);
  EXPECT_EQ(slow.judge.certify_episodes, 4000u);
  EXPECT_EQ(slow.judge.select_episodes, 400u);
  EXPECT_TRUE(!slow.lattice && slow.polish == PolishBy::action);
  EXPECT_TRUE(slow.coarse && slow.then_on_return && slow.seconds == 120 && slow.search.generations == 20);
}

TEST(Compress, ACoarseSearchFindsWhatKeepsTheBudgetInFewerCandidates) {
  const Car car;
  CompressOptions options = quick();
  options.coarse = options.then_on_return = true;
  options.polish = PolishBy::action;
  options.judge.glance = 16;
  const Compressed found = compress(car.player, *car.teacher, options);
  EXPECT_FALSE(found.cut_short);
  EXPECT_TRUE(found.certificate->within_budget);
  const auto smaller = [&](const Candidate& one) { return one.payload_bytes() < found.winner().payload_bytes(); };
  EXPECT_TRUE(std::ranges::any_of(found.tried, smaller));
}

TEST(Compress, TimeThatRunsOutIsTold) {
  const Car car;
  CompressOptions options = quick();
  options.seconds = 1e-3;
  const Compressed found = compress(car.player, *car.teacher, options);
  EXPECT_TRUE(found.cut_short);
  EXPECT_EQ(found.tried.size(), options.formats.size());  // however little time there is, one size is tried
}
