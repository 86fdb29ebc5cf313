#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A stored (uncompressed) member of a zip file: `header` and `body` follow each other in it.
struct ZipMember {
  std::string name;
  std::string header;
  std::span<const std::byte> body;
};

/// Writes a zip file with no dates in it; members past 4 GiB, or that start past it, get 64-bit records.
void write_zip(std::ostream& out, std::span<const ZipMember> members);

/// A member of a zip file in memory, as its directory describes it. Nothing is unpacked yet.
struct ZipEntry {
  std::string name;
  std::uint64_t size = 0;               ///< once unpacked; checked against what deflate can make of `packed`
  std::uint32_t crc = 0;                ///< of the unpacked bytes
  bool deflated = false;                ///< else stored
  std::span<const std::byte> packed{};  ///< inside the file
};

/// The bytes of a member: inside the file where it is stored, held here where it was deflated.
struct ZipBytes {
  std::vector<std::byte> held{};
  std::span<const std::byte> bytes{};
};

/// The members of a zip file, in the order of its directory. Every place and size is checked against the file; members
/// that share bytes are refused, so that a directory cannot name one member many times. `where` names the file in
/// errors. Throws `corrupt_file` for damage, `bad_format` for other files and ways of packing, `too_large` beyond
/// `limits::zip_members` and what `limits` allow the members to hold together.
std::vector<ZipEntry> list_zip(std::span<const std::byte> file, const std::string& where);

/// Unpacks a member and verifies its size and checksum. Takes `entry.size` bytes of memory where it is deflated, and
/// throws `too_large` above `most_bytes`.
ZipBytes unpack(const ZipEntry& entry, const std::string& where, std::size_t most_bytes);

/// Calls `visit(name, bytes)` for each member of a zip file in memory, unpacked, one after the other.
void read_zip(std::span<const std::byte> file, const std::string& where,
              const std::function<void(const std::string& name, std::span<const std::byte> bytes)>& visit);

}  // namespace mercer
