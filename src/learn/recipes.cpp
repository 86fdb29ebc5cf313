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

// The reward is -1 until the goal: many updates between few steps, and enough random pushes to meet the goal by chance.
Recipe mountain_car() {
  DqnOptions options;
  options.learning_rate = 4e-3;
  options.batch_size = 128;
  options.gamma = 0.98;
  options.buffer = 10'000;
  options.warmup = 1000;
  options.train_every = 16;
  options.updates = 8;
  options.target_every = 300;
  options.epsilon_end = 0.07;
  options.epsilon_steps = 24'000;
  return {"mountain-car", "a faster learning rate, more updates at a time and a slow end of exploring", 120'000,
          options};
}

}  // namespace

Recipe recipe_for(Algorithm algorithm, std::string_view task) {
  if (algorithm == Algorithm::sac && task == "continuous-mountain-car") return continuous_mountain_car();
  if (algorithm == Algorithm::dqn && task == "mountain-car") return mountain_car();
  if (algorithm == Algorithm::sac) return {"published", "", 10'000, SacOptions{}};
  return {"published", "", 50'000, DqnOptions{}};
}

}  // namespace mercer
