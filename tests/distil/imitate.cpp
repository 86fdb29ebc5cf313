#include "distil/imitate.hpp"

#include <gtest/gtest.h>

#include "mercer/env.hpp"

namespace mercer::distil {
namespace {

InputScale scale_for(const Task& task) {
  InputScale out;
  for (const Axis& axis : task.observation.axes) {
    out.coordinates.push_back({is_bounded(axis) ? axis.range : Range{-4, 4}});
    out.reach.push_back(4);
  }
  return out;
}

// A student that the pupil can become exactly.
Student hidden_student(const Task& task, std::size_t ridges, std::uint64_t seed) {
  Student student{shape_for(task, ridges, true), scale_for(task), {}};
  student.numbers.resize(student.shape.size());
  Random random({seed, Stage::simulate, 0, 0});
  for (float& number : student.numbers) number = static_cast<float>(0.6 * random.normal());
  return student;
}

struct Imitated {
  double before = 0, after = 0;
  std::size_t states = 0;
};
Imitated imitation_of(const std::string& name, std::size_t ridges) {
  const auto env = make_env(name);
  const EnvPlayer player(*env);
  const auto teacher = policy_of(hidden_student(env->task(), ridges, 4), env->task());
  Labelled data(*teacher, env->task(), 20'000, 1);
  data.add(player.roll_out(*teacher, {8, 3, Act::mean}));
  const RidgeShape shape = shape_for(env->task(), ridges, true);
  Student pupil{shape, scale_for(env->task()), initial_numbers(shape, 9)};
  ImitateOptions options;
  options.rounds = 6;
  options.steps = 800;
  options.updates = 300;
  options.batch = 256;
  options.rate = 1e-2;
  const double before = imitation_error(pupil, data, 2000, 1);
  imitate(pupil, player, data, options);
  return {before, imitation_error(pupil, data, 2000, 1), data.size()};
}

TEST(Imitate, becomes_a_student_of_its_own_shape) {
  const Imitated box = imitation_of("pendulum", 2);
  EXPECT_GT(box.before, 0.05);
  EXPECT_LT(box.after, 0.02 * box.before);
}

TEST(Imitate, learns_choices) {
  const Imitated choice = imitation_of("cart-pole", 2);
  EXPECT_GT(choice.before, 0.3);
  EXPECT_LT(choice.after, 0.3 * choice.before);
}

TEST(Imitate, is_the_same_on_one_thread_and_on_two) {
  const auto run = [](std::size_t threads) {
    const ThreadLimit limit(threads);
    return imitation_of("pendulum", 1);
  };
  const Imitated one = run(1), two = run(2);
  EXPECT_EQ(one.after, two.after);
  EXPECT_EQ(one.states, two.states);
}

TEST(Labelled, holds_what_the_teacher_does_and_no_more_than_asked) {
  const auto env = make_env("pendulum");
  const EnvPlayer player(*env);
  const auto teacher = policy_of(hidden_student(env->task(), 2, 6), env->task());
  Labelled data(*teacher, env->task(), 500, 1);
  data.add(player.roll_out(*teacher, {5, 3, Act::mean}));
  EXPECT_EQ(data.size(), 500U);
  const StateMatrix states = data.states();
  const std::vector<double> actions = mean_actions(*teacher, states.view());
  std::vector<std::size_t> chosen(data.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
  Matrix<float> input(3, 500), label(1, 500);
  const InputScale scale = scale_for(env->task());
  data.gather(chosen, scale, input, label);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_NEAR(label(0, static_cast<Index>(i)), actions[i] / 2, 1e-5);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(input(static_cast<Index>(d), static_cast<Index>(i)),
                  4 * scale.coordinates[d].apply(states.view()(d, i)), 1e-5);
    }
  }
}

// Coefficients of one ridge are made ten times those of the other.
TEST(RidgeWeights, rank_ridges_by_what_goes_through_them) {
  const auto env = make_env("pendulum");
  const EnvPlayer player(*env);
  Student student = hidden_student(env->task(), 2, 7);
  const Index begin = student.shape.output_begin();
  student.numbers[begin + 1] = 10 * student.numbers[begin];
  student.numbers.segment(student.shape.ridge_row(), student.shape.ridge_row()) =
      student.numbers.head(student.shape.ridge_row()).eval();
  const auto teacher = policy_of(student, env->task());
  Labelled data(*teacher, env->task(), 5000, 1);
  data.add(player.roll_out(*teacher, {5, 3, Act::mean}));
  const Vector<double> weights = ridge_weights(student, data, 1);
  EXPECT_NEAR(weights[1] / weights[0], 100, 1e-3);
}

}  // namespace
}  // namespace mercer::distil
