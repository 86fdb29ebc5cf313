#pragma once

#include <cstddef>
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

/// Calls `visit(name, bytes)` for each member of a zip file in memory, stored or deflated, once its sizes and its
/// checksum have been verified. `where` names the file in errors.
void read_zip(std::span<const std::byte> file, const std::string& where,
              const std::function<void(const std::string& name, std::span<const std::byte> bytes)>& visit);

}  // namespace mercer
