#include "io/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "io/zip.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/largest_request.hpp"
#include "support/zip_records.hpp"

// Files that announce far more than they hold must be refused before memory is taken for it.

namespace mercer {
namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 40;

void expect_refused_without_memory(ErrorCode code, const std::string& message, const std::function<void()>& read) {
  largest_request = 0;
  expect_error(code, message, read);
  EXPECT_LT(largest_request, 65536U);  // messages and the like, nothing of the size that was announced
}

void expect_npy_refused(ErrorCode code, const std::string& type, const std::string& shape) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': True, 'shape': " + shape + ", }";
  const std::string file =
      "\x93NUMPY\x02" + std::string(1, '\0') + little(header.size(), 4) + header + std::string(16, '\0');
  expect_refused_without_memory(code, "a.npz:x", [&] { parse_npy(as_bytes(file), "a.npz:x"); });
}

TEST(NpyLimits, largest_request_is_seen) {
  largest_request = 0;
  // Called by its name: a compiler may leave out memory that nothing but a container uses.
  void* const memory = ::operator new(100000);
  EXPECT_GE(largest_request, 100000);
  ::operator delete(memory);
}

TEST(NpyLimits, shapes_larger_than_the_data) {
  expect_npy_refused(ErrorCode::corrupt_file, "<f8", "(1099511627776,)");
  expect_npy_refused(ErrorCode::corrupt_file, "|u1", "(1048576, 1048576)");
  expect_npy_refused(ErrorCode::corrupt_file, "|S1099511627776", "()");
  expect_npy_refused(ErrorCode::corrupt_file, "|S99999999999999999999", "()");
}

TEST(NpyLimits, shapes_whose_size_wraps_around_to_the_data) {
  expect_npy_refused(ErrorCode::corrupt_file, "<f8", "(2305843009213693954,)");        // 8 (2^61 + 2) = 2^64 + 16
  expect_npy_refused(ErrorCode::corrupt_file, "|u1", "(4294967296, 4294967296, 16)");  // 2^64 * 16
  expect_npy_refused(ErrorCode::corrupt_file, "|u1", "(18446744073709551615, 18446744073709551600)");  // (-1) (-16)
  expect_npy_refused(ErrorCode::corrupt_file, "|u1", "(36893488147419103248,)");                       // 2^65 + 16
}

// numpy itself stops at 32.
TEST(NpyLimits, too_many_dimensions) {
  std::string shape = "(16,";
  for (int i = 0; i < 32; ++i) shape += "1,";
  expect_npy_refused(ErrorCode::corrupt_file, "|u1", shape + ")");
}

TEST(NpyLimits, header_longer_than_the_file) {
  const std::string file = "\x93NUMPY\x02" + std::string(1, '\0') + little(0xffffffff, 4) + "{'descr': '<f8'";
  expect_refused_without_memory(ErrorCode::corrupt_file, "cut short", [&] { parse_npy(as_bytes(file), "a.npz:x"); });
}

// A whole zip file of one member with four bytes in it, which claims what it likes.
void expect_zip_refused(ErrorCode code, const std::string& message, const ZipClaim& claim) {
  ZipClaim local = claim;
  local.extra = "";
  const std::string member = local_record(local) + "data";
  const std::string directory = central_record(claim);
  const std::string file = member + directory + end_record(1, directory.size(), member.size());
  expect_refused_without_memory(code, message, [&] {
    read_zip(as_bytes(file), "a.npz", [](const std::string&, std::span<const std::byte>) { ADD_FAILURE(); });
  });
}

TEST(ZipLimits, sizes_larger_than_the_file) {
  const std::string wide = wide_extra(little(huge, 8) + little(huge, 8));
  expect_zip_refused(ErrorCode::corrupt_file, "ends before the data", {"x", 0, 0xfffffffe, 0xfffffffe, 0});
  expect_zip_refused(ErrorCode::corrupt_file, "ends before the data", {"x", 0, 0xffffffff, 0xffffffff, 0, wide});
  expect_zip_refused(ErrorCode::corrupt_file, "announces more data", {"x", 0, 4, 0xfffffffe, 0, "", 8});
  expect_zip_refused(ErrorCode::corrupt_file, "announces more data",
                     {"x", 0, 4, 0xffffffff, 0, wide_extra(little(huge, 8)), 8});
}

TEST(ZipLimits, places_outside_the_file) {
  expect_zip_refused(ErrorCode::corrupt_file, "ends before the data", {"x", 0, 4, 4, 1000});
  for (const std::uint64_t start : {huge, ~std::uint64_t{0}, ~std::uint64_t{0} - 20}) {
    expect_zip_refused(ErrorCode::corrupt_file, "ends before the data",
                       {"x", 0, 4, 4, 0xffffffff, wide_extra(little(start, 8))});
  }
}

