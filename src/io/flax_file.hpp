#pragma once

#include <span>
#include <string>

#include "io/npz.hpp"

namespace mercer {

/// The arrays in bytes that flax.serialization.to_bytes or msgpack_serialize wrote: msgpack, whose extension types 1
/// and 3 hold an array as (shape, name of its type, bytes). Names of maps inside maps have dots between; lists count as
/// maps with the keys 0, 1, .... Numbers of 16 bits become float32; what is no array, or one of another type than
/// float64, float32, float16, bfloat16, int64, int32, uint8 and bool, is left out, as are arrays without elements.
///
/// Takes time and memory in proportion to the bytes; at most 100,000 entries, 16 levels deep. Throws `corrupt_file`
/// where the bytes end early or go on, `bad_format` for what is no msgpack and beyond these limits.
Arrays parse_flax(std::span<const std::byte> bytes, const std::string& where);

}  // namespace mercer
