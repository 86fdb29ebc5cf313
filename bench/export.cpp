// One action of exported C at -O2 against the network that was embedded (256 x 256) and a smaller one (64 x 64), one
// state at a time on one core, in states as rollouts met them. The C is compiled with cc when a benchmark begins.

#include "mercer/export.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "ratio.hpp"

namespace {

struct Teacher {
  std::unique_ptr<mercer::Env> env;
  std::unique_ptr<mercer::Policy> policy;
  std::vector<double> states;
  Teacher(const char* task, const char* file)
      : env(mercer::make_env(task)),
        policy(mercer::make_policy(std::string(MERCER_TEST_DATA "/policies/") + file, env->task())),
        states(mercer::rollout(*env, *policy, {.episodes = 5, .seed = 2}).observations) {}
};

const Teacher& pendulum() {
  static const Teacher made("pendulum", "pendulum_5000_actor.onnx");
  return made;
}

// Compiles and loads; stays loaded as long as the program runs.
void* load(const mercer::COptions& options, const std::string& compiler) {
  const mercer::EmbeddingFile file = mercer::read_embedding(MERCER_TEST_DATA "/export/pendulum_5000.mercer");
  const mercer::CExport made = mercer::export_c(file, options);
  std::string name = (std::filesystem::temp_directory_path() / "mercer-bench-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::ofstream(folder / "controller.h") << made.header;
  std::ofstream(folder / "controller.c") << made.source;
  const std::string command =
      fmt::format("cd {} && {} -shared -fPIC controller.c -o controller.so -lm", folder.string(), compiler);
  void* library = std::system(command.c_str()) == 0 ? dlopen((folder / "controller.so").c_str(), RTLD_NOW) : nullptr;
  std::filesystem::remove_all(folder);
  return library == nullptr ? nullptr : dlsym(library, "controller_act");
}

// `one` is what states are multiplied by; the time is the same for all of them.
template <class Number>
void run_c(benchmark::State& state, const mercer::COptions& options, double one) {
  auto* const act = reinterpret_cast<void (*)(const Number*, Number*)>(load(options, "cc -std=c99 -O2"));
  if (act == nullptr) return state.SkipWithError("cc could not compile the export");
  std::vector<Number> states;
  for (const double number : pendulum().states) states.push_back(static_cast<Number>(number * one));
  const std::size_t count = states.size() / 3;
  std::size_t i = 0;
  Number action = 0;
  for (auto _ : state) {
    act(states.data() + 3 * i, &action);
    benchmark::DoNotOptimize(action);
    i = i + 1 < count ? i + 1 : 0;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void run_network(benchmark::State& state, const Teacher& teacher) {
  const std::size_t d = teacher.env->task().observation.dimensions(), count = teacher.states.size() / d;
  std::size_t i = 0;
  double action = 0;
  for (auto _ : state) {
    teacher.policy->mean_action({teacher.states.data() + d * i, d, 1}, {&action, 1, 1});
    benchmark::DoNotOptimize(action);
    i = i + 1 < count ? i + 1 : 0;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void export_c_float(benchmark::State& state) { run_c<float>(state, {}, 1); }
void export_c_float_none(benchmark::State& state) { run_c<float>(state, {.math = mercer::CMath::none}, 1); }
void export_c_fixed(benchmark::State& state) {
  run_c<std::int32_t>(state, {.numbers = mercer::CNumbers::fixed}, 0x1p16);
}
void export_network_256(benchmark::State& state) { run_network(state, pendulum()); }
void export_network_64(benchmark::State& state) {
  static const Teacher small("continuous-mountain-car", "cmc_sde_10000_actor.onnx");
  run_network(state, small);
}
BENCHMARK(export_c_float);
BENCHMARK(export_c_float_none);
BENCHMARK(export_c_fixed);
BENCHMARK(export_network_256);
BENCHMARK(export_network_64);

const bool declared[] = {
    declare_ratio({"exported C against its 256 x 256 network", "export_c_float", "export_network_256", 10}),
    declare_ratio({"exported C against a 64 x 64 network", "export_c_float", "export_network_64", 10}),
    declare_ratio(
        {"exported C without libm against a 64 x 64 network", "export_c_float_none", "export_network_64", 10}),
    declare_ratio({"exported C in integers against a 64 x 64 network", "export_c_fixed", "export_network_64", 5})};

}  // namespace
