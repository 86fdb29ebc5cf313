#include "pendulum.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {

Item pendulum_gaussian() {
  return {
      4,
      "pendulum-gaussian",
      "Pendulum, Gaussian policies: return difference against parameters",
      "Reconstructed Gaussian policies need an order of magnitude fewer parameters than the network; at 5,000 steps "
      "all bases are comparable, at 2,000 DFT converges best.",
      {"differences are between the discretised and the reconstructed policy, as published; the teacher's own return "
       "is given, too",
       "SAC with the published settings and the library's defaults (batch 256, tau 0.005, tuned temperature)",
       "lattice from 200 rollouts, returns over 100 episodes; K up to half of the coefficients (1.5 times that in a "
       "full run)"},
      {Teacher::pendulum_v0, Teacher::pendulum},
      true,
      4,
      3,
      [](const Bench& bench) { return measure_pendulum(bench, false); },
      pendulum_rules,
      tell_pendulum,
      pendulum_envs()};
}

}  // namespace mercer::paper
