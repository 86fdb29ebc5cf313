#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

using namespace mercer;

namespace {

// One step. The action names a lottery: it wins 1 with a probability that falls with |action|, and every lottery has
// draws of its own, so that the luck of many candidates is not the same luck.
class Lotteries : public Env {
 public:
  Lotteries() : Env(make()) {}
  static double chance(double action) { return 0.6 * (1 - std::abs(action)); }

  void reset(const Draws& draws, MatrixView<double> state) const override { draws.fill_uniform(state.row(0)); }
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < reward.size(); ++i) {
      const auto lottery = static_cast<std::uint32_t>(std::lround(1e6 * (1 + action(0, i))));
      Random random({draws.seed, draws.stage, draws.items[i], lottery});
      reward[i] = random.uniform() < chance(action(0, i)) ? 1 : 0;
      terminated[i] = 1;
    }
    (void)state;
  }

 private:
  static Task make() {
    Task task;
    task.name = "lotteries";
    task.state = task.observation = Space::box({{"u", {0, 1}, "", false}});
    task.action = Space::box({{"lottery", {-1, 1}, "", false}});
    task.reward = {0, 1};
    task.time_limit = 1;
    return task;
  }
};

FunctionPolicy playing(const Env& env, double action) {
  return {fmt::format("lottery {}", action), env.task(), [action](std::span<const double>, double) { return action; }};
}

SelectionOptions small_selection(std::uint64_t seed) {
  SelectionOptions options;
  options.max_loss = 0.2;
  options.select_episodes = 300;
  options.certify_episodes = 3000;
  options.seed = seed;
  return options;
}

}  // namespace

TEST(Selection, TakesTheSmallestThatKeepsTheBudget) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0), good = playing(env, 0.001), bad = playing(env, 0.5);
  SelectionOptions options = small_selection(1);
  options.max_loss = 0.1;
  options.certify_episodes = 20000;
  const Selection selection(player, teacher, options);
  const std::vector<MeasuredPolicy> policies{selection.measure(good, 90), selection.measure(bad, 5),
                                             selection.measure(good, 40)};
  const auto verdict = selection.certify(policies);
  EXPECT_EQ(verdict.chosen, 2u);
  EXPECT_TRUE(verdict.certificate.within_budget);
  EXPECT_EQ(verdict.certificate.attempt, 1u);
}

TEST(Selection, ChoosesTheNearestWhenNoneKeepsTheBudget) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0), worse = playing(env, 0.7), bad = playing(env, 0.4);
  const Selection selection(player, teacher, small_selection(1));
  const std::vector<MeasuredPolicy> policies{selection.measure(worse, 5), selection.measure(bad, 9)};
  const auto verdict = selection.certify(policies);
  EXPECT_EQ(verdict.chosen, 1u);
  EXPECT_FALSE(verdict.certificate.within_budget);
  EXPECT_GT(*verdict.certificate.upper_percent, 40);
}

TEST(Selection, OfEqualsThatKeepNoBudgetTheSmallerIsChosen) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0), bad = playing(env, 0.4);
  const Selection selection(player, teacher, small_selection(1));
  for (const std::size_t first : {9, 5000}) {
    const std::vector<MeasuredPolicy> policies{selection.measure(bad, first), selection.measure(bad, 5009 - first)};
    const auto verdict = selection.certify(policies);
    EXPECT_FALSE(verdict.certificate.within_budget);
    EXPECT_EQ(policies[verdict.chosen].bytes, 9u);
  }
}

TEST(Selection, TimeLimitsTheEpisodesThatCertify) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0), other = playing(env, 0.5);
  SelectionOptions options = small_selection(1);
  options.certify_episodes = 1000000000;
  options.certify_seconds = 1e-6;
  const Selection hurried(player, teacher, options);
  const std::vector<MeasuredPolicy> policies{hurried.measure(other, 5), hurried.measure(other, 6)};
  const Selection::Verdict verdict = hurried.certify(policies);
  EXPECT_EQ(verdict.certificate.episodes, 50U);  // however little time there is
  EXPECT_EQ(verdict.certificate.attempt, 1U);    // and no other is begun
}

TEST(Selection, AGlanceSufficesForWhatLosesFarTooMuch) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0), worst = playing(env, 1);
  SelectionOptions options = small_selection(1);
  options.max_loss = 0.05;
  const Selection all(player, teacher, options);
  options.glance = 16;
  const Selection one(player, teacher, options);
  EXPECT_EQ(one.measure(worst, 5).episodes, 16U);
  EXPECT_EQ(one.measure(playing(env, 0.2), 5).episodes, 96U);
  EXPECT_EQ(one.measure(teacher, 5).episodes, 300U);
  EXPECT_EQ(all.measure(worst, 5).episodes, 300U);
  EXPECT_FALSE(one.promising(one.measure(worst, 5)));
}

TEST(Selection, BytesAreABudgetToo) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0);
  SelectionOptions options = small_selection(1);
  options.max_bytes = 20;
  const Selection selection(player, teacher, options);
  EXPECT_TRUE(selection.fits(20));
  EXPECT_FALSE(selection.promising(selection.measure(teacher, 21)));
}

// Found out from the episodes of the choice, before anything is searched.
TEST(Selection, RefusesAPercentageOfAReturnThatMayBeZero) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy hopeless = playing(env, 1);  // never wins
  SelectionOptions options = small_selection(1);
  expect_error(ErrorCode::missing_option, "--max-loss-return", [&] { Selection(player, hopeless, options); });
  options.max_loss_return = 0.1;
  EXPECT_EQ(Selection(player, hopeless, options).teacher_return(), 0);
}

TEST(Selection, RefusesWhatItCannotDo) {
  const Lotteries env;
  const EnvPlayer player(env);
  const FunctionPolicy teacher = playing(env, 0);
  SelectionOptions none = small_selection(1);
  none.max_loss = std::nullopt;
  EXPECT_THROW(Selection(player, teacher, none), Error);
  SelectionOptions few = small_selection(1);
  few.select_episodes = 1;
  EXPECT_THROW(Selection(player, teacher, few), Error);
  EXPECT_THROW(Selection(player, teacher, small_selection(1)).certify({}), Error);
}
