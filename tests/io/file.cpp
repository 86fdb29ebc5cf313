#include "io/file.hpp"

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sha256.hpp"
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

TEST(ReplaceAtomically, replaces_the_file_that_is_meant) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  std::filesystem::permissions(folder / "a", std::filesystem::perms{0600});
  std::vector<std::string> asked;
  const auto is_old = [&](const std::filesystem::path& now) { return asked.emplace_back(read_bytes(now)) == "old"; };
  replace_atomically(folder / "a", is_old, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_EQ(asked, (std::vector<std::string>{"old", "old"}));  // before and after it lost its name
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
  EXPECT_EQ(std::filesystem::status(folder / "a").permissions(), std::filesystem::perms{0600});
}

TEST(ReplaceAtomically, leaves_another_file) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "another");
  expect_error(ErrorCode::cannot_write, "was replaced by another file meanwhile", [&] {
    replace_atomically(
        folder / "a", [](const std::filesystem::path& now) { return read_bytes(now) == "old"; },
        [](std::ostream& out) { out << "new"; });
  });
  EXPECT_EQ(read_bytes(folder / "a"), "another");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

// It comes after the first look, and a third one while the second goes back.
TEST(ReplaceAtomically, brings_back_what_came_in_the_last_moment) {
  for (const bool third : {false, true}) {
    const TemporaryFolder folder;
    write_bytes(folder / "a", "old");
    const auto replace = [&](const std::string& bytes) {
      write_bytes(folder / "moving", bytes);
      std::filesystem::rename(folder / "moving", folder / "a");
    };
    int looks = 0;
    const auto is_old = [&](const std::filesystem::path& now) {
      const bool right = read_bytes(now) == "old";
      if (++looks == 1) replace("another");
      if (looks == 2 && third) replace("a third one");
      return right;
    };
    expect_error(ErrorCode::cannot_write, "that one stays",
                 [&] { replace_atomically(folder / "a", is_old, [](std::ostream& out) { out << "new"; }); });
    EXPECT_EQ(read_bytes(folder / "a"), third ? "a third one" : "another");
    EXPECT_EQ(names_in(folder.path()), Names{"a"});
  }
}

TEST(ReplaceAtomically, brings_back_what_cannot_be_looked_at) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  int looks = 0;
  const auto fails = [&](const std::filesystem::path&) -> bool {
    if (++looks == 2) throw std::runtime_error("no memory");
    return true;
  };
  EXPECT_THROW(replace_atomically(folder / "a", fails, [](std::ostream& out) { out << "new"; }), std::runtime_error);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
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

// A limit on the size of files stands for a full disk: the write fails half-way.
TEST(WriteAtomically, a_write_that_fails_changes_nothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit small{4096, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(ErrorCode::cannot_write, "File too large",
               [&] { write_atomically(folder / "a", [](std::ostream& out) { out << std::string(1 << 20, 'x'); }); });
  ::setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(read_bytes(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), Names{"a"});
}

TEST(WriteAtomically, says_why_a_device_takes_nothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  expect_error(ErrorCode::cannot_write, "No space left on device",
               [&] { write_atomically("/dev/full", [](std::ostream& out) { out << std::string(1 << 20, 'x'); }); });
}

// Somebody who may write to the folder could lead the writer elsewhere.
TEST(WriteAtomically, follows_no_link_under_its_temporary_name) {
  const TemporaryFolder folder;
  const std::string planted = ".a." + std::to_string(::getpid()) + ".part";
  write_bytes(folder / "victim", "precious");
  fs::create_symlink(folder / "victim", folder / planted);
  write_atomically(folder / "a", [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(read_bytes(folder / "victim"), "precious");
  EXPECT_EQ(read_bytes(folder / "a"), "new");
  EXPECT_FALSE(fs::is_symlink(folder / "a"));
  EXPECT_TRUE(fs::is_symlink(folder / planted));
  EXPECT_EQ(names_in(folder.path()).size(), 3U);
}

TEST(WriteAtomically, keeps_the_mode_of_what_it_replaces) {
  const TemporaryFolder folder;
  for (const auto mode : {0600, 0640, 0444, 0755}) {
    write_bytes(folder / "a", "old");
    fs::permissions(folder / "a", static_cast<fs::perms>(mode));
    write_atomically(folder / "a", [](std::ostream& out) { out << "new"; });
    EXPECT_EQ(static_cast<int>(fs::status(folder / "a").permissions()), mode);
    fs::remove(folder / "a");
  }
}

TEST(WriteAtomically, takes_the_longest_name_that_there_is) {
  const TemporaryFolder folder;
  const std::string longest(255, 'n');
  write_atomically(folder / longest, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(read_bytes(folder / longest), "new");
  expect_error(ErrorCode::cannot_write, "File name too long",
               [&] { write_atomically(folder / (longest + "n"), [](std::ostream& out) { out << "new"; }); });
  EXPECT_EQ(names_in(folder.path()), Names{longest});
}

// Nobody writes to the pipe: a reader that opened it would wait for ever.
TEST(ReadFile, refuses_pipes_and_devices) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const fs::path& path : {folder / "pipe", fs::path("/dev/zero")}) {
    expect_error(ErrorCode::cannot_open, "no ordinary file", [&] { read_file(path); });
    expect_error(ErrorCode::cannot_open, "no ordinary file", [&] { sha256_file(path); });
  }
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
