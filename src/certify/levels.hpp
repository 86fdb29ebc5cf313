#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// How many intervals `certify_levels` can add that each fail with probability 1 - confidence: two of the coupling
/// bound, one of the unvisited cells of a lattice. Known before any episode is played, so that the confidence can be
/// divided among them; some of them may turn out not to apply.
std::size_t statistical_rows(const Policy& student, const CertifyOptions& options);

}  // namespace mercer
