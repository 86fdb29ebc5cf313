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

// Ten steps; the reward is 1 for an action at the target, which is all that is seen.
class Target : public Env {
 public:
  explicit Target(double target) : Env(make()), target_(target) {}
  void reset(const Draws&, MatrixView<double> state) const override { std::ranges::fill(state.row(0), target_); }
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(terminated, std::uint8_t{0});
    for (std::size_t i = 0; i < reward.size(); ++i) reward[i] = 1 - std::abs(action(0, i) - state(0, i)) / 2;
  }

 private:
  static Task make() {
    Task task;
    task.name = "target";
    task.state = task.observation = task.action = Space::box({{"place", {-1, 1}, "", false}});
    task.reward = {0, 1};
    task.time_limit = 10;
    return task;
  }
  double target_;
};

TEST(Keeps, a_loss_at_one_point_of_a_grid_is_not_hidden_by_the_rest) {
  const Target here(0.1), there(0.6);
  const EnvPlayer player(here);
  const FunctionPolicy teacher{"follows", here.task(), [](std::span<const double> seen, double) { return seen[0]; }},
      still{"stands still", here.task(), [](std::span<const double>, double) { return 0.1; }};
  SelectionOptions options = quick();
  options.max_loss_return = 1;
  for (const bool with_point : {false, true}) {
    if (with_point) options.points = {std::make_shared<EnvPlayer>(here), std::make_shared<EnvPlayer>(there)};
    const Selection selection(player, teacher, options);
    const std::vector<MeasuredPolicy> policies{selection.measure(still, 5), selection.measure(teacher, 50)};
    EXPECT_EQ(selection.admissible(policies[0]), !with_point);
    // It loses a quarter of each of ten steps there: 2.5 where 1 is allowed.
    if (with_point) {
      EXPECT_NEAR(policies[0].excess, 1.5, 1e-9);
    }
    EXPECT_EQ(selection.certify(policies).chosen, with_point ? 1u : 0u);
    const Aim aim = selection.aim();
    const double moves = 10 * (2.5 / 0.95 - 1);  // the aim is at 95% of the budget
    EXPECT_NEAR(aim.cost(player, still, 4, 6, Act::mean), with_point ? moves : 0, 1e-9);
    EXPECT_NEAR(aim.cost(player, teacher, 4, 6, Act::mean), 0, 1e-9);
  }
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
                       rough = holding(env->task(), 20);
  const Selection selection(player, teacher, quick());
  const std::vector<MeasuredPolicy> policies{selection.measure(rougher, 5), selection.measure(rough, 50)};
  for (const MeasuredPolicy& one : policies) ASSERT_GT(one.excess, 1);
  const auto verdict = selection.certify(policies);
  EXPECT_EQ(verdict.chosen, policies[0].excess < policies[1].excess ? 0u : 1u);
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
