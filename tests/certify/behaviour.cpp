#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/certify.hpp"
#include "mercer/env.hpp"
#include "support/function_policy.hpp"
#include "support/stranger.hpp"

// What certificates promise besides the return.

namespace mercer {
namespace {

// Holds the pendulum up; `sharp` makes it switch between its bounds.
FunctionPolicy holding(const Task& task, double sharp) {
  return {"holding", task, [sharp](std::span<const double> seen, double) {
            return std::clamp(sharp * (seen[0] > 0 ? -8 * seen[1] - 2 * seen[2] : 2 * seen[2]), -2.0, 2.0);
          }};
}

FunctionPolicy balancing(const Task& task, double gain) {
  return {"balancing", task, [gain](std::span<const double> seen, double noise) {
            return seen[2] + gain * seen[3] + 0.02 * noise > 0 ? 1.0 : 0.0;
          }};
}

const Promise& promise(const Certificate& certificate, Quantity about) {
  const auto found = std::ranges::find(certificate.promises, about, &Promise::about);
  if (found == certificate.promises.end()) throw std::runtime_error("no promise about " + std::string(name(about)));
  return *found;
}

CertifyOptions plain(std::size_t episodes, std::uint64_t seed) {
  CertifyOptions options;
  options.episodes = episodes;
  options.seed = seed;
  options.levels = {};
  options.act = Act::mean;
  return options;
}

// Means over so many other episodes that they stand for the truth.
struct Truth {
  Behaviour teacher, student;
  double on_teacher = 0;
};
Truth truth_of(const Player& player, const Policy& teacher, const Policy& student) {
  Episodes episodes{.count = 20000, .seed = 999, .act = Act::mean, .motion = true};
  Truth out;
  episodes.compared = &student;
  out.teacher = behaviour_of(player.play(teacher, episodes), player.task());
  out.on_teacher = out.teacher.distance;
  episodes.compared = &teacher;
  out.student = behaviour_of(player.play(student, episodes), player.task());
  return out;
}

TEST(CertifyBehaviour, measured_and_true_values_are_below_what_is_promised) {
  const auto pendulum = make_env("pendulum", 0), cart = make_env("cart-pole", 0);
  struct Case {
    const Env& env;
    FunctionPolicy teacher, student;
  };
  const Case cases[] = {{*pendulum, holding(pendulum->task(), 1), holding(pendulum->task(), 50)},
                        {*pendulum, holding(pendulum->task(), 50), holding(pendulum->task(), 1)},
                        {*cart, balancing(cart->task(), 0.5), balancing(cart->task(), 0.05)},
                        {*cart, balancing(cart->task(), 0.1), balancing(cart->task(), 0.2)}};
  for (const Case& one : cases) {
    const EnvPlayer player(one.env);
    const Truth truth = truth_of(player, one.teacher, one.student);
    CertifyOptions options = plain(400, 7);
    for (const double factor : {0.0, 1.0, 1.25}) {
      options.keeps.roughness = Limit{factor, 0.005};
      options.keeps.failures = Limit{factor, 0.01};
      options.all_episodes = true;
      const Certificate made = certify(player, one.teacher, one.student, options);
      const Promise& rough = promise(made, Quantity::roughness);
      const double excess = truth.student.motion.roughness - factor * truth.teacher.motion.roughness;
      EXPECT_EQ(rough.factor, factor);
      EXPECT_LE(rough.measured, rough.alone);
      EXPECT_LE(rough.alone, rough.upper);
      EXPECT_LE(excess, rough.upper);
      EXPECT_EQ(rough.kept(), rough.alone <= 0.005);
      EXPECT_NEAR(rough.embedding, truth.student.motion.roughness, 0.05);
      const Promise& there = promise(made, Quantity::distance_teacher);
      const Promise& here = promise(made, Quantity::distance_embedding);
      EXPECT_LE(truth.on_teacher, there.upper);
      EXPECT_LE(truth.student.distance, here.upper);
      EXPECT_FALSE(there.budget || here.budget);
      fmt::print("{} factor {}: roughness {:.4f} <= {:.4f}, distances {:.4f} <= {:.4f}, {:.4f} <= {:.4f}",
                 one.env.task().name, factor, excess, rough.upper, truth.on_teacher, there.upper,
                 truth.student.distance, here.upper);
      if (one.env.task().ending != Ending::plain) {
        const Promise& fails = promise(made, Quantity::failures);
        const double more = truth.student.failures - factor * truth.teacher.failures;
        EXPECT_LE(more, fails.upper);
        EXPECT_EQ(fails.factor, factor);
        fmt::print(", failures {:.4f} <= {:.4f}", more, fails.upper);
      }
      fmt::print("\n");
      ASSERT_TRUE(made.motion);
      EXPECT_NEAR(made.motion->teacher.effort, truth.teacher.motion.effort, 0.05);
      EXPECT_NEAR(made.motion->embedding.saturation, truth.student.motion.saturation, 0.05);
      EXPECT_EQ(made.within_budget, std::ranges::all_of(made.promises, &Promise::kept));
    }
  }
}

TEST(CertifyBehaviour, chatter_that_gains_return_is_refused_early) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = holding(env->task(), 1), rough = holding(env->task(), 50);
  CertifyOptions options = plain(100000, 3);
  options.max_loss_return = 1000;  // far more than it can lose
  const Certificate by_return = certify(player, teacher, rough, options);
  EXPECT_TRUE(by_return.within_budget);
  options.keeps = keeps_of(Keep::behaviour);
  const Certificate by_behaviour = certify(player, teacher, rough, options);
  EXPECT_FALSE(by_behaviour.within_budget);
  EXPECT_FALSE(promise(by_behaviour, Quantity::roughness).kept());
  EXPECT_LE(by_behaviour.episodes, 2000u);  // the first looks decide it
}

TEST(CertifyBehaviour, a_distance_can_be_a_budget) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = holding(env->task(), 1), other = holding(env->task(), 1.02);
  CertifyOptions options = plain(2000, 3);
  for (const double allowed : {0.5, 1e-4}) {
    options.keeps.distance = allowed;
    const Certificate made = certify(player, teacher, other, options);
    EXPECT_EQ(made.within_budget, allowed == 0.5);
    EXPECT_EQ(promise(made, Quantity::distance_teacher).budget, allowed);
    EXPECT_EQ(promise(made, Quantity::distance_embedding).budget, allowed);
  }
}

