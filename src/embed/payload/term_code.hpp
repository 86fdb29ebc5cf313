#pragma once

#include "embed/payload/bits.hpp"
#include "mercer/functions.hpp"

namespace mercer {

/// Terms in as few bits as they can be told in: which kinds there are, then each kind's settings, size and terms.
void write_terms(BitWriter& out, const Terms& terms);
/// Back, into terms that have their axes and nothing else. Throws `corrupt_file`; sizes are checked before memory is
/// taken.
void read_terms(BitReader& in, Terms& terms);

}  // namespace mercer
