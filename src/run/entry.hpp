#pragma once

#include <filesystem>
#include <optional>

#include "mercer/run/store.hpp"

namespace mercer {

/// The result in a folder, if entry.json is there and every file that it names has its size and its SHA-256, and there
/// is no other file.
std::optional<Entry> read_entry(const std::filesystem::path& folder);

/// Writes entry.json for the files in a folder. Throws `bad_value` where there is none, or a subfolder.
void write_entry(const std::filesystem::path& folder, const Entry& entry);

}  // namespace mercer
