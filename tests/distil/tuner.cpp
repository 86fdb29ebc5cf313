#include "distil/tuner.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "distil/imitate.hpp"
#include "learn/checkpoint.hpp"
#include "mercer/env.hpp"
#include "mercer/statistics.hpp"
#include "support/temporary.hpp"

namespace mercer::distil {
namespace {

struct Pendulum {
  std::unique_ptr<Env> env = make_env("pendulum");
  EnvPlayer player{*env};
  std::unique_ptr<Policy> teacher =
      make_policy(std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx", env->task());

  Student start(std::size_t ridges) const {
    const RidgeShape shape = shape_for(env->task(), ridges, false);
    InputScale scale;
    for (const Axis& axis : env->task().observation.axes) scale.coordinates.push_back({axis.range});
    scale.reach = {2, 2, 4};
    return {shape, scale, initial_numbers(shape, 3)};
  }
  static TuneOptions quick() {
    TuneOptions options;
    options.batch = 64;
    options.steps = 400;
    options.updates = 60;
    options.first_steps = 3200;
    options.buffer = 6000;
    return options;
  }
  double mean_return(const Student& student) const {
    return summarise(returns_of(player.play(*policy_of(student, env->task()), {64, 5, Act::mean}))).mean;
  }
};

std::vector<float> all_numbers(Tuner& tuner) {
  learn::Archive archive;
  tuner.exchange(archive);
  std::vector<float> out;
  for (const auto& [name, array] : archive.tensors()) {
    for (const double value : array.as_doubles()) out.push_back(static_cast<float>(value));
  }
  return out;
}

// Its first ridges stay from now on.
void hold(Tuner& tuner, Index held) {
  const Rounding rounding = fitting_rounding(tuner.student(), {6, 7});
  Student student = tuner.student();
  const Index numbers = held * student.shape.ridge_row();
  student.numbers.head(numbers) = rounded(student, rounding).head(numbers);
  tuner.restart(student, rounding, held);
}

TEST(Tuner, goes_on_from_its_archive_to_the_same_bits_on_any_number_of_threads) {
  const Pendulum task;
  const TunePull pull{0.1, 0.01};
  const auto whole = [&](std::size_t threads) {
    const ThreadLimit limit(threads);
    Tuner tuner(task.player, *task.teacher, task.start(3), nullptr, Pendulum::quick());
    tuner.learn_critics(Tuner::Of::student);
    tuner.turn(1, pull);
    hold(tuner, 2);
    tuner.turn(0.5, pull);
    tuner.turn(0.5, pull);
    return all_numbers(tuner);
  };
  const std::vector<float> one = whole(1), two = whole(2);
  ASSERT_EQ(one, two);
  learn::Archive archive;
  {
    Tuner tuner(task.player, *task.teacher, task.start(3), nullptr, Pendulum::quick());
    tuner.learn_critics(Tuner::Of::student);
    tuner.turn(1, pull);
    hold(tuner, 2);
    tuner.turn(0.5, pull);
    tuner.exchange(archive);
  }
  TuneOptions options = Pendulum::quick();
  options.first_steps = 0;
  Tuner again(task.player, *task.teacher, task.start(2), nullptr, options);
  learn::Archive stored(archive.tensors(), "memory");
  again.exchange(stored);
  again.turn(0.5, pull);
  EXPECT_EQ(all_numbers(again), one);
}

// A student that only imitates by the pull must come near to its teacher's actions, the more the fewer of its ridges
// are held; those that are do not move.
TEST(Tuner, the_pull_draws_what_is_not_held_to_the_teacher) {
  const Pendulum task;
  TuneOptions options = Pendulum::quick();
  options.updates = 600;
  options.actor_rate = 3e-3;
  Labelled data(*task.teacher, task.env->task(), 5000, 1);
  data.add(task.player.roll_out(*task.teacher, {20, 3, Act::mean}));
  std::vector<double> errors;
  for (const Index held : {0, 6}) {
    Tuner tuner(task.player, *task.teacher, task.start(6), nullptr, options);
    hold(tuner, held);
    const Vector<float> start = tuner.student().numbers;
    const double before = imitation_error(tuner.student(), data, 2000, 1);
    for (int i = 0; i < 5; ++i) tuner.turn(1, {1000, 0});
    const Index numbers = held * tuner.student().shape.ridge_row();
    EXPECT_EQ(tuner.student().numbers.head(numbers), start.head(numbers));
    EXPECT_NE(tuner.student().numbers.tail(start.size() - numbers), start.tail(start.size() - numbers));
    errors.push_back(imitation_error(tuner.student(), data, 2000, 1));
    EXPECT_LT(errors.back(), 0.5 * before) << held << " held";
  }
  EXPECT_LT(errors[0], errors[1]);
}

TEST(Tuner, earns_more_with_critics_learned_from_mixed_steps) {
  const Pendulum task;
  TuneOptions options = Pendulum::quick();
  options.batch = 128;
  options.updates = 400;
  options.first_steps = 16'000;
  options.buffer = 60'000;
  options.steps = 2000;
  options.gamma = 0.95;
  options.actor_rate = 1e-3;
  Labelled data(*task.teacher, task.env->task(), 20'000, 1);
  data.add(task.player.roll_out(*task.teacher, {20, 3, Act::mean}));
  Student student = task.start(6);
  ImitateOptions little;
  little.rounds = 2;
  little.updates = 100;
  little.batch = 256;
  imitate(student, task.player, data, little);
  const double before = task.mean_return(student);
  Tuner tuner(task.player, *task.teacher, student, nullptr, options);
  for (int i = 0; i < 5; ++i) tuner.learn_critics(Tuner::Of::student);
  double best = before;
  for (int i = 0; i < 10; ++i) {
    tuner.turn(1, {0.2, 0});
    best = std::max(best, task.mean_return(tuner.student()));
  }
  std::cout << "return " << before << " before, " << best << " after\n";
  ASSERT_TRUE(tuner.healthy());
  EXPECT_GT(best, before + 100);
}

// Critics that say nothing leave all of it unexplained; those that learned the teacher's values do not.
TEST(Tuner, knows_how_wrong_its_critics_are) {
  const Pendulum task;
  DenseCritics nothing;
  nothing.networks.assign(
      2, {{4, 8, std::vector<double>(32, 0.0), std::vector<double>(8, 0.0)}, {8, 1, std::vector<double>(8, 0.0), {0}}});
  const CriticNetworks silent(nothing);
  Tuner before(task.player, *task.teacher, task.start(2), &silent, Pendulum::quick());
  EXPECT_NEAR(before.critic_error(), 1, 1e-6);
  TuneOptions options = Pendulum::quick();
  options.updates = 1500;
  options.first_steps = 16'000;
  options.buffer = 60'000;
  options.gamma = 0.9;
  Tuner after(task.player, *task.teacher, task.start(2), nullptr, options);
  for (int i = 0; i < 2; ++i) after.learn_critics(Tuner::Of::teacher);
  const double error = after.critic_error();
  std::cout << "critics leave " << 100 * error << "% of the variance unexplained\n";
  EXPECT_LT(error, 0.2);  // after seconds of learning
}

TEST(Tuner, says_that_critics_diverged) {
  const Pendulum task;
  DenseCritics critics;
  for (int q = 0; q < 2; ++q) {
    critics.networks.push_back({{4, 8, std::vector<double>(32, 1e30), std::vector<double>(8, 1e30)},
                                {8, 1, std::vector<double>(8, 1e30), {0}}});
  }
  const CriticNetworks networks(critics);
  Tuner tuner(task.player, *task.teacher, task.start(2), &networks, Pendulum::quick());
  const Vector<float> before = tuner.student().numbers;
  tuner.turn(1, {});
  EXPECT_FALSE(tuner.healthy());
  EXPECT_TRUE(tuner.student().numbers.allFinite());
  EXPECT_EQ(tuner.student().numbers, before);
}

TEST(Checkpoint, another_hash_and_a_flipped_bit_are_refused) {
  const TemporaryFolder folder;
  const auto file = folder / "state";
  learn::Archive archive;
  std::vector<float> numbers{1, 2, 3};
  archive.numbers("numbers", std::span(numbers));
  archive.add_rows("z_empty", {}, 1);  // the checksum must not begin anew there
  learn::write_checkpoint(file, archive, "one");
  EXPECT_NO_THROW(learn::read_checkpoint(file, "one"));
  EXPECT_THROW(learn::read_checkpoint(file, "two"), Error);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(-1, std::ios::end);
  bytes.put('\x7f');
  bytes.close();
  EXPECT_THROW(learn::read_checkpoint(file, "one"), Error);
}

}  // namespace
}  // namespace mercer::distil
