#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// A zip file put together record by record, as PKWARE's APPNOTE describes them, so that each can be made to lie.

/// `count` bytes, the lowest first.
inline std::string little(std::uint64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return bytes;
}

/// CRC-32 bit by bit, from its polynomial.
inline std::uint32_t plain_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

/// What a member says about itself. Sizes are as shown in the 32-bit fields.
struct ZipClaim {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t start = 0;
  std::string extra = {};
  int method = 0;
};

inline std::string common_record(const ZipClaim& claim) {
  return little(45, 2) + little(0, 2) + little(static_cast<std::uint64_t>(claim.method), 2) + little(0, 4) +
         little(claim.crc, 4) + little(claim.packed_size, 4) + little(claim.size, 4) + little(claim.name.size(), 2) +
         little(claim.extra.size(), 2);
}

inline std::string local_record(const ZipClaim& claim) {
  return "PK\3\4" + common_record(claim) + claim.name + claim.extra;
}

inline std::string central_record(const ZipClaim& claim) {
  return "PK\1\2" + little(45, 2) + common_record(claim) + std::string(10, '\0') + little(claim.start, 4) + claim.name +
         claim.extra;
}

inline std::string end_record(std::uint64_t members, std::uint64_t size, std::uint64_t start) {
  return "PK\5\6" + little(0, 4) + little(members, 2) + little(members, 2) + little(size, 4) + little(start, 4) +
         little(0, 2);
}

/// The 64-bit end record and the locator that says where it stands.
inline std::string wide_end_record(std::uint64_t members, std::uint64_t size, std::uint64_t start, std::uint64_t at) {
  return "PK\6\6" + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + little(members, 8) +
         little(members, 8) + little(size, 8) + little(start, 8) + "PK\6\7" + little(0, 4) + little(at, 8) +
         little(1, 4);
}

/// The extra field with 64-bit values.
inline std::string wide_extra(const std::string& values) { return little(1, 2) + little(values.size(), 2) + values; }
