#pragma once

#include "curves.hpp"
#include "item.hpp"

namespace mercer::paper {

/// Return differences of the pendulum's policy after 2,000 and 5,000 steps: what the Gaussian and the Boltzmann figure
/// share.
Tables measure_pendulum(const Bench& bench, bool boltzmann);
Told tell_pendulum(const Tables& tables);

}  // namespace mercer::paper
