#include "mercer/compress.hpp"

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"

using namespace mercer;

namespace {

struct Car {
  std::unique_ptr<Env> env = make_env("continuous-mountain-car");
  std::unique_ptr<Policy> teacher =
      make_policy(std::string(MERCER_TEST_DATA) + "/policies/cmc_sde_10000_actor.onnx", env->task());
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
  const Compressed found = compress(*car.env, *car.teacher, quick(), [&](const Candidate&, bool) { ++told; });
  EXPECT_TRUE(found.certificate.within_budget);
  EXPECT_LE(*found.certificate.upper_percent, 20);
  EXPECT_LT(found.winner().payload_bytes(), 16u);
  EXPECT_EQ(told, found.tried.size());
  // Fresh episodes: another sample of the same loss, within what chance allows.
  const double teacher = mean_return(*car.env, *car.teacher, 500, 77, Act::mean);
  const double own = mean_return(*car.env, found.winner().embedding.policy(), 500, 77, Act::mean);
  EXPECT_LE(100 * (teacher - own) / teacher, *found.certificate.upper_percent + 10);
}

TEST(Compress, TheFrontRisesInBytesAndFallsInLoss) {
  const Car car;
  const Compressed found = compress(*car.env, *car.teacher, quick());
  ASSERT_FALSE(found.front.empty());
  for (std::size_t i = 1; i < found.front.size(); ++i) {
    const Candidate &before = found.tried[found.front[i - 1]], &now = found.tried[found.front[i]];
    EXPECT_LT(before.payload_bytes(), now.payload_bytes());
    EXPECT_GT(before.loss, now.loss);
  }
  for (const Candidate& one : found.tried) {  // nobody beats the front
    bool beaten = false;
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
    payloads.push_back(compress(*car.env, *car.teacher, quick()).winner().embedding.payload());
  }
  EXPECT_EQ(payloads[0], payloads[1]);
}

TEST(Compress, AnImpossibleBudgetIsTold) {
  const Car car;
  CompressOptions options = quick();
  options.judge.max_loss = std::nullopt;
  options.judge.max_loss_return = -1000;
  EXPECT_FALSE(compress(*car.env, *car.teacher, options).certificate.within_budget);
  options.judge.max_bytes = 2;
  EXPECT_THROW(compress(*car.env, *car.teacher, options), Error);
}

TEST(Compress, PolishOnReturnEarnsMoreThanTheFit) {
  const Car car;
  CompressOptions options = quick();
  options.search.generations = 20;
  options.judge.select_episodes = 400;
  options.most_terms = 1;
  options.formats = {NumberFormat::int8};
  options.polish = PolishBy::action;
  const double fitted = compress(*car.env, *car.teacher, options).tried.front().loss;
  options.polish = PolishBy::returned;
  const double polished = compress(*car.env, *car.teacher, options).tried.front().loss;
  EXPECT_LT(polished, fitted);
}

TEST(CompressStates, PromisesActionsAndNoReturn) {
  const Car car;
  RolloutOptions playing;
  playing.episodes = 60;
  playing.act = Act::mean;
  const StateMatrix states = pick_states(rollout(*car.env, *car.teacher, playing), 6000);
  StatesOptions options;
  options.max_error = 0.05;
  const Compressed found = compress_states(*car.teacher, states.view(), options);
  EXPECT_TRUE(found.certificate.within_budget);
  EXPECT_LE(*found.certificate.upper_percent, 5);
  EXPECT_GE(*found.certificate.upper_percent, found.certificate.loss_percent);
  EXPECT_NE(found.certificate.not_covered.front().find("return"), std::string::npos);
  options.max_error = 1e-6;
  options.most_terms = 3;
  EXPECT_FALSE(compress_states(*car.teacher, states.view(), options).certificate.within_budget);
}

TEST(CompressStates, RefusesTooFewStates) {
  const Car car;
  const std::vector<double> one(2 * 29, 0.0);
  EXPECT_THROW(compress_states(*car.teacher, {one.data(), 2, 29}, {}), Error);
}
