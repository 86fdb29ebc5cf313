#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/train.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// The field may be of the options all learners share.
template <class Options, class Owner, class Field, class Value>
void expect_refused(Field Owner::*field, Value value, const std::string& part) {
  Options options;
  options.*field = static_cast<Field>(value);
  expect_error(ErrorCode::out_of_range, part, [&] { check_options(options); });
}

TEST(LearnOptions, the_defaults_are_the_published_ones) {
  const LearnOptions options;
  EXPECT_EQ(options.hidden, (std::vector<std::size_t>{256, 256}));
  EXPECT_EQ(options.learning_rate, 1e-3);
  EXPECT_EQ(options.batch_size, 256U);
  EXPECT_EQ(options.gamma, 0.99);
  check_options(SacOptions{});
  check_options(DqnOptions{});
  check_options(ArsOptions{});
}

TEST(LearnOptions, what_is_out_of_range_is_named) {
  using Widths = std::vector<std::size_t>;
  expect_refused<SacOptions>(&SacOptions::hidden, Widths{64, 0}, "width of a hidden layer is 0");
  expect_refused<SacOptions>(&SacOptions::hidden, Widths(9, 4), "number of hidden layers is 9");
  expect_refused<SacOptions>(&SacOptions::learning_rate, 0, "learning-rate is 0");
  expect_refused<SacOptions>(&SacOptions::learning_rate, NAN, "learning-rate is nan");
  expect_refused<SacOptions>(&SacOptions::batch_size, 1, "batch-size is 1");
  expect_refused<DqnOptions>(&DqnOptions::gamma, 1.5, "gamma is 1.5");
  expect_refused<DqnOptions>(&DqnOptions::gamma, NAN, "gamma is nan");
  expect_refused<DqnOptions>(&DqnOptions::buffer, 0, "buffer is 0");
  expect_refused<DqnOptions>(&DqnOptions::warmup, 0, "warmup is 0");
  expect_refused<DqnOptions>(&DqnOptions::train_every, 0, "train-every is 0");
  expect_refused<DqnOptions>(&DqnOptions::updates, 1001, "updates is 1001");
  expect_refused<SacOptions>(&SacOptions::tau, 0, "tau is 0");
  expect_refused<SacOptions>(&SacOptions::initial_alpha, -1, "initial-alpha is -1");
  expect_refused<SacOptions>(&SacOptions::target_entropy, INFINITY, "target-entropy is inf");
  expect_refused<SacOptions>(&SacOptions::noise_correlation, 1, "noise-correlation is 1");
  expect_refused<DqnOptions>(&DqnOptions::epsilon_start, 1.1, "epsilon-start is 1.1");
  expect_refused<DqnOptions>(&DqnOptions::epsilon_end, -0.1, "epsilon-end is -0.1");
  expect_refused<DqnOptions>(&DqnOptions::epsilon_steps, 0, "epsilon-steps is 0");
  expect_refused<DqnOptions>(&DqnOptions::epsilon_run, 0.5, "epsilon-run is 0.5");
  expect_refused<DqnOptions>(&DqnOptions::target_every, 0, "target-every is 0");
  expect_refused<DqnOptions>(&DqnOptions::max_gradient_norm, 0, "max-gradient-norm is 0");
  expect_refused<ArsOptions>(&ArsOptions::directions, 0, "directions is 0");
  expect_refused<ArsOptions>(&ArsOptions::best, 17, "best is 17");
  expect_refused<ArsOptions>(&ArsOptions::best, 0, "best is 0");
  expect_refused<ArsOptions>(&ArsOptions::step_size, NAN, "step-size is nan");
  expect_refused<ArsOptions>(&ArsOptions::noise, 0, "search-noise is 0");
}

TEST(TrainOptions, bad_ones_leave_no_folder) {
  const TemporaryFolder folder;
  const auto refused = [&](ErrorCode code, const std::string& part, const char* task, auto change) {
    const auto env = make_env(task);
    TrainOptions options;
    options.env = task;
    options.folder = folder / "run";
    options.algorithm = SacOptions{};
    change(options);
    expect_error(code, part, [&] { train(*env, options); });
  };
  refused(ErrorCode::out_of_range, "steps is 0", "pendulum", [](TrainOptions& o) { o.steps = 0; });
  refused(ErrorCode::out_of_range, "snapshots is 10001", "pendulum", [](TrainOptions& o) { o.snapshots = {10'001}; });
  refused(ErrorCode::out_of_range, "snapshots is 0", "pendulum", [](TrainOptions& o) { o.snapshots = {0}; });
  refused(ErrorCode::out_of_range, "checkpoint-seconds is -1", "pendulum",
          [](TrainOptions& o) { o.checkpoint_seconds = -1; });
  refused(ErrorCode::bad_value, "discrete", "cart-pole", [](TrainOptions&) {});
  refused(ErrorCode::bad_value, "ars needs continuous actions", "cart-pole",
          [](TrainOptions& o) { o.algorithm = ArsOptions{}; });
  refused(ErrorCode::out_of_range, "best is 9", "pendulum", [](TrainOptions& o) { o.algorithm = ArsOptions{8, 9}; });
  refused(ErrorCode::bad_value, "discrete actions", "pendulum", [](TrainOptions& o) { o.algorithm = DqnOptions{}; });
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Recipes, are_legal_and_only_where_needed) {
  for (const Algorithm algorithm : {Algorithm::sac, Algorithm::dqn, Algorithm::ars}) {
    for (const EnvEntry& entry : known_envs()) {
      const Recipe recipe = recipe_for(algorithm, entry.name);
      EXPECT_EQ(algorithm_of(recipe.options), algorithm);
      EXPECT_EQ(recipe.why.empty(), recipe.name == "published");
      check_options(recipe.options);
    }
  }
  EXPECT_EQ(recipe_for(Algorithm::sac, "pendulum").name, "published");
  EXPECT_EQ(recipe_for(Algorithm::sac, "continuous-mountain-car").name, "continuous-mountain-car");
  EXPECT_EQ(recipe_for(Algorithm::dqn, "mountain-car").name, "mountain-car");
}

}  // namespace
}  // namespace mercer
