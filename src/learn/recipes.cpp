#include "mercer/learn/recipes.hpp"

namespace mercer {
namespace {

// The goal is hundreds of well-timed steps away and every push costs: with independent noise the car learns to stand
// still. Noise that keeps its direction for some 50 steps reaches the goal, and a discount near one makes it worth it.
Recipe continuous_mountain_car() {
  SacOptions options;
  options.hidden = {64, 64};
  options.gamma = 0.9999;
  options.warmup = 10'000;
  options.train_every = 2;
  options.noise_correlation = 0.98;
  return {"continuous-mountain-car",
          "correlated noise finds the goal; a discount near one and a longer warm-up keep it in sight", 50'000,
          options};
}

// The reward is -1 until the goal, which random pushes meet only if they are held for a while. Values bend sharply
// where one more swing is needed and speeds are a tenth of positions: hence scaled observations and a rate that falls.
// The target network follows fast, since a value has to travel a hundred steps back.
Recipe mountain_car() {
  DqnOptions options;
  options.batch_size = 128;
  options.decay_updates = 32'000;
  options.warmup = 5000;
  options.train_every = 4;
  options.scale_observations = true;
  options.target_every = 100;
  options.epsilon_end = 0.1;
  options.epsilon_steps = 50'000;
  options.epsilon_run = 10;
  return {"mountain-car", "random pushes are held, observations scaled, the learning rate falls", 120'000, options};
}

}  // namespace

Recipe recipe_for(Algorithm algorithm, std::string_view task) {
  if (algorithm == Algorithm::sac && task == "continuous-mountain-car") return continuous_mountain_car();
  if (algorithm == Algorithm::dqn && task == "mountain-car") return mountain_car();
  if (algorithm == Algorithm::sac) return {"published", "", 10'000, SacOptions{}};
  return {"published", "", 50'000, DqnOptions{}};
}

}  // namespace mercer
