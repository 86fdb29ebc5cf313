#include "io/open_folders.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file.hpp"
#include "io/ordinary.hpp"
#include "io/sha256.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

// Nothing outside of opened folders is read, however it is named, linked or swapped.

namespace mercer {
namespace {

namespace fs = std::filesystem;

// Bytes of an opened file; empty where there is none.
std::string opened_text(const OpenFolders& folders, const fs::path& path) {
  const int number = folders.open(path);
  if (number < 0) return "";
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(number, text.data(), text.size()))));
  ::close(number);
  return text;
}

// A given folder with a file, and a secret beside it.
struct Place {
  TemporaryFolder around;
  fs::path given = around / "given", secret = around / "secret";
  Place() {
    fs::create_directories(given / "deep/er");
    fs::create_directories(around / "given2");
    write_bytes(given / "own", "own");
    write_bytes(given / "deep/er/own", "deep");
    write_bytes(secret, "secret");
    write_bytes(around / "given2/own", "secret of a folder whose name begins alike");
    fs::create_symlink("deep/er/own", given / "inside");
    fs::create_symlink("../../own", given / "deep/er/back");
    fs::create_symlink("../secret", given / "relative");
    fs::create_symlink(secret, given / "absolute");
    fs::create_symlink("..", given / "up");
    fs::create_symlink("relative", given / "twice");
    fs::create_symlink("/proc/self/root", given / "magic");
    fs::create_symlink("loop", given / "loop");
  }
};

