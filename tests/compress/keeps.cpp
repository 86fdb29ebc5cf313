#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/compress.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "support/function_policy.hpp"

// The smallest embedding that keeps the policy, not only its return.

namespace mercer {
namespace {

FunctionPolicy holding(const Task& task, double sharp) {
  return {"holding", task, [sharp](std::span<const double> seen, double) {
            return std::clamp(sharp * (seen[0] > 0 ? -8 * seen[1] - 2 * seen[2] : 2 * seen[2]), -2.0, 2.0);
          }};
}

SelectionOptions quick() {
  SelectionOptions options;
  options.max_loss = std::nullopt;
  options.max_loss_return = 1000;
  options.select_episodes = 200;
  options.certify_episodes = 20000;
  return options;
}

TEST(Keeps, what_chatters_is_not_chosen_however_small) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = holding(env->task(), 1), rough = holding(env->task(), 50),
                       smooth = holding(env->task(), 0.95);
  for (const Keep keep : {Keep::behaviour, Keep::returned}) {
    SelectionOptions options = quick();
    options.keeps = keeps_of(keep);
    const Selection selection(player, teacher, options);
    const std::vector<MeasuredPolicy> policies{selection.measure(rough, 5), selection.measure(smooth, 50)};
    EXPECT_GT(policies[0].behaviour.motion.roughness, 10 * policies[1].behaviour.motion.roughness);
    EXPECT_EQ(selection.admissible(policies[0]), keep == Keep::returned);
    EXPECT_TRUE(selection.admissible(policies[1]));
    const auto verdict = selection.certify(policies);
    EXPECT_EQ(verdict.chosen, keep == Keep::behaviour ? 1u : 0u);
    EXPECT_TRUE(verdict.certificate.within_budget);
  }
}

TEST(Keeps, where_all_chatter_the_smoothest_is_certified_and_does_not_keep_the_budget) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = holding(env->task(), 1), rougher = holding(env->task(), 50),
                       rough = holding(env->task(), 4);
  const Selection selection(player, teacher, quick());
  const std::vector<MeasuredPolicy> policies{selection.measure(rougher, 5), selection.measure(rough, 50)};
  ASSERT_LT(policies[1].excess, policies[0].excess);
  ASSERT_GT(policies[1].excess, 0);
  const auto verdict = selection.certify(policies);
  EXPECT_EQ(verdict.chosen, 1u);
  EXPECT_FALSE(verdict.certificate.within_budget);
}

TEST(Keeps, the_aim_of_a_search_is_the_loss_and_a_penalty) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = holding(env->task(), 1), rough = holding(env->task(), 50);
  SelectionOptions options = quick();
  options.keeps.distance = 0.1;
  const Selection selection(player, teacher, options);
  const Aim aim = selection.aim();
  // Below the limits, so that what ends at the aim passes.
  EXPECT_LT(*aim.roughness, 1.25 * selection.teacher_behaviour().motion.roughness + 0.005);
  EXPECT_LT(*aim.distance, 0.1);
  EXPECT_FALSE(aim.failures);  // the pendulum cannot fail
  for (const Policy* policy : {static_cast<const Policy*>(&teacher), static_cast<const Policy*>(&rough)}) {
    const auto outcomes =
        player.play(*policy, {.count = 50, .seed = 6, .act = Act::mean, .motion = true, .compared = &teacher});
    double earned = 0;
    for (const Outcome& one : outcomes) earned += one.total / 50;
    const Behaviour mean = behaviour_of(outcomes, player.task());
    const double expected = (aim.teacher_return - earned) / aim.budget +
                            10 * std::max(0.0, mean.motion.roughness / *aim.roughness - 1) +
                            10 * std::max(0.0, mean.distance / *aim.distance - 1);
    EXPECT_NEAR(aim.cost(player, *policy, 50, 6, Act::mean), expected, 1e-9 * std::abs(expected) + 1e-12);
    EXPECT_NEAR(Aim{}.cost(player, *policy, 50, 6, Act::mean), -earned, 1e-9 * std::abs(earned));
  }
}

// The policy of the README, which chatters when only its return is kept.
TEST(Keeps, a_real_agent_stays_smooth) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const auto teacher = make_policy(std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx", env->task());
  CompressOptions options;
  options.lattice = false;
  options.judge.seed = 1;
  options.judge.max_loss = 0.03;
  options.judge.select_episodes = 1000;
  options.judge.certify_episodes = 20000;
  options.search.generations = 30;
  options.search.episodes = 128;
  options.dictionaries = {DictionaryOptions{}};
  const Compressed smooth = compress(player, *teacher, options);
  ASSERT_TRUE(smooth.certificate && smooth.certificate->within_budget);
  const double allowed = 1.25 * smooth.teacher.motion.roughness + 0.005;
  EXPECT_LE(smooth.winner().behaviour.motion.roughness, allowed);
  EXPECT_TRUE(smooth.winner().admissible);
  for (const std::size_t i : smooth.front) EXPECT_TRUE(smooth.tried[i].admissible);
  options.judge.keeps = {};
  const Compressed by_return = compress(player, *teacher, options);
  EXPECT_GT(by_return.winner().behaviour.motion.roughness, 3 * allowed);
  EXPECT_LE(by_return.winner().payload_bytes(), smooth.winner().payload_bytes());
  fmt::print("kept: {} bytes, roughness {:.4f} of {:.4f} allowed; by return alone: {} bytes, roughness {:.4f}\n",
             smooth.winner().payload_bytes(), smooth.winner().behaviour.motion.roughness, allowed,
             by_return.winner().payload_bytes(), by_return.winner().behaviour.motion.roughness);
}

}  // namespace
}  // namespace mercer
