#pragma once

#include "mercer/export.hpp"

namespace mercer {

/// Throws `shape_mismatch` or `bad_value` unless the embedding gives the actions of the vectors.
void check_vectors(const TestVectors& vectors, const Policy& policy);

/// The mean actions at observations of single precision, row by row, without those where the policy jumps nearby.
/// `marked` counts rows at the front, and afterwards those of them that were kept. Throws `bad_value` if none is left.
TestVectors vectors_at(const Policy& policy, std::span<const double> observations, double tolerance,
                       std::size_t& marked);

}  // namespace mercer
