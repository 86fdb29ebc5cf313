#include <cmath>
#include <fstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "export/c/c_text.hpp"
#include "export/compiled.hpp"
#include "export/kit/plants.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"

namespace mercer::test {
namespace {

// The C model of a task as a library: observe and step with other names, so that they are not static.
class CompiledPlant {
 public:
  explicit CompiledPlant(const Plant& plant) {
    std::ofstream(folder_.path() / "plant.c")
        << "#include <math.h>\n"
        << plant.code << "void observe(const double *s, double *o) { task_observe(s, o); }\n"
        << "double step(double *s, const double *a, int *e) { return task_step(s, a, e); }\n";
    const std::string command = fmt::format(
        "cd {} && gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -ffp-contract=off -fPIC -shared plant.c -o "
        "plant.so -lm",
        folder_.path().string());
    if (std::system(command.c_str()) == 0) library_ = dlopen((folder_.path() / "plant.so").c_str(), RTLD_NOW);
  }
  ~CompiledPlant() {
    if (library_ != nullptr) dlclose(library_);
  }
  CompiledPlant(const CompiledPlant&) = delete;
  CompiledPlant& operator=(const CompiledPlant&) = delete;

  bool loaded() const { return library_ != nullptr; }
  void observe(const double* state, double* obs) const {
    reinterpret_cast<void (*)(const double*, double*)>(dlsym(library_, "observe"))(state, obs);
  }
  double step(double* state, const double* action, int* ended) const {
    return reinterpret_cast<double (*)(double*, const double*, int*)>(dlsym(library_, "step"))(state, action, ended);
  }

 private:
  Folder folder_;
  void* library_ = nullptr;
};

class Plants : public testing::TestWithParam<const char*> {};

// Random play, each step of both from the same state: what they make of it must agree.
TEST_P(Plants, StepAsTheTaskDoes) {
  const auto env = make_env(GetParam());
  const Plant* const plant = plant_of(env->task().name);
  ASSERT_NE(plant, nullptr);
  ASSERT_EQ(plant->states, env->task().state.dimensions());
  const CompiledPlant compiled(*plant);
  ASSERT_TRUE(compiled.loaded());
  const Space& actions = env->task().action;
  const std::size_t n = env->task().observation.dimensions();
  std::size_t ends = 0;
  for (std::uint64_t episode = 0; episode < 40; ++episode) {
    Random random({7, Stage::simulate, episode, 0});
    std::vector<double> state(plant->states), obs(n), own_obs(n);
    env->reset({7, Stage::start, 0, {&episode, 1}}, {state.data(), state.size(), 1});
    std::uint8_t ended = StepEnd::none;
    for (std::uint32_t step = 0; step < 300 && ended == StepEnd::none; ++step) {
      std::vector<double> own = state;
      const auto [low, high] = actions.axes[0].range;
      // Held for a while, so that cars gather speed and reach their goal.
      const double push = std::sin(0.02 * step * static_cast<double>(episode % 7)) + random.uniform() - 0.5;
      const double action = actions.is_discrete() ? (push > 0 ? high : low) : std::clamp(2 * push, low, high);
      env->observe({state.data(), state.size(), 1}, {obs.data(), n, 1});
      compiled.observe(own.data(), own_obs.data());
      for (std::size_t d = 0; d < n; ++d) ASSERT_NEAR(own_obs[d], obs[d], 1e-12) << step;
      double reward = 0;
      int own_ended = 0;
      env->step({state.data(), state.size(), 1}, {&action, 1, 1}, {7, Stage::start, step, {&episode, 1}}, {&reward, 1},
                {&ended, 1});
      const double own_reward = compiled.step(own.data(), &action, &own_ended);
      ASSERT_NEAR(own_reward, reward, 1e-9) << step;
      ASSERT_EQ(own_ended != 0, ended != StepEnd::none) << step;
      for (std::size_t d = 0; d < state.size(); ++d) ASSERT_NEAR(own[d], state[d], 1e-7) << step;
    }
    ends += ended != StepEnd::none ? 1 : 0;
  }
  if (env->task().ending != Ending::plain) {
    EXPECT_GT(ends, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, Plants,
                         testing::Values("pendulum", "cart-pole", "continuous-mountain-car", "mountain-car"));

TEST(Braces, EveryBodyHasThem) {
  EXPECT_EQ(with_braces("  for (i = 0; i < 3; i++) a[i] = f(i);\n"),
            "  for (i = 0; i < 3; i++) {\n    a[i] = f(i);\n  }\n");
  EXPECT_EQ(with_braces("for (;;)\n    if (x) y = 1;\nz;\n"), "for (;;) {\n  if (x) {\n    y = 1;\n  }\n}\nz;\n");
  const std::string whole = "if (a) {\n  b;\n} else {\n  c;\n}\n\n/* if (a) b; */\n";
  EXPECT_EQ(with_braces(whole), whole);
}

}  // namespace
}  // namespace mercer::test
