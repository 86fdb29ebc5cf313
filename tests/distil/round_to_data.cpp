#include "distil/round_to_data.hpp"

#include <gtest/gtest.h>

#include "distil/imitate.hpp"
#include "mercer/env.hpp"

namespace mercer::distil {
namespace {

struct Rounded {
  double plain = 0, by_data = 0;  // mean squared change of the action on other states
};

InputScale scale_of(const Task& task) {
  InputScale scale;
  for (const Axis& axis : task.observation.axes) scale.coordinates.push_back({axis.range});
  scale.reach = {2, 2, 4};
  scale.centre = {0, 0, 0};
  return scale;
}

// A student of random numbers on states that it visits itself.
Rounded rounded_both_ways(std::size_t ridges, bool linear, Squash squash, const RidgeGrid& grid, std::uint64_t seed) {
  const auto env = make_env("pendulum");
  const EnvPlayer player(*env);
  Student student = initial_student(shape_for(env->task(), ridges, linear, squash), scale_of(env->task()), seed);
  Random random({seed, Stage::simulate, 0, 0});
  for (float& number : student.numbers) number += static_cast<float>(0.4 * random.normal());
  const auto policy = policy_of(student, env->task());
  Labelled data(*policy, env->task(), 50'000, 1);
  data.add(player.roll_out(*policy, {100, 3, Act::mean}));
  Student plain = student;
  plain.numbers = rounded(student, fitting_rounding(student, grid));
  const RoundedStudent found = round_to_data(student, grid, data, 1);
  // It is on its own grid, so that the payload holds it as it is.
  EXPECT_LT((rounded(found.student, found.rounding) - found.student.numbers).cwiseAbs().maxCoeff(), 1e-5);
  return {imitation_error(plain, data, 4000, 2), imitation_error(found.student, data, 4000, 2)};
}

TEST(RoundToData, changes_actions_less_than_rounding_each_number) {
  double plain = 0, by_data = 0;
  std::size_t better = 0, all = 0;
  for (const Squash squash : {Squash::tanh, Squash::none}) {
    for (const bool linear : {false, true}) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Rounded one = rounded_both_ways(8, linear, squash, {5, 6}, seed);
        plain += one.plain;
        by_data += one.by_data;
        better += one.by_data < one.plain ? 1 : 0;
        ++all;
      }
    }
  }
  std::cout << "mean squared change " << plain / static_cast<double>(all) << " rounding each number, "
            << by_data / static_cast<double>(all) << " by data; less in " << better << " of " << all << "\n";
  EXPECT_LT(by_data, plain / 2);
  EXPECT_GE(better, 3 * all / 4);
}

// In parts, with nothing learned in between, it ends on the grid as well, and about as near.
TEST(RoundToData, in_parts_ends_on_the_grid_and_leaves_alone_what_is_held) {
  const auto env = make_env("pendulum");
  const EnvPlayer player(*env);
  const InputScale scale = scale_of(env->task());
  const RidgeShape shape = shape_for(env->task(), 8, true);
  double whole = 0, parts = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Student student = initial_student(shape, scale, seed);
    const auto policy = policy_of(student, env->task());
    Labelled data(*policy, env->task(), 50'000, 1);
    data.add(player.roll_out(*policy, {100, 3, Act::mean}));
    const RidgeGrid grid{5, 6};
    RoundedStudent one{student, fitting_rounding(student, grid)};
    for (const Index held : {0, 4, 6}) {
      const Index end = held == 0 ? 4 : held == 4 ? 6 : 8;
      const RoundedStudent next = round_ridges(one, held, end, data, 1);
      const auto numbers = [&](Index begin, Index to, const RoundedStudent& of) {
        return of.student.numbers.segment(begin * shape.ridge_row(), (to - begin) * shape.ridge_row()).eval();
      };
      EXPECT_EQ(numbers(0, held, next), numbers(0, held, one));
      EXPECT_EQ(numbers(end, 8, next), numbers(end, 8, one));
      const Student on_grid{shape, scale, rounded(next.student, next.rounding)};
      EXPECT_LT((numbers(0, end, {on_grid, {}}) - numbers(0, end, next)).cwiseAbs().maxCoeff(), 1e-5);
      one = next;
    }
    one = round_coefficients(one, data, 1);
    EXPECT_LT((rounded(one.student, one.rounding) - one.student.numbers).cwiseAbs().maxCoeff(), 1e-5);
    parts += imitation_error(one.student, data, 4000, 2);
    whole += imitation_error(round_to_data(student, grid, data, 1).student, data, 4000, 2);
  }
  std::cout << "mean squared change " << whole / 6 << " at once, " << parts / 6 << " in parts\n";
  EXPECT_LT(parts, 2 * whole);
}

TEST(RoundToData, takes_students_without_ridges) {
  const Rounded one = rounded_both_ways(0, true, Squash::tanh, {4, 4}, 3);
  EXPECT_LT(one.by_data, 2 * one.plain);
}

}  // namespace
}  // namespace mercer::distil
