#include "io/file.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(ReadFile, gives_every_byte) {
  const TemporaryFolder folder;
  const std::string all("\0\r\n\xff z", 6);
  write_bytes(folder / "a", all);
  EXPECT_EQ(read_text(folder / "a"), all);
  const std::vector<std::byte> bytes = read_file(folder / "a");
  ASSERT_EQ(bytes.size(), 6U);
  EXPECT_EQ(bytes[0], std::byte{0});
  EXPECT_EQ(bytes[3], std::byte{0xff});
  write_bytes(folder / "empty", "");
  EXPECT_TRUE(read_file(folder / "empty").empty());
}

TEST(ReadFile, says_what_cannot_be_opened) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_open, "No such file", [&] { read_file(folder / "missing"); });
  expect_error(ErrorCode::cannot_open, "is a folder", [&] { read_file(folder.path()); });
  expect_error(ErrorCode::cannot_open, "is a folder", [&] { read_text(folder.path()); });
}

TEST(ReadFile, holds_to_its_bound) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "1234");
  EXPECT_EQ(read_text(folder / "a", 4), "1234");
  expect_error(ErrorCode::too_large, "has 4 bytes; legal: at most 3", [&] { read_text(folder / "a", 3); });
  expect_error(ErrorCode::too_large, "has 4 bytes; legal: at most 3", [&] { read_file(folder / "a", 3); });
}

TEST(WriteAtomically, writes_and_replaces_and_leaves_nothing_beside) {
  const TemporaryFolder folder;
  write_atomically(folder / "a", [](std::ostream& out) { out << "first, and long"; });
  EXPECT_EQ(read_bytes(folder / "a"), "first, and long");
  write_atomically(folder / "a", [](std::ostream& out) { out << "second"; });
  EXPECT_EQ(read_bytes(folder / "a"), "second");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(WriteAtomically, old_content_stands_until_the_writer_is_done) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  write_atomically(folder / "a", [&](std::ostream& out) {
    out << "new" << std::flush;
    EXPECT_EQ(read_bytes(folder / "a"), "old");
  });
  EXPECT_EQ(read_bytes(folder / "a"), "new");
}

TEST(WriteAtomically, writer_that_throws_changes_nothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  const auto half = [](std::ostream& out) {
    out << "half" << std::flush;
    throw std::runtime_error("the writer's own");
  };
  EXPECT_THROW(write_atomically(folder / "a", half), std::runtime_error);
  EXPECT_THROW(write_atomically(folder / "b", half), std::runtime_error);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(WriteAtomically, stream_that_fails_changes_nothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  expect_error(ErrorCode::cannot_write, "cannot write",
               [&] { write_atomically(folder / "a", [](std::ostream& out) { out.setstate(std::ios::badbit); }); });
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

// The temporary name leads to a device on which every write finds the disk full.
TEST(WriteAtomically, full_disk_changes_nothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  fs::create_symlink("/dev/full", folder / (".a." + std::to_string(::getpid()) + ".part"));
  expect_error(ErrorCode::cannot_write, "No space left on device",
               [&] { write_atomically(folder / "a", [](std::ostream& out) { out << std::string(1 << 20, 'x'); }); });
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(WriteAtomically, needs_a_folder_and_a_file_name) {
  const TemporaryFolder folder;
  const auto write = [](std::ostream& out) { out << "x"; };
  expect_error(ErrorCode::cannot_write, "there is no folder", [&] { write_atomically(folder / "missing/a", write); });
  expect_error(ErrorCode::cannot_write, "it is a folder", [&] { write_atomically(folder.path(), write); });
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(WriteAtomically, takes_a_name_without_a_folder) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_atomically("a", [](std::ostream& out) { out << "here"; });
  fs::current_path(before);
  EXPECT_EQ(read_bytes(folder / "a"), "here");
}

}  // namespace
}  // namespace mercer
