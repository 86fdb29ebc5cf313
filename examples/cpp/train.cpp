// Trains a small SAC actor for the pendulum in two or three seconds: train [FOLDER]. Started again, it continues in the
// same folder. The snapshot is a policy that all other examples take.

#include <cstdio>

#include <mercer/mercer.hpp>

int main(int argc, char** argv) try {
  mercer::TrainRequest request;
  request.env = "pendulum";
  request.steps = 4000;
  request.hidden = {64, 64};
  request.batch_size = 128;
  request.seed = 1;
  request.out = argc > 1 ? argv[1] : "pendulum_run";
  const mercer::TrainOutcome outcome = mercer::train(request);

  std::printf("%s: mean return %.2f after %llu steps\n", outcome.result.snapshots.back().file.c_str(),
              outcome.returns.back().mean, static_cast<unsigned long long>(outcome.result.steps));
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.exit_code();
}
