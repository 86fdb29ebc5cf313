#pragma once

#include <vector>

#include "mercer/policy/batch_function.hpp"
#include "mercer/policy/contract.hpp"
#include "mercer/policy/network.hpp"

namespace mercer {

/// The given outputs of a network with one input, one below the other, of observations that are normalised first.
BatchFunction network_function(Network network, Normalisation normalisation, std::vector<std::size_t> outputs);

/// The smallest of the given outputs (twin critics guard against hope). `observations` rows of the input are normalised
/// for the network's first input; rows below them, if any, go to its second as they are.
BatchFunction smallest_output(Network network, Normalisation normalisation, std::size_t observations,
                              std::vector<std::size_t> outputs);

}  // namespace mercer
