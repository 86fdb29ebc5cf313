#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/npz.hpp"

namespace mercer {

/// The header that numpy puts before an array's bytes (format version 1.0).
std::string npy_header(const Array& array);

/// One .npy file in memory. `where` names it in errors.
Array parse_npy(std::span<const std::byte> bytes, const std::string& where);

}  // namespace mercer
