#include "mercer/perturb.hpp"

#include <set>

#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(Perturb, reads_a_box) {
  const auto box = read_perturbations("pendulum", "m=0.8..1.2; noise=0..0.05;delay=1;");
  ASSERT_EQ(box.size(), 3);
  EXPECT_EQ(box[0].parameter.name, "m");
  EXPECT_EQ(box[0].parameter.nominal, 1);
  EXPECT_EQ(box[0].range.low, 0.8);
  EXPECT_EQ(box[0].range.high, 1.2);
  EXPECT_EQ(box[1].range.high, 0.05);
  EXPECT_EQ(box[2].range.low, 1);
  EXPECT_EQ(box[2].range.width(), 0);
  EXPECT_TRUE(box[2].parameter.integer);
}

TEST(Perturb, a_box_is_itself_a_task) {
  const auto box = read_perturbations("Pendulum-v1:g=9.81", "m=0.8..1.2; noise=0..0.05; delay=1");
  EXPECT_EQ(perturbed_spec("Pendulum-v1:g=9.81", box), "pendulum:g=9.81,m=0.8..1.2,noise=0..0.05,delay=1");
  const std::vector<double> values{0.1 + 0.2, 0.02, 0};
  const std::string point = perturbed_spec("pendulum", box, values);
  EXPECT_EQ(point, "pendulum:m=0.30000000000000004,noise=0.02,delay=0");  // to the bit
  EXPECT_EQ(make_env(perturbed_spec("pendulum", box))->task().name, "pendulum");
  EXPECT_EQ(perturbed_spec("some/mdp.json", read_perturbations("some/mdp.json", "delay=0..2")),
            "tabular:some/mdp.json,delay=0..2");
}

TEST(Perturb, refuses_what_is_wrong_with_a_box) {
  expect_error(ErrorCode::unknown_name,
               "no parameter of task 'cart-pole' is called 'maspole'. Did you mean 'masspole'?",
               [] { read_perturbations("cart-pole", "maspole=0.1..0.2"); });
  expect_error(ErrorCode::unknown_name, "Known: noise, action_noise, delay, lag, levels",
               [] { read_perturbations("chain", "mass=1..2"); });
  expect_error(ErrorCode::out_of_range, "the perturbation: m is 100; legal: 0.1 to 10",
               [] { read_perturbations("pendulum", "m=1..100"); });
  expect_error(ErrorCode::bad_value, "m is perturbed and given twice",
               [] { read_perturbations("pendulum", "m=1..2; m=3"); });
  expect_error(ErrorCode::bad_value,
               "m is perturbed and given in task 'pendulum:m=1.2'. Name the task without it: --env pendulum",
               [] { read_perturbations("pendulum:m=1.2", "m=1..2"); });
  expect_error(ErrorCode::bad_value, "perturbation 'delay' has no value",
               [] { read_perturbations("pendulum", "m=1..2; delay"); });
  expect_error(ErrorCode::bad_value, "delay is 1.5, which is not an integer",
               [] { read_perturbations("pendulum", "delay=0..1.5"); });
  expect_error(ErrorCode::missing_option, "no perturbation in ' ; '", [] { read_perturbations("pendulum", " ; "); });
}

TEST(Perturb, a_grid_has_all_combinations_and_the_nominal_point_first) {
  const auto box = read_perturbations("pendulum", "m=0.8..1.2; delay=0..1");
  const auto grid = grid_of(box, 3);
  ASSERT_EQ(grid.size(), 6);
  EXPECT_EQ(grid[0], (std::vector<double>{1, 0}));
  EXPECT_EQ(grid[1], (std::vector<double>{0.8, 0}));
  EXPECT_EQ(grid[2], (std::vector<double>{0.8, 1}));
  EXPECT_EQ(grid[3], (std::vector<double>{1, 1}));
  EXPECT_EQ(grid[5], (std::vector<double>{1.2, 1}));
  EXPECT_EQ(std::set(grid.begin(), grid.end()).size(), 6);

  // Inside the box, but between the values: one point more.
  const auto between = grid_of(read_perturbations("pendulum", "m=0.5..1.2"), 2);
  EXPECT_EQ(between, (std::vector<std::vector<double>>{{1}, {0.5}, {1.2}}));
  // Not in the box: none.
  const auto outside = grid_of(read_perturbations("pendulum", "m=1.5..2; delay=1"), 3);
  EXPECT_EQ(outside, (std::vector<std::vector<double>>{{1.5, 1}, {1.75, 1}, {2, 1}}));
  EXPECT_EQ(grid_of(read_perturbations("pendulum", "delay=2..5"), 3),
            (std::vector<std::vector<double>>{{2}, {4}, {5}}));
  EXPECT_EQ(grid_of(read_perturbations("pendulum", "m=2..4; delay=2..5"), 1),
            (std::vector<std::vector<double>>{{3, 3}}));
  expect_error(ErrorCode::too_large, "a grid of 11 values of each of 3 parameters has more than 1000 points",
               [] { grid_of(read_perturbations("pendulum", "m=1..2; g=9..10; l=1..2"), 11); });
}

// A task may have a setting that is called like a disturbance: it keeps it.
TEST(Perturb, a_tasks_own_settings_come_first) {
  register_env({"own-noise", "a test", "noise=0.1", [](Params& params) {
                  params.number("noise", 0.1, 0, 10);
                  return make_env("pendulum");
                }});
  EXPECT_EQ(make_env("own-noise:noise=7")->task().state.dimensions(), 2);
  EXPECT_EQ(make_env("own-noise:noise=7,delay=1")->task().state.dimensions(), 4);
  expect_error(ErrorCode::unknown_name, "no parameter of task 'own-noise' is called 'noise'",
               [] { read_perturbations("own-noise", "noise=0..1"); });
}

}  // namespace
}  // namespace mercer
