#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"

namespace mercer {
namespace {

struct Column {
  std::vector<double> state, observation;
  double reward;
  std::uint8_t terminated;
};

// Steps `count` columns whose items start at `first`, out of a wider matrix, so that views begin anywhere.
std::vector<Column> play(const Env& env, std::size_t first, std::size_t count, std::uint32_t steps) {
  const Task& task = env.task();
  const std::size_t stride = count + 5;
  std::vector<double> memory((task.state.dimensions() + task.observation.dimensions() + task.action.dimensions()) *
                             stride);
  const auto view = [&](std::size_t row, std::size_t rows) {
    return MatrixView<double>(&memory[row * stride], rows, stride, stride).columns(3, count);
  };
  const auto state = view(0, task.state.dimensions());
  const auto observation = view(task.state.dimensions(), task.observation.dimensions());
  const auto action = view(task.state.dimensions() + task.observation.dimensions(), task.action.dimensions());
  std::vector<std::uint64_t> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = first + i;
  std::vector<double> reward(count);
  std::vector<std::uint8_t> terminated(count);

  env.reset({7, Stage::start, 0, items}, state);
  const Range range = task.action.axes[0].range;
  for (std::uint32_t t = 0; t < steps; ++t) {
    const Draws draws{7, Stage::action, t, items};
    for (std::uint32_t d = 0; d < action.rows(); ++d) {
      draws.fill_uniform(action.row(d), range.low, range.high, d);
      for (double& value : action.row(d)) value = task.action.is_discrete() ? std::round(value) : 1.5 * value;
    }
    env.step(state, action, {7, Stage::transition, t, items}, reward, terminated);
  }
  env.observe(state, observation);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < count; ++i) {
    Column column{{}, {}, reward[i], terminated[i]};
    for (std::size_t d = 0; d < state.rows(); ++d) column.state.push_back(state(d, i));
    for (std::size_t d = 0; d < observation.rows(); ++d) column.observation.push_back(observation(d, i));
    columns.push_back(column);
  }
  return columns;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class BatchesOf : public testing::TestWithParam<const char*> {};

// Sizes around the width of vectors and of the chunks (256 columns) that kernels work in.
TEST_P(BatchesOf, a_column_does_not_depend_on_its_neighbours) {
  const auto env = make_env(GetParam(), 1);
  for (const std::size_t size : {2, 3, 7, 8, 9, 255, 256, 257, 600}) {
    const std::vector<Column> batch = play(*env, 100, size, 20);
    for (std::size_t i = 0; i < size; ++i) {
      const Column alone = play(*env, 100 + i, 1, 20).front();
      ASSERT_TRUE(same_bits(batch[i].state, alone.state)) << "column " << i << " of " << size;
      ASSERT_TRUE(same_bits(batch[i].observation, alone.observation)) << "column " << i << " of " << size;
      ASSERT_TRUE(same_bits({batch[i].reward}, {alone.reward})) << "column " << i << " of " << size;
      ASSERT_EQ(batch[i].terminated, alone.terminated) << "column " << i << " of " << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, BatchesOf,
                         testing::Values("pendulum", "pendulum-v0", "continuous-mountain-car", "mountain-car",
                                         "cart-pole", "acrobot", "turntable", "noisy-bandit", "chain:alpha=0.6",
                                         "quadrotor", "quadrotor:goal=waypoints,attitude=quaternion",
                                         "quadrotor:mass=0.02..0.03,motor_lag=0.03..0.1,noise=0.01,delay=1",
                                         "acrobot:m1=0.5..2,moi=0.5..2",
                                         "pendulum:m=0.8..1.2,noise=0..0.1,delay=0..2,lag=0..0.5,levels=9..99",
                                         "cart-pole:length=0.4..0.6,delay=1,action_noise=0.2"));

// A start belongs to its item: different items start differently. (Turntable and bandit have but one state.)
TEST(Batches, columns_have_their_own_random_numbers) {
  for (const char* name : {"pendulum", "continuous-mountain-car", "mountain-car", "cart-pole", "acrobot",
                           "chain:alpha=0.6", "quadrotor"}) {
    const std::vector<Column> batch = play(*make_env(name), 0, 64, 20);
    std::size_t different = 0;
    for (const Column& column : batch) different += column.state != batch[0].state;
    EXPECT_GT(different, 30) << name;  // the chain has 10 states, about half of them within reach
  }
}

}  // namespace
}  // namespace mercer
