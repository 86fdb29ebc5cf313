#pragma once

#include "mercer/policy/batch_function.hpp"
#include "mercer/policy/contract.hpp"

namespace mercer {

/// The index of the largest of `count` rows of q, the first of equals: what a `DeterministicPolicy` on discrete actions
/// chooses by.
BatchFunction greedy_index(BatchFunction q, std::size_t count);

/// The action in [-1, 1]^dimensions (one to three) with the largest q, where q takes the observation and below it the
/// action. The best of a grid (see `BoxBoltzmannPolicy`), then twice the best of a finer grid around it: the distance
/// to a single, smooth peak is below 1e-3. Throws `out_of_range` for other dimensions.
BatchFunction greedy_point(BatchFunction q, std::size_t dimensions);

}  // namespace mercer
