// Plays the uniform policy in a task and prints its return: the smallest program on the library.

#include <cstdio>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  const auto env = mercer::make_env(argc > 1 ? argv[1] : "pendulum");
  const auto policy = mercer::make_policy("uniform", env->task());

  mercer::RolloutOptions options;
  options.episodes = 1000;
  options.seed = 1;
  const mercer::Rollouts rollouts = mercer::rollout(*env, *policy, options);

  const mercer::ReturnSummary summary = mercer::summarise(rollouts.returns);
  std::printf("%s: mean return %.4f, 95%% interval [%.4f, %.4f], %zu steps\n", env->task().name.c_str(), summary.mean,
              summary.ci95.low, summary.ci95.high, rollouts.steps());
} catch (const mercer::Error& error) {  // says what was wrong, the value, what is legal and what to do
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
