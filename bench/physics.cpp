// Steps of physics tasks: Mercer's Env against a bare loop around mj_step with one mjData. Both play the same episodes:
// the same model, frame skip, starts and random controls, to the same bits. The Env also observes, rewards and ends. An
// item is a step of the task. One thread is measured by its CPU time, two by the clock on the wall.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "env/mujoco/model.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "ratio.hpp"

namespace {

using mercer::MatrixView;

constexpr std::size_t episodes = 256, steps = 16;

/// Starts and controls of all episodes of a task.
struct Play {
  explicit Play(const std::string& name) : env(mercer::make_env(name)), model(mercer::built_in_model(name)) {
    columns.resize(env->rows() * episodes);
    std::vector<std::uint64_t> numbers(episodes);
    std::iota(numbers.begin(), numbers.end(), 0);
    env->reset({1, mercer::Stage::start, 0, numbers}, {columns.data(), env->rows(), episodes});
    mercer::Random random({.seed = 2, .stage = mercer::Stage::simulate});
    controls.resize(steps * static_cast<std::size_t>(model->nu) * episodes);
    for (double& control : controls) control = 2 * random.uniform() - 1;
  }
  MatrixView<const double> starts() const { return {columns.data(), env->rows(), episodes}; }
  MatrixView<const double> controls_of(std::size_t step) const {
    const auto rows = static_cast<std::size_t>(model->nu);
    return {controls.data() + step * rows * episodes, rows, episodes};
  }

  std::unique_ptr<mercer::Env> env;
  mercer::ModelPointer model;
  std::vector<double> columns, controls;
};

void count_steps(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * episodes * steps));
}

void run_bare(benchmark::State& state, const std::string& name) {
  const Play play(name);
  const mjModel* const model = play.model.get();
  const auto frames = std::lround(play.env->task().dt / model->opt.timestep);
  const auto starts = play.env->states_of(play.starts());
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model), mj_deleteData);
  for (auto _ : state) {
    for (std::size_t e = 0; e < episodes; ++e) {
      mj_resetData(model, data.get());
      for (int k = 0; k < model->nq; ++k) data->qpos[k] = starts(static_cast<std::size_t>(k), e);
      for (int k = 0; k < model->nv; ++k) data->qvel[k] = starts(static_cast<std::size_t>(model->nq + k), e);
      mj_forward(model, data.get());
      for (std::size_t t = 0; t < steps; ++t) {
        const auto controls = play.controls_of(t);
        for (std::size_t k = 0; k < controls.rows(); ++k) data->ctrl[k] = controls(k, e);
        for (long frame = 0; frame < frames; ++frame) mj_step(model, data.get());
      }
    }
  }
  count_steps(state);
}

/// Plays the episodes of one block in lockstep.
void play_block(const Play& play, mercer::Block block) {
  const mercer::Env& env = *play.env;
  const std::size_t batch = block.end - block.begin;
  std::vector<double> memory((env.rows() + env.task().observation.dimensions() + 1) * batch);
  std::vector<std::uint8_t> ended(batch);
  const MatrixView<double> columns(memory.data(), env.rows(), batch);
  const MatrixView<double> seen(memory.data() + env.rows() * batch, env.task().observation.dimensions(), batch);
  const std::span<double> reward(memory.data() + memory.size() - batch, batch);
  const auto starts = play.starts().columns(block.begin, batch);
  for (std::size_t row = 0; row < env.rows(); ++row) std::ranges::copy(starts.row(row), columns.row(row).begin());
  env.settle(columns);
  for (std::size_t t = 0; t < steps; ++t) {
    env.observe(columns, seen);
    env.step(columns, play.controls_of(t).columns(block.begin, batch), {}, reward, ended);
    benchmark::DoNotOptimize(seen(0, 0));
  }
}

void run_env(benchmark::State& state, const std::string& name, std::size_t batch, std::size_t threads) {
  const Play play(name);
  const mercer::ThreadLimit limit(threads);
  for (auto _ : state) {
    mercer::for_each_block(episodes, batch, [&](mercer::Block block) { play_block(play, block); });
  }
  count_steps(state);
}

/// How the Env plays, and how fast it must be against the bare loop.
struct Way {
  const char* name;
  std::size_t batch, threads;
  double at_least;
};
constexpr Way ways[] = {{"physics_1_1/", 1, 1, 0.95},
                        {"physics_64_1/", 64, 1, 0.95},
                        {"physics_1_2/", 1, 2, 1.9},
                        {"physics_64_2/", 64, 2, 1.9}};

bool register_all() {
  for (const std::string task :
       {"swimmer", "hopper", "walker2d", "half-cheetah", "ant", "inverted-double-pendulum", "reacher"}) {
    const std::string bare = "physics_bare/" + task;
    benchmark::RegisterBenchmark(bare.c_str(), run_bare, task)->Unit(benchmark::kMillisecond);
    for (const auto& [name, batch, threads, at_least] : ways) {
      auto* const own = benchmark::RegisterBenchmark((name + task).c_str(), run_env, task, batch, threads);
      own->Unit(benchmark::kMillisecond);
      if (threads > 1) own->UseRealTime();
      declare_ratio({fmt::format("{}, batch {}, threads {}", task, batch, threads), name + task, bare, at_least});
    }
  }
  return true;
}

const bool registered = register_all();

}  // namespace
