#pragma once

#include <string>

#include "io/npz.hpp"
#include "io/pickle.hpp"

namespace mercer {

/// Bytes as Python 3 pickles them: as such, or in protocol 2 as text that is to be encoded in Latin-1. Throws
/// `bad_format` for anything else.
std::string bytes_of(const Pickle& pickle, const Pickle::Value& value, const std::string& where);

/// An array or a scalar of numpy, or a number of Python's: float64, float32, int64, int32, uint8 or bool, row-major and
/// little-endian. Throws `bad_format` for anything else, `corrupt_file` where the bytes do not fill the shape.
Array array_of(const Pickle& pickle, const Pickle::Value& value, const std::string& where);

}  // namespace mercer
