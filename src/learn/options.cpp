#include "mercer/error.hpp"
#include "mercer/train.hpp"

namespace mercer {
namespace {

void check_shared(const LearnOptions& o) {
  const auto size = [](std::size_t value) { return static_cast<double>(value); };
  require_in_range("number of hidden layers", size(o.hidden.size()), 0, 8, "Use fewer layers");
  for (const std::size_t width : o.hidden) {
    require_in_range("width of a hidden layer", size(width), 1, 4096, "Give widths such as 256x256");
  }
  require_in_range("learning-rate", o.learning_rate, 1e-8, 1, "Give a step length such as 0.001");
  require_in_range("decay-updates", size(o.decay_updates), 0, 1e9, "Use 0 for a rate that stays");
  require_in_range("batch-size", size(o.batch_size), 2, 65536, "Give a minibatch such as 256");
  require_in_range("gamma", o.gamma, 0, 1, "Give a discount from 0 to 1");
  require_in_range("buffer", size(o.buffer), 1, 1e8, "Give the number of steps to remember");
  require_in_range("warmup", size(o.warmup), 1, 1e9, "Play at least one step before the first update");
  require_in_range("train-every", size(o.train_every), 1, 1e6, "Use 1 to update after every step");
  require_in_range("updates", size(o.updates), 1, 1000, "Use 1 for one update each time");
}

void check_own(const SacOptions& o) {
  require_in_range("tau", o.tau, 1e-8, 1, "Give a share such as 0.005");
  require_in_range("initial-alpha", o.initial_alpha, 1e-8, 1000, "Give a temperature such as 1");
  if (o.target_entropy) {
    require_in_range("target-entropy", *o.target_entropy, -1000, 1000, "Leave it out to have minus one per action");
  }
  require_in_range("noise-correlation", o.noise_correlation, 0, 0.9999, "Use 0 for independent noise");
}

void check_own(const DqnOptions& o) {
  require_in_range("epsilon-start", o.epsilon_start, 0, 1, "Give a share of random actions from 0 to 1");
  require_in_range("epsilon-end", o.epsilon_end, 0, 1, "Give a share of random actions from 0 to 1");
  require_in_range("epsilon-steps", static_cast<double>(o.epsilon_steps), 1, 1e9, "Give a number of steps");
  require_in_range("epsilon-run", o.epsilon_run, 1, 1000, "Use 1 to choose again at every step");
  require_in_range("target-every", static_cast<double>(o.target_every), 1, 1e9, "Give a number of updates");
  require_in_range("max-gradient-norm", o.max_gradient_norm, 1e-6, 1e6, "Give a length such as 10");
}

void check(const SacOptions& o) {
  check_shared(o);
  check_own(o);
}
void check(const DqnOptions& o) {
  check_shared(o);
  check_own(o);
}
void check(const ArsOptions& o) {
  require_in_range("directions", static_cast<double>(o.directions), 1, 1e4, "Give a number such as 16");
  require_in_range("best", static_cast<double>(o.best), 1, static_cast<double>(o.directions),
                   "Let at most all of the directions count");
  require_in_range("step-size", o.step_size, 1e-6, 10, "Give a step length such as 0.02");
  require_in_range("search-noise", o.noise, 1e-6, 10, "Give a standard deviation such as 0.03");
  require_in_range("reward-shift", o.reward_shift, -1e6, 1e6, "Give the reward for being alive, or 0");
}

}  // namespace

const LearnOptions* learn_options(const AlgorithmOptions& options) {
  if (const auto* sac = std::get_if<SacOptions>(&options)) return sac;
  return std::get_if<DqnOptions>(&options);
}

void check_options(const AlgorithmOptions& options) {
  std::visit([](const auto& own) { check(own); }, options);
}

Algorithm usual_algorithm(const Task& task) {
  if (task.action.is_discrete()) return Algorithm::dqn;
  return recipe_for(Algorithm::ars, task.name).name == task.name ? Algorithm::ars : Algorithm::sac;
}

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

// Physics tasks: the rate falls to a hundredth over the run, so that the last policy is a settled one, and networks are
// as small as the task allows.
Recipe physics(std::string name, std::string why, std::uint64_t steps, std::vector<std::size_t> hidden, double rate,
               std::size_t warmup, double gamma = 0.99) {
  SacOptions options;
  options.hidden = std::move(hidden);
  options.learning_rate = rate;
  options.decay_updates = steps;
  options.warmup = warmup;
  options.gamma = gamma;
  return {std::move(name), std::move(why), steps, options};
}

std::vector<Recipe> physics_recipes() {
  const std::string falling = "the learning rate falls over the run";
  return {physics("inverted-double-pendulum", "small networks; " + falling, 50'000, {64, 64}, 1e-3, 2000),
          physics("reacher", "small networks, episodes of 50 steps; " + falling, 80'000, {64, 64}, 1e-3, 5000, 0.95),
          physics("lunar-lander-continuous", "middle-sized networks; " + falling, 250'000, {128, 128}, 7e-4, 10'000),
          physics("half-cheetah", "middle-sized networks; " + falling, 600'000, {128, 128}, 5e-4, 10'000)};
}

// Swimming pays off only after hundreds of steps, more than a discount sees, and a linear policy swims as well as any.
Recipe swimmer() {
  return {"swimmer", "searching whole episodes sees what a discount does not", 2'000'000, ArsOptions{}};
}

// A linear policy hops, once the search no longer counts the reward for standing.
Recipe hopper() {
  return {"hopper", "the reward for being alive does not count in the search: standing is no way to hop", 3'000'000,
          ArsOptions{8, 4, 0.01, 0.025, 1}};
}

// Near its target the craft is linear. The worst quarter of the directions does not count, or one that crashes would
// outweigh the rest; with half of them left out nobody learns from crashes.
Recipe quadrotor() {
  return {"quadrotor", "more directions in smaller steps, of which three quarters count", 40'000'000,
          ArsOptions{64, 48, 0.01, 0.02}};
}

}  // namespace

Recipe recipe_for(Algorithm algorithm, std::string_view task) {
  if (algorithm == Algorithm::sac && task == "continuous-mountain-car") return continuous_mountain_car();
  if (algorithm == Algorithm::dqn && task == "mountain-car") return mountain_car();
  for (const Recipe& recipe : {swimmer(), hopper(), quadrotor()}) {
    if (algorithm == Algorithm::ars && task == recipe.name) return recipe;
  }
  for (const Recipe& recipe : physics_recipes()) {
    if (algorithm == Algorithm::sac && task == recipe.name) return recipe;
  }
  if (algorithm == Algorithm::sac) return {"published", "", 10'000, SacOptions{}};
  if (algorithm == Algorithm::ars) return {"published", "", 1'000'000, ArsOptions{}};
  return {"published", "", 50'000, DqnOptions{}};
}

}  // namespace mercer
