#pragma once

#include "embed/payload/term_code.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

// Parts of a continuous payload; `compact`: as the second layout has them. Readers throw `corrupt_file`.

/// Ranges as the code says and knots. Throws `out_of_range` for ranges that `StoredRanges::power` cannot hold.
void write_coordinates(BitWriter& out, const ContinuousCode& code, const Contract& contract, bool compact);
/// Into coordinates that have the contract's ranges.
void read_coordinates(BitReader& in, ContinuousCode& code, const Contract& contract, bool compact);

/// Scales of integers, then the coefficients. Throws `out_of_range` for what the format cannot hold.
void write_coefficients(BitWriter& out, const ContinuousCode& code, bool compact);
/// Into a code that has its terms and format; counts the bits of the scales.
void read_coefficients(BitReader& in, ContinuousCode& code, bool compact);

}  // namespace mercer