TEST(CertifyBehaviour, an_estimate_estimates_it_too) {
  const auto env = make_env("cart-pole", 0);
  const Stranger player(*env, std::nullopt, true);
  const FunctionPolicy teacher = balancing(env->task(), 0.5), other = balancing(env->task(), 0.05);
  CertifyOptions options = plain(500, 3);
  options.method = LossMethod::student_t;
  options.keeps = keeps_of(Keep::behaviour);
  const Certificate made = certify(player, teacher, other, options);
  EXPECT_EQ(made.level, Level::estimate);
  for (const Quantity about : {Quantity::failures, Quantity::roughness, Quantity::distance_teacher}) {
    const Promise& one = promise(made, about);
    EXPECT_GE(one.upper, one.alone);
    EXPECT_GE(one.alone, one.measured);
  }
}

TEST(CertifyBehaviour, behaviour_keeps_what_its_words_say) {
  const Keeps keeps = keeps_of(Keep::behaviour);
  EXPECT_EQ(keeps.roughness->factor, 1.25);
  EXPECT_EQ(keeps.roughness->plus, 0.005);
  EXPECT_EQ(keeps.failures->factor, 1);
  EXPECT_EQ(keeps.failures->plus, 0.01);
  EXPECT_FALSE(keeps.distance);
  EXPECT_FALSE(keeps_of(Keep::returned).any());
}

}  // namespace
}  // namespace mercer
