#pragma once

#include <filesystem>

namespace mercer {

/// Throws `cannot_open` unless an ordinary file is there and may be read: no folder, pipe, socket or device. For
/// readers that open it themselves.
void check_ordinary_file(const std::filesystem::path& path);

}  // namespace mercer
