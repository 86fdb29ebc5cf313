#include "io/zip.hpp"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/zip_records.hpp"

namespace mercer {
namespace {

using Members = std::map<std::string, std::string>;

Members read(const std::string& file) {
  Members members;
  read_zip(as_bytes(file), "a.npz", [&](const std::string& name, std::span<const std::byte> bytes) {
    members[name] = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return members;
}

std::string write(const std::vector<ZipMember>& members) {
  std::ostringstream out;
  write_zip(out, members);
  return out.str();
}

// The whole file, worked out from APPNOTE's tables and not from the writer.
std::string plain_zip(const Members& members) {
  std::string file, directory;
  for (const auto& [name, bytes] : members) {
    const ZipClaim claim{name, plain_crc32(bytes), bytes.size(), bytes.size(), file.size()};
    directory += central_record(claim);
    file += local_record(claim) + bytes;
  }
  return file + directory + end_record(members.size(), directory.size(), file.size());
}

TEST(Zip, checksum_of_the_tests_is_crc32) {
  EXPECT_EQ(plain_crc32("123456789"), 0xcbf43926U);
}  // the usual check value

TEST(Zip, reads_what_the_format_describes) {
  const Members members{{"a.npy", "some bytes"}, {"b", ""}, {"folder/c", std::string("\0\xff", 2)}};
  EXPECT_EQ(read(plain_zip(members)), members);
}

TEST(Zip, writes_what_the_format_describes) {
  const std::string body = "bytes";
  std::string file = write({{"a.npy", "some ", as_bytes(body)}, {"b", "", {}}});
  std::string expected = plain_zip({{"a.npy", "some bytes"}, {"b", ""}});
  ASSERT_EQ(file.size(), expected.size());
  // The writer's date is 1 January 1980 where the tests' records have zeros: months and days count from one.
  for (const std::string& record : {std::string("PK\3\4"), std::string("PK\1\2")}) {
    const std::size_t date = record == "PK\3\4" ? 12 : 14;
    for (std::size_t at = file.find(record); at != std::string::npos; at = file.find(record, at + 1)) {
      EXPECT_EQ(file.substr(at + date, 2), little(1 << 5 | 1, 2));
      file.replace(at + date, 2, little(0, 2));
    }
  }
  EXPECT_EQ(file, expected);
}

TEST(Zip, members_come_back_empty_or_not) {
  const std::string body(100000, 'x');
  const Members expected{{"a", "head" + body}, {"b", "head"}, {"c", body}, {"d", ""}};
  EXPECT_EQ(read(write({{"a", "head", as_bytes(body)}, {"b", "head", {}}, {"c", "", as_bytes(body)}, {"d", "", {}}})),
            expected);
}

// The count of members has 16 bits; from 65535 on it stands in the 64-bit record.
TEST(Zip, holds_more_members_than_16_bits_count) {
  for (const std::size_t count : {65534U, 65535U, 65536U}) {
    std::vector<ZipMember> members;
    for (std::size_t i = 0; i < count; ++i) members.push_back({std::to_string(i), "", {}});
    EXPECT_EQ(read(write(members)).size(), count);
  }
}

TEST(Zip, refuses_what_it_cannot_unpack) {
  const ZipClaim bzip2{"x", plain_crc32("data"), 4, 4, 0, "", 12};
  const std::string directory = central_record(bzip2);
  const std::string member = local_record(bzip2) + "data";
  expect_error(ErrorCode::bad_format, "member 'x' is packed in an unknown way",
               [&] { read(member + directory + end_record(1, directory.size(), member.size())); });
}

TEST(Zip, refuses_deflated_data_that_is_none) {
  const ZipClaim claim{"x", plain_crc32("data"), 4, 4, 0, "", 8};
  const std::string directory = central_record(claim);
  const std::string member = local_record(claim) + "\xff\xff\xff\xff";
  expect_error(ErrorCode::corrupt_file, "cannot be decompressed",
               [&] { read(member + directory + end_record(1, directory.size(), member.size())); });
}

// Damage in the directory that no checksum covers.
TEST(Zip, notices_members_that_are_lost_or_renamed) {
  const std::string whole = plain_zip({{"a", "1"}, {"b", "2"}});
  const auto damaged = [&](const std::string& from, const std::string& to, std::size_t offset = 0) {
    std::string file = whole;
    file.replace(file.rfind(from) + offset, to.size(), to);
    return file;
  };
  EXPECT_EQ(read(whole).size(), 2U);
  expect_error(ErrorCode::corrupt_file, "damaged directory", [&] { read(damaged("PK\5\6", little(1, 2), 10)); });
  expect_error(ErrorCode::corrupt_file, "damaged directory", [&] { read(damaged("PK\5\6", little(3, 2), 10)); });
  expect_error(ErrorCode::corrupt_file, "damaged member", [&] { read(damaged("PK\1\2", "c", 46)); });
}

}  // namespace
}  // namespace mercer
