// What 'mercer serve' does between a move of the size slider and the answer: cut a lattice embedding of the pendulum to
// about 500 of its coefficients, rebuild its table, act on a slice of 64 x 64 states, and write the JSON. An item is
// one move; every one goes to another K, so that nothing is remembered but the teacher's part.

#include <cstdlib>
#include <filesystem>

#include <benchmark/benchmark.h>

#include "explorer/view_answers.hpp"
#include "io/open_folders.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"

namespace {

constexpr std::size_t most_k = 520;

const Subject& subject() {
  static const auto made = [] {
    const std::string teacher_file = MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx";
    const auto env = mercer::make_env("pendulum");
    const auto teacher = mercer::make_policy(teacher_file, env->task());
    mercer::RolloutOptions playing;
    playing.episodes = 200;
    mercer::TruncationOptions truncation;
    truncation.k = most_k;
    truncation.basis = "dct";
    const mercer::LatticeOptions options = mercer::best_lattice();
    auto embedding = mercer::LatticeEmbedding::make(
        *teacher, mercer::make_lattice(*teacher, mercer::rollout(*env, *teacher, playing), options), options.playing,
        truncation);
    mercer::EmbeddingFile file{std::move(embedding), {"pendulum", teacher_file, 0, {}}, 0, std::nullopt};
    mercer::OpenFolders folders({});
    Worlds worlds("", "", folders);
    auto world = worlds.of(file, "bench.mercer", true, {});
    return std::make_unique<Subject>("bench", std::move(file), std::move(world));
  }();
  return *made;
}

void slider_to_heat_map(benchmark::State& state) {
  subject();
  std::size_t move = 0, bytes = 0;
  for (auto _ : state) {
    const nlohmann::json question{{"k", 480 + move++ % 40}, {"x", 0}, {"y", 1}, {"n", 64}};
    bytes = answers::slice(subject(), Question(question)).dump().size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(slider_to_heat_map)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
