#include <cstring>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/zip.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/sparse_file.hpp"
#include "support/zip_records.hpp"

namespace mercer {
namespace {

constexpr std::uint64_t elsewhere = 0xffffffff;  // in a 32-bit field: look in the extra field

std::string read_only_member(const std::string& file) {
  std::string content;
  read_zip(as_bytes(file), "a.npz", [&](const std::string& name, std::span<const std::byte> bytes) {
    EXPECT_EQ(name, "x");
    content.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return content;
}

// A small file whose directory says what it says in 64 bits. `shown` are the 32-bit fields, `extra` the rest.
std::string wide_file(ZipClaim shown, const std::string& extra) {
  shown.name = "x";
  shown.crc = plain_crc32("data");
  const std::string before(5, '.');  // so that the member does not start at zero
  const std::string member = "PK" + before + local_record(shown) + "data";
  shown.extra = extra;
  const std::string directory = central_record(shown);
  return member + directory + wide_end_record(1, directory.size(), member.size(), member.size() + directory.size()) +
         end_record(0xffff, elsewhere, elsewhere);
}

TEST(Zip64, values_stand_in_the_extra_field_in_their_order) {
  const std::string size = little(4, 8), start = little(7, 8);
  EXPECT_EQ(read_only_member(wide_file({"", 0, elsewhere, elsewhere, elsewhere}, wide_extra(size + size + start))),
            "data");
  EXPECT_EQ(read_only_member(wide_file({"", 0, 4, 4, elsewhere}, wide_extra(start))), "data");
  EXPECT_EQ(read_only_member(wide_file({"", 0, elsewhere, elsewhere, 7}, wide_extra(size + size))), "data");
  EXPECT_EQ(read_only_member(wide_file({"", 0, 4, 4, 7}, "")), "data");
}

TEST(Zip64, other_extra_fields_are_stepped_over) {
  const std::string time = "UT" + little(5, 2) + "\1abcd";  // what Info-ZIP adds
  EXPECT_EQ(read_only_member(wide_file({"", 0, 4, 4, elsewhere}, time + wide_extra(little(7, 8)) + time)), "data");
}

TEST(Zip64, missing_values_are_damage) {
  expect_error(ErrorCode::corrupt_file, "ends before", [] {
    read_only_member(wide_file({"", 0, elsewhere, elsewhere, 7}, ""));
  });
  const std::string whole = wide_file({"", 0, 4, 4, 7}, "");
  for (const std::string& record : {std::string("PK\6\6"), std::string("PK\6\7")}) {
    std::string file = whole;
    file[file.rfind(record)] = 'X';
    expect_error(ErrorCode::corrupt_file, "lost its 64-bit directory", [&] { read_only_member(file); });
  }
}

// The real thing: a member past 4 GiB and one that starts past it, with neither the disk nor the memory for them.
TEST(Zip64, members_past_4_gib_come_back) {
  constexpr std::size_t large = (std::size_t{1} << 32) + 12345;
  const SparseMemory body(large);
  const SparseMemory target(large + (1 << 20));
  if (body.data() == nullptr || target.data() == nullptr) GTEST_SKIP() << "cannot reserve 8 GiB of addresses";
  body.data()[0] = 'a';
  body.data()[large - 1] = 'z';
  SparseFile file(target);
  std::ostream out(&file);
  write_zip(out, std::vector<ZipMember>{{"large", "head", body.bytes(large)}, {"after", "small", {}}});
  ASSERT_TRUE(out.good());

  std::vector<std::pair<std::string, std::size_t>> seen;
  read_zip(target.bytes(file.size()), "a.npz", [&](const std::string& name, std::span<const std::byte> bytes) {
    seen.emplace_back(name, bytes.size());
    if (name != "large") return;
    EXPECT_EQ(std::memcmp(bytes.data(), "heada", 5), 0);
    EXPECT_EQ(bytes.back(), std::byte{'z'});
  });
  EXPECT_EQ(seen, (std::vector<std::pair<std::string, std::size_t>>{{"large", large + 4}, {"after", 5}}));
}

}  // namespace
}  // namespace mercer
