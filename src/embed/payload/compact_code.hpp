#pragma once

#include "embed/payload/term_code.hpp"

namespace mercer {

/// Terms as the second layout has them: constant and linear Legendre terms of all axes are one bit, each ridge may have
/// a unit of its own.
void write_compact_terms(BitWriter& out, const Terms& terms);
/// Back, into terms that have their axes and nothing else. Throws `corrupt_file`; sizes are checked before memory is
/// taken.
void read_compact_terms(BitReader& in, Terms& terms);

}  // namespace mercer
