#include "pendulum.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {

Item pendulum_boltzmann() {
  return {
      5,
      "pendulum-boltzmann",
      "Pendulum, Boltzmann-Q policies: return difference against parameters",
      "Reconstructed Boltzmann-Q policies need an order of magnitude fewer parameters than the network; at 5,000 "
      "steps all bases are comparable, at 2,000 DFT converges best.",
      {"differences are between the discretised and the reconstructed policy, as published; the teacher's own return "
       "is given, too",
       "Q: the first critic of SAC; the density is normalised on 64 cells",
       "lattice from 200 rollouts, returns over 100 episodes; K up to half of the coefficients (1.5 times that in a "
       "full run)"},
      {Teacher::pendulum_v0, Teacher::pendulum},
      true,
      16,
      2,
      [](const Bench& bench) { return measure_pendulum(bench, true); },
      pendulum_rules,
      tell_pendulum,
      pendulum_envs()};
}

}  // namespace mercer::paper