TEST(ZipLimits, more_members_than_the_directory_has) {
  const ZipClaim claim{"x", plain_crc32("data"), 4, 4, 0};
  const std::string member = local_record(claim) + "data";
  const std::string directory = central_record(claim);
  const std::size_t end = member.size() + directory.size();
  const std::string file = member + directory + wide_end_record(2, directory.size(), member.size(), end) +
                           end_record(0xffff, 0xffffffff, 0xffffffff);
  expect_refused_without_memory(ErrorCode::corrupt_file, "damaged directory", [&] {
    read_zip(as_bytes(file), "a.npz", [](const std::string&, std::span<const std::byte>) {});
  });
}

// One member, and a directory that names it many times.
std::string shared_member(std::size_t entries) {
  const std::string body = "data";
  const ZipClaim claim{"x", plain_crc32(body), body.size(), body.size(), 0};
  const std::string member = local_record(claim) + body;
  std::string directory;
  for (std::size_t i = 0; i < entries; ++i) directory += central_record(claim);
  return member + directory + end_record(entries, directory.size(), member.size());
}

TEST(ZipLimits, a_member_is_named_once) {
  EXPECT_EQ(list_zip(as_bytes(shared_member(1)), "a.npz").size(), 1U);
  for (const std::size_t entries : {2, 60000}) {
    expect_error(ErrorCode::corrupt_file, "share bytes", [&] { list_zip(as_bytes(shared_member(entries)), "a.npz"); });
  }
}

TEST(ZipLimits, members_are_counted_before_they_are_listed) {
  const ZipClaim claim{"x", 0, 0, 0, 0};
  const std::string member = local_record(claim);
  const auto with = [&](std::uint64_t members) {
    std::string directory;
    for (std::uint64_t i = 0; i < members; ++i) directory += central_record(claim);
    const std::size_t end = member.size() + directory.size();
    return member + directory + wide_end_record(members, directory.size(), member.size(), end) +
           end_record(0xffff, 0xffffffff, 0xffffffff);
  };
  EXPECT_EQ(list_zip(as_bytes(with(limits::zip_members)), "a.npz").size(), limits::zip_members);
  expect_error(ErrorCode::too_large, "announces 65537 members; legal: at most 65536",
               [&] { list_zip(as_bytes(with(limits::zip_members + 1)), "a.npz"); });
}

// Members that claim as much as deflate can make of their bytes. What they hold together is bounded before any of them
// is unpacked.
TEST(ZipLimits, members_hold_a_bounded_number_of_bytes_together) {
  const auto with = [](std::uint64_t bytes) {
    constexpr std::uint64_t each = std::uint64_t{1} << 24, packed = 17000;
    std::string file, directory;
    std::uint64_t members = 0;
    for (; bytes > 0; ++members) {
      const std::uint64_t size = std::min(bytes, each);
      const ZipClaim claim{std::to_string(members), 0, packed, size, file.size(), "", 8};
      directory += central_record(claim);
      file += local_record(claim) + std::string(packed, '\0');
      bytes -= size;
    }
    return file + directory + end_record(members, directory.size(), file.size());
  };
  EXPECT_EQ(list_zip(as_bytes(with(limits::zip_unpacked)), "a.npz").size(), 16U);
  const std::string more = with(limits::zip_unpacked + 1);
  expect_refused_without_memory(ErrorCode::too_large, "unpacks to 268435457; legal: at most 268435456",
                                [&] { list_zip(as_bytes(more), "a.npz"); });
}

TEST(ZipLimits, a_caller_bounds_what_is_unpacked) {
  const std::string file = shared_member(1);
  const std::vector<ZipEntry> entries = list_zip(as_bytes(file), "a.npz");
  EXPECT_EQ(unpack(entries[0], "a.npz", 4).bytes.size(), 4U);
  expect_error(ErrorCode::too_large, "'x' has 4 bytes; legal: at most 3", [&] { unpack(entries[0], "a.npz", 3); });
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3;) text.insert(place -= 3, ",");
  return text;
}

// Every budget of the code is in the document, with its number, and none besides.
TEST(Limits, are_those_of_the_document) {
  const std::string text = read_bytes(std::string(MERCER_TEST_DATA) + "/../../docs/reference/limits.md");
  std::string rows = "| --- | --- | ---: |\n";
  for (const ReaderLimit& limit : reader_limits()) {
    rows += "| " + std::string(limit.reader) + " | " + std::string(limit.what) + " | " + grouped(limit.most) + " |\n";
  }
  EXPECT_NE(text.find(rows + "\n"), std::string::npos) << "docs/reference/limits.md should hold\n" << rows;
}

}  // namespace
}  // namespace mercer
