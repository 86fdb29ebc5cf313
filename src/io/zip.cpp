#include "io/zip.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <zlib.h>

#include "core/printable.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

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

constexpr std::uint64_t most_inflation = 1032;  // deflate cannot shrink anything further: a larger claim is a lie

// Reads little-endian fields inside the file, and nothing outside it.
class Reader {
 public:
  Reader(std::span<const std::byte> file, const std::string& where) : file_(file), where_(where) {}

  std::span<const std::byte> bytes(std::uint64_t at, std::uint64_t size) const {
    if (at > file_.size() || size > file_.size() - at) throw_corrupt(where_, "ends before the data it announces");
    return file_.subspan(at, size);
  }
  std::uint64_t number(std::uint64_t at, int count) const {
    const auto field = bytes(at, static_cast<std::uint64_t>(count));
    std::uint64_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(field[static_cast<std::size_t>(i)]);
    return value;
  }

 private:
  std::span<const std::byte> file_;
  const std::string& where_;
};

struct Directory {
  std::uint64_t members;
  std::uint64_t size;
  std::uint64_t start;
};

Directory find_directory(const Reader& reader, std::uint64_t size, const std::string& where) {
  if (size == 0) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' cannot be read: the file is empty", where),
                "Write the file again");
  }
  if (size < 4 || reader.number(0, 2) != 0x4b50) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is not a zip file (.npz and .zip are)", where),
                "Give a file that numpy.savez, 'mercer rollout' or Stable-Baselines3 wrote");
  }
  // The end record is the last thing in the file but for a comment of at most 65535 bytes.
  const std::uint64_t furthest = size > 22 + 65535 ? size - 22 - 65535 : 0;
  for (std::uint64_t at = size < 22 ? 0 : size - 22; size >= 22; --at) {
    if (reader.number(at, 4) == 0x06054b50) {
      Directory found{reader.number(at + 10, 2), reader.number(at + 12, 4), reader.number(at + 16, 4)};
      if (found.start == limit32 || found.size == limit32 || found.members == 0xffff) {
        if (at < 20 || reader.number(at - 20, 4) != 0x07064b50) throw_corrupt(where, "has lost its 64-bit directory");
        const std::uint64_t wide = reader.number(at - 12, 8);
        if (reader.number(wide, 4) != 0x06064b50) throw_corrupt(where, "has lost its 64-bit directory");
        found = {reader.number(wide + 32, 8), reader.number(wide + 40, 8), reader.number(wide + 48, 8)};
      }
      return found;
    }
    if (at == furthest) break;
  }
  throw_corrupt(where, "has no directory at its end: it was cut short");
}

// Replaces the 32-bit values that say "look in the extra field" by the 64-bit ones there.
void widen(const Reader& reader, std::uint64_t extra, std::uint64_t extra_size, std::uint64_t& size,
           std::uint64_t& packed, std::uint64_t& start) {
  const std::uint64_t end = extra + extra_size;
  while (extra + 4 <= end) {
    const std::uint64_t id = reader.number(extra, 2);
    const std::uint64_t length = reader.number(extra + 2, 2);
    std::uint64_t field = extra + 4;
    if (id == 1) {
      for (std::uint64_t* value : {&size, &packed, &start}) {
        if (*value != limit32) continue;
        *value = reader.number(field, 8);
        field += 8;
      }
    }
    extra += 4 + length;
  }
}

std::vector<std::byte> inflate_member(std::span<const std::byte> packed, std::uint64_t size, const std::string& where) {
  std::vector<std::byte> out(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw_corrupt(where, "cannot be decompressed");
  std::size_t read = 0;
  std::size_t written = 0;
  int state = Z_OK;
  while (state == Z_OK) {  // zlib counts in 32 bits: feed it in pieces
    const std::size_t piece_in = std::min<std::size_t>(packed.size() - read, 1U << 30);
    const std::size_t piece_out = std::min<std::size_t>(out.size() - written, 1U << 30);
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(piece_in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(piece_out);
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t took = piece_in - stream.avail_in;
    const std::size_t gave = piece_out - stream.avail_out;
    read += took;
    written += gave;
    if (state == Z_OK && took == 0 && gave == 0) break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || written != size) throw_corrupt(where, "cannot be decompressed");
  return out;
}

// Bytes that two members share could be unpacked again and again.
void check_apart(std::vector<ZipEntry>& entries, const std::string& where) {
  std::vector<std::span<const std::byte>> places;
  for (const ZipEntry& entry : entries) {
    if (!entry.packed.empty()) places.push_back(entry.packed);
  }
  std::ranges::sort(places, {}, [](const auto& place) { return place.data(); });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].data() < places[i - 1].data() + places[i - 1].size()) {
      throw_corrupt(where, "has members that share bytes");
    }
  }
}

