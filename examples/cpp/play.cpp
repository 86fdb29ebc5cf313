// Plays a policy in a task and prints its return: play [TASK [POLICY]]. A policy is "uniform" or a file: .onnx,
// .safetensors or .mercer.

#include <cstdio>

#include <mercer/error.hpp>
#include <mercer/policy.hpp>
#include <mercer/rollout.hpp>
#include <mercer/statistics.hpp>

int main(int argc, char** argv) try {
  const auto env = mercer::make_env(argc > 1 ? argv[1] : "pendulum");
  const auto policy = mercer::make_policy(argc > 2 ? argv[2] : "uniform", env->task());

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
