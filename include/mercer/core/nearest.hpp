#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between two words.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name closest to `name`, or an empty string when nothing is close enough to be a likely slip.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

/// Throws `unknown_name`: "no task is called 'pendulun'" with the nearest known name, or all of them when none is near.
[[noreturn]] void throw_unknown(std::string_view kind, std::string_view name, std::span<const std::string> known);

}  // namespace mercer