void check_budget(const std::vector<ZipEntry>& entries, std::size_t file, const std::string& where) {
  const std::uint64_t most = std::max<std::uint64_t>(limits::zip_unpacked, file * limits::zip_inflation);
  std::uint64_t unpacked = 0;  // no member has more than most_inflation times its packed bytes: this cannot wrap around
  for (const ZipEntry& entry : entries) unpacked += entry.size;
  if (unpacked <= most) return;
  throw Error(ErrorCode::too_large,
              fmt::format("'{}' has {} bytes and unpacks to {}; legal: at most {}", where, file, unpacked, most),
              "Store it without compression, as numpy.savez does");
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

std::vector<ZipEntry> list_zip(std::span<const std::byte> file, const std::string& where) {
  const Reader reader(file, where);
  const Directory directory = find_directory(reader, file.size(), where);
  if (directory.members > limits::zip_members) {
    throw Error(
        ErrorCode::too_large,
        fmt::format("'{}' announces {} members; legal: at most {}", where, directory.members, limits::zip_members),
        "Give a file with fewer arrays");
  }
  std::vector<ZipEntry> entries;
  std::uint64_t at = directory.start;
  for (std::uint64_t member = 0; member < directory.members; ++member) {
    if (reader.number(at, 4) != 0x02014b50) throw_corrupt(where, "has a damaged directory");
    const std::uint64_t method = reader.number(at + 10, 2);
    const std::uint64_t crc = reader.number(at + 16, 4);
    std::uint64_t packed_size = reader.number(at + 20, 4);
    std::uint64_t size = reader.number(at + 24, 4);
    const std::uint64_t name_size = reader.number(at + 28, 2);
    const std::uint64_t extra_size = reader.number(at + 30, 2);
    std::uint64_t start = reader.number(at + 42, 4);
    const auto name_bytes = reader.bytes(at + 46, name_size);
    const std::string name(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
    widen(reader, at + 46 + name_size, extra_size, size, packed_size, start);
    at += 46 + name_size + extra_size + reader.number(at + 32, 2);

    // The name stands before the member as well: two that differ mean damage that no checksum covers.
    if (reader.number(start, 4) != 0x04034b50 || reader.number(start + 26, 2) != name_size ||
        !std::ranges::equal(reader.bytes(start + 30, name_size), name_bytes)) {
      throw_corrupt(where, "has a damaged member");
    }
    const std::uint64_t body = start + 30 + name_size + reader.number(start + 28, 2);
    const auto packed = reader.bytes(body, packed_size);
    if (method != 8 && (method != 0 || size != packed_size)) {
      throw Error(ErrorCode::bad_format, fmt::format("'{}' member '{}' is packed in an unknown way", where, name),
                  "Pack it with deflate, as numpy.savez_compressed does, or not at all");
    }
    if (method == 8 && size > (packed.size() + 1) * most_inflation) {
      throw_corrupt(where, "announces more data than it can hold");
    }
    entries.push_back({name, size, static_cast<std::uint32_t>(crc), method == 8, packed});
  }
  if (at != directory.start + directory.size) throw_corrupt(where, "has a damaged directory");
  check_apart(entries, where);
  check_budget(entries, file.size(), where);
  return entries;
}

ZipBytes unpack(const ZipEntry& entry, const std::string& where, std::size_t most_bytes) {
  if (entry.size > most_bytes) {
    throw Error(
        ErrorCode::too_large,
        fmt::format("'{}': '{}' has {} bytes; legal: at most {}", where, printable(entry.name), entry.size, most_bytes),
        "Give a file with less in it; docs/reference/limits.md lists what is read");
  }
  ZipBytes out;
  if (entry.deflated) out.held = inflate_member(entry.packed, entry.size, where);
  out.bytes = entry.deflated ? std::span<const std::byte>(out.held) : entry.packed;
  if (crc32_z(0, reinterpret_cast<const Bytef*>(out.bytes.data()), out.bytes.size()) != entry.crc) {
    throw_corrupt(where, fmt::format("has a wrong checksum in '{}'", entry.name));
  }
  return out;
}

void read_zip(std::span<const std::byte> file, const std::string& where,
              const std::function<void(const std::string&, std::span<const std::byte>)>& visit) {
  for (const ZipEntry& entry : list_zip(file, where)) visit(entry.name, unpack(entry, where, entry.size).bytes);
}

}  // namespace mercer
