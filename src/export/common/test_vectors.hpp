#pragma once

#include "mercer/export.hpp"

namespace mercer {

/// Throws `shape_mismatch` or `bad_value` unless the embedding gives the actions of the vectors.
void check_vectors(const TestVectors& vectors, const Policy& policy);

}  // namespace mercer
