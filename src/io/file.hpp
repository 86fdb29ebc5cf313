#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The whole of an ordinary file. Throws `cannot_open`, also for pipes and devices, and `too_large` above `most_bytes`.
std::vector<std::byte> read_file(const std::filesystem::path& path, std::size_t most_bytes = std::size_t{1} << 40);
std::string read_text(const std::filesystem::path& path, std::size_t most_bytes = std::size_t{1} << 30);

/// Writes a file atomically: to a temporary name in the same folder, flushed to the disk, then renamed. When
/// `write` throws or the disk is full, the temporary file goes away and whatever `path` held before stays. A symbolic
/// link keeps pointing where it points, and a file that is replaced keeps its mode; a device or a pipe is written to as
/// it is.
void write_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// Whether the file at a path may be replaced.
using MayReplace = std::function<bool(const std::filesystem::path&)>;
/// The same for an ordinary file that must be the one that `may_replace` accepts. New and old file exchange their
/// names, and only then is the old one looked at: whatever took its place up to that moment comes back, and
/// `cannot_write` is thrown. File systems that cannot exchange names look first and rename then.
void replace_atomically(const std::filesystem::path& path, const MayReplace& may_replace,
                        const std::function<void(std::ostream&)>& write);

/// Waits until a file, or the entries of a folder, are on the disk. Returns 0, or the number of the system's error.
/// What may not be read, and file systems that cannot do this, count as done.
int flush_to_disk(const std::filesystem::path& path);

/// Throws `cannot_write` if `write_atomically` could not succeed. Call it before long work.
void check_writable(const std::filesystem::path& path);

/// Removes the temporary files of writes that are under way. For a process that is about to end in the middle of them.
void remove_unfinished_files();

/// Throws `corrupt_file`: "'r.npz' ends before the data it announces".
[[noreturn]] void throw_corrupt(std::string_view where, std::string_view what);

}  // namespace mercer
