#pragma once

#include <string>
#include <string_view>

#include "io/sha256.hpp"

namespace mercer {

/// What a JSON document says, in one spelling: keys sorted, no spaces, whole numbers without a point. Two documents
/// that mean the same have the same text. Throws `bad_format` for what is not JSON, `not_finite` for numbers beyond
/// doubles.
std::string canonical_json(std::string_view text);

/// SHA-256 of the program or library file that holds the code at `address`: another build has another one, whatever it
/// calls itself. Throws `cannot_open` where the file cannot be found.
std::string code_digest(const void* address);
/// The same of this library.
std::string library_digest();

}  // namespace mercer
