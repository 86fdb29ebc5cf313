#pragma once

#include <string>
#include <string_view>

namespace mercer {

/// Throws `corrupt_file`: "'r.npz' ends before the data it announces".
[[noreturn]] void throw_corrupt(std::string_view where, std::string_view what);

}  // namespace mercer
