#include "env/classic/tasks.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"

// Tasks that are finite Markov decision processes.

namespace mercer {

EnvEntry noisy_bandit_entry() {
  return {"noisy-bandit", "one-step bandit: a bell of rewards over the arms plus fixed noise drawn from the seed",
          "arms=50,lambda=0.1", [](Params& params) {
            const std::size_t arms = params.integer("arms", 50, 2, 1000000);
            const double lambda = params.number("lambda", 0.1, 0, 1e6);
            return std::make_unique<TabularEnv>("noisy-bandit", make_noisy_bandit(arms, lambda, params.seed()));
          }};
}

EnvEntry chain_entry() {
  return {"chain", "states in a row: an action steps right or left, and does the opposite with probability 1-alpha",
          "n=10,alpha=1,horizon=100", [](Params& params) {
            const std::size_t n = params.integer("n", 10, 2, 10000);
            const double alpha = params.number("alpha", 1, 0, 1);
            const auto horizon = static_cast<std::uint32_t>(params.integer("horizon", 100, 1, 1000000000));
            return std::make_unique<TabularEnv>("chain", make_chain(n, alpha, horizon));
          }};
}

EnvEntry tabular_entry() {
  return {"tabular", "a finite Markov decision process from a JSON file (P, r, mu, gamma)", "FILE.json",
          [](Params& params) {
            const std::string file = params.text("file", "");
            if (file.empty()) {
              throw Error(ErrorCode::missing_option, "task 'tabular' needs a file",
                          "Write 'tabular:FILE.json'; docs/guide/tasks.md shows such a file");
            }
            return std::make_unique<TabularEnv>("tabular", read_mdp(file));
          }};
}

}  // namespace mercer