// Every way out that is known here is refused, and told apart from what is not there.
void expect_kept_inside(const Place& place, const OpenFolders& folders) {
  const fs::path& given = place.given;
  EXPECT_EQ(opened_text(folders, given / "own"), "own");
  EXPECT_EQ(opened_text(folders, given / "deep/../own"), "own");
  EXPECT_EQ(opened_text(folders, given / "deep/er/own"), "deep");
  EXPECT_EQ(opened_text(folders, given / "inside"), "deep");  // links inside may be followed
  EXPECT_EQ(opened_text(folders, given / "deep/er/back"), "own");
  for (const fs::path& out : {place.secret, given / "../secret", given / "deep/../../secret", given / "relative",
                              given / "absolute", given / "up/secret", given / "twice",
                              given / "magic" / place.secret.relative_path(), place.around / "given2/own",
                              fs::path("/etc/passwd"), place.around / "nothing", given / "../nothing", fs::path("")}) {
    errno = 0;
    EXPECT_EQ(folders.open(out), -1) << out;
    EXPECT_EQ(errno, EXDEV) << out;
    EXPECT_FALSE(folders.contains(out)) << out;
  }
  EXPECT_EQ(folders.open(given / "missing"), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_TRUE(folders.contains(given / "missing"));
  EXPECT_EQ(folders.open(given / "loop"), -1);
}

TEST(OpenFolders, are_not_left) {
  const Place place;
  expect_kept_inside(place, OpenFolders({place.given}));
}

// In a process of its own, which keeps what it gave up; true if all that it expected came about.
template <class Work>
bool holds_in_a_copy(Work work) {
  const pid_t copy = ::fork();
  if (copy == 0) {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 1;
  ::waitpid(copy, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A kernel before 5.6.
bool take_openat2_away() {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{4, code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         ::syscall(SYS_openat2, -1, "", nullptr, 0) == -1 && errno == ENOSYS;
}

TEST(OpenFolders, are_not_left_on_older_kernels) {
  const Place place;
  if (!holds_in_a_copy([] { ASSERT_TRUE(take_openat2_away()); })) GTEST_SKIP() << "needs seccomp";
  EXPECT_TRUE(holds_in_a_copy([&] {
    ASSERT_TRUE(take_openat2_away());
    expect_kept_inside(place, OpenFolders({place.given}));
  }));
}

// Somebody swaps names as fast as the machine can, so that whoever looks first and opens then is led out.
void swap_and_read(const Place& place, const OpenFolders& folders, int times) {
  std::atomic<bool> done = false;
  const fs::path file = place.given / "swapped", folder = place.given / "deep";
  const fs::path real = place.given / "real", link = place.given / "link", away = place.given / "away";
  write_bytes(real, "own");
  fs::create_directories(place.around / "deep/er");
  write_bytes(place.around / "deep/er/own", "secret");
  fs::create_symlink("../deep", away);
  fs::create_symlink("../secret", link);
  fs::create_symlink("real", file);
  std::thread swapper([&] {
    while (!done) {
      ::syscall(SYS_renameat2, AT_FDCWD, file.c_str(), AT_FDCWD, link.c_str(), 2U);  // exchange
      ::syscall(SYS_renameat2, AT_FDCWD, folder.c_str(), AT_FDCWD, away.c_str(), 2U);
    }
  });
  int read = 0, refused = 0;
  for (int i = 0; i < times; ++i) {
    for (const fs::path& path : {file, folder / "er/own"}) {
      const std::string text = opened_text(folders, path);
      EXPECT_TRUE(text.empty() || text == "own" || text == "deep") << text;
      (text.empty() ? refused : read) += 1;
    }
  }
  done = true;
  swapper.join();
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
  printf("  of %d: %d read inside, %d refused\n", 2 * times, read, refused);
}

TEST(OpenFolders, races_lead_nowhere) {
  const Place place;
  swap_and_read(place, OpenFolders({place.given}), 20000);
}

TEST(OpenFolders, races_lead_nowhere_on_older_kernels) {
  const Place place;
  if (!holds_in_a_copy([] { ASSERT_TRUE(take_openat2_away()); })) GTEST_SKIP() << "needs seccomp";
  EXPECT_TRUE(holds_in_a_copy([&] {
    ASSERT_TRUE(take_openat2_away());
    swap_and_read(place, OpenFolders({place.given}), 20000);
  }));
}

TEST(OpenFolders, stay_what_they_were_when_opened) {
  const Place place;
  const OpenFolders folders({place.given});
  fs::rename(place.given, place.around / "moved");
  fs::create_directory(place.given);
  write_bytes(place.given / "own", "another");
  EXPECT_EQ(opened_text(folders, place.given / "own"), "own");
  fs::remove_all(place.given);
  fs::create_directory_symlink(place.around.path(), place.given);
  EXPECT_EQ(opened_text(folders, place.given / "own"), "own");
  EXPECT_EQ(opened_text(folders, place.given / "secret"), "");
}

TEST(OpenFolders, are_known_by_every_name_they_were_given) {
  const Place place;
  fs::create_directory_symlink("given", place.around / "linked");
  const OpenFolders folders({place.around / "linked/"});
  for (const std::string name : {"linked/own", "given/own", "linked/deep/../own"})
    EXPECT_EQ(opened_text(folders, place.around / name), "own") << name;
  const fs::path before = fs::current_path();
  fs::current_path(place.around.path());
  EXPECT_EQ(opened_text(OpenFolders({"given"}), "given/own"), "own");
  EXPECT_EQ(opened_text(OpenFolders({"given/"}), "./given/own"), "own");
  fs::current_path(place.given);
  EXPECT_EQ(opened_text(OpenFolders({"."}), "own"), "own");
  EXPECT_EQ(opened_text(OpenFolders({"."}), "../secret"), "");
  fs::current_path(before);
}

TEST(OpenFolders, list_their_names_and_refuse_other_things) {
  const Place place;
  const OpenFolders folders({place.given / "deep", place.given});
  EXPECT_EQ(folders.names(0), (std::vector<std::string>{"er"}));
  EXPECT_EQ(folders.names(1).size(), 9U);
  EXPECT_EQ(folders.names(1), folders.names(1));
  expect_error(ErrorCode::cannot_open, "Not a directory", [&] { OpenFolders({place.given, place.secret}); });
  expect_error(ErrorCode::cannot_open, "No such file", [&] { OpenFolders({place.around / "nothing"}); });
}

TEST(OpenFolders, allow_a_file_elsewhere_by_its_digest) {
  const Place place;
  OpenFolders folders({place.given});
  EXPECT_FALSE(folders.allow_file(place.secret, sha256("another secret")));
  EXPECT_FALSE(folders.allow_file(place.around / "nothing", sha256("secret")));
  EXPECT_FALSE(folders.allow_file("/dev/null", sha256("")));
  EXPECT_EQ(opened_text(folders, place.secret), "");
  EXPECT_TRUE(folders.allow_file(place.secret, sha256("secret")));
  EXPECT_EQ(opened_text(folders, place.secret), "secret");
  EXPECT_EQ(opened_text(folders, place.secret), "secret");  // from its beginning again
  fs::rename(place.secret, place.around / "moved");
  write_bytes(place.secret, "another");
  EXPECT_EQ(opened_text(folders, place.secret), "secret");
  folders.forget_files();
  EXPECT_EQ(opened_text(folders, place.secret), "");
}

// Readers begin with `OrdinaryFile`, so that none of them leaves the folders.
TEST(ReadingOnly, keeps_every_reader_inside) {
  const Place place;
  const OpenFolders folders({place.given});
  {
    const ReadingOnly limit(&folders);
    EXPECT_EQ(read_text(place.given / "own"), "own");
    EXPECT_EQ(sha256_file(place.given / "own"), sha256("own"));
    EXPECT_TRUE(is_ordinary_file(place.given / "inside"));
    // A file that is there and one that is not look the same.
    for (const fs::path& out : {place.secret, place.around / "nothing", place.given / "relative"}) {
      expect_error(ErrorCode::cannot_open, "lies outside of the given folders", [&] { read_text(out); });
      expect_error(ErrorCode::cannot_open, "lies outside of the given folders", [&] { sha256_file(out); });
      EXPECT_FALSE(is_ordinary_file(out));
    }
    expect_error(ErrorCode::cannot_open, "No such file", [&] { read_text(place.given / "missing"); });
    expect_error(ErrorCode::cannot_open, "is a folder", [&] { read_text(place.given / "deep"); });
    std::thread([&] { EXPECT_FALSE(is_ordinary_file(place.secret)); }).join();
    {
      const ReadingOnly anywhere(nullptr);
      EXPECT_EQ(read_text(place.secret), "secret");
    }
    EXPECT_FALSE(is_ordinary_file(place.secret));
  }
  EXPECT_EQ(read_text(place.secret), "secret");
}

}  // namespace
}  // namespace mercer
