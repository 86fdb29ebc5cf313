#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer {

/// Text of a stranger, fit for terminals, documents and one line: control characters, line ends, characters that turn
/// the direction of what follows and bytes that are not UTF-8 become escapes such as \n, \x1b and \u202e. Everything
/// else stays, and so does what is returned.
std::string printable(std::string_view text);

/// "1 call", "2 calls".
std::string counted(std::size_t count, std::string_view what);

}  // namespace mercer
