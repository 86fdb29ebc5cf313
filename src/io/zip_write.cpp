#include <algorithm>
#include <cstdint>

#include <zlib.h>

#include "io/zip.hpp"

namespace mercer {
namespace {

constexpr std::uint64_t limit16 = 0xffff;
constexpr std::uint64_t limit32 = 0xffffffff;

// Little-endian fields, appended.
class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
    return *this;
  }
  std::string bytes_;
};

std::uint32_t checksum(const ZipMember& member) {
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(member.header.data()), member.header.size());
  // Given a null pointer, which an empty span may be, zlib would start again.
  if (!member.body.empty()) {
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(member.body.data()), member.body.size());
  }
  return static_cast<std::uint32_t>(crc);
}

// The fields that a member's local header and its central record share. 1 January 1980 is the format's first day.
void common_fields(Record& record, std::uint32_t crc, std::uint64_t size, std::size_t name, std::size_t extra) {
  const std::uint64_t shown = std::min(size, limit32);
  record.u16(45).u16(0).u16(0).u16(0).u16(33).u32(crc).u32(shown).u32(shown).u16(name).u16(extra);
}

}  // namespace

void write_zip(std::ostream& out, std::span<const ZipMember> members) {
  Record directory;
  std::uint64_t offset = 0;
  const auto write = [&](const char* data, std::size_t size) {
    out.write(data, static_cast<std::streamsize>(size));
    offset += size;
  };
  for (const ZipMember& member : members) {
    const std::uint64_t start = offset;
    const std::uint64_t size = member.header.size() + member.body.size();
    const std::uint32_t crc = checksum(member);

    Record extra;  // 64-bit sizes, where 32 bits do not hold them
    if (size >= limit32) extra.u16(1).u16(16).u64(size).u64(size);
    Record local;
    local.u32(0x04034b50);
    common_fields(local, crc, size, member.name.size(), extra.bytes().size());
    local.text(member.name).text(extra.bytes());
    write(local.bytes().data(), local.bytes().size());
    write(member.header.data(), member.header.size());
    write(reinterpret_cast<const char*>(member.body.data()), member.body.size());

    Record wide;
    if (size >= limit32) wide.u64(size).u64(size);
    if (start >= limit32) wide.u64(start);
    Record central_extra;
    if (!wide.bytes().empty()) central_extra.u16(1).u16(wide.bytes().size()).text(wide.bytes());
    directory.u32(0x02014b50).u16(45);
    common_fields(directory, crc, size, member.name.size(), central_extra.bytes().size());
    directory.u16(0).u16(0).u16(0).u32(0).u32(std::min(start, limit32)).text(member.name).text(central_extra.bytes());
  }
  const std::uint64_t directory_start = offset;
  const std::uint64_t directory_size = directory.bytes().size();
  write(directory.bytes().data(), directory.bytes().size());
  Record end;
  if (directory_start >= limit32 || directory_size >= limit32 || members.size() >= limit16) {
    end.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(members.size()).u64(members.size());
    end.u64(directory_size).u64(directory_start);
    end.u32(0x07064b50).u32(0).u64(offset).u32(1);
  }
  const std::uint64_t shown = std::min<std::uint64_t>(members.size(), limit16);
  end.u32(0x06054b50).u16(0).u16(0).u16(shown).u16(shown);
  end.u32(std::min(directory_size, limit32)).u32(std::min(directory_start, limit32)).u16(0);
  write(end.bytes().data(), end.bytes().size());
}

}  // namespace mercer
