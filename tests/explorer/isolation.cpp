#include "explorer/isolation.hpp"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.hpp"
#include "support/temporary.hpp"

// What a process can still do after it gave the rest up, tried by doing it.

namespace {

// In a copy of this process: 0 where all is as expected, otherwise the number of the first expectation that is not met.
int ends_with(const std::function<int()>& work) {
  const pid_t copy = ::fork();
  if (copy == 0) ::_exit(work());
  int status = 0;
  ::waitpid(copy, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool opens(const std::filesystem::path& path, int flags) {
  const int number = ::open(path.c_str(), flags, 0600);
  if (number >= 0) ::close(number);
  return number >= 0;
}

// A TCP socket that listens on loopback, and its address.
int listening(sockaddr_in& address) {
  address = {.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  socklen_t size = sizeof address;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(socket, 5) != 0) return -1;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  return socket;
}

bool connects(const sockaddr_in& address) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (socket < 0) return false;
  const bool done = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return done;
}

TEST(Isolation, nothing_is_written_before_anything_is_read) {
  if (ends_with([] { return isolation::before_reading().empty() ? 0 : 1; }) != 0) GTEST_SKIP() << "needs Landlock";
  const TemporaryFolder folder;
  write_bytes(folder / "own", "own");
  sockaddr_in address{};
  ASSERT_GE(listening(address), 0);
  ASSERT_TRUE(connects(address));
  EXPECT_EQ(ends_with([&] {
              isolation::before_reading();
              if (!opens(folder / "own", O_RDONLY)) return 1;
              if (opens(folder / "own", O_WRONLY)) return 2;
              if (opens(folder / "new", O_WRONLY | O_CREAT)) return 3;
              if (::unlink((folder / "own").c_str()) == 0) return 4;
              if (::rename((folder / "own").c_str(), (folder / "other").c_str()) == 0) return 5;
              if (::mkdir((folder / "new").c_str(), 0700) == 0) return 6;
              if (::symlink("own", (folder / "link").c_str()) == 0) return 7;
              if (!opens("/dev/null", O_RDWR)) return 8;
              ::execl("/bin/true", "true", nullptr);
              if (errno != EACCES) return 9;
              sockaddr_in own{};
              if (listening(own) < 0) return 10;
              int in_a_thread = 0;
              std::thread([&] { in_a_thread = opens(folder / "own", O_WRONLY) ? 1 : 0; }).join();
              return in_a_thread == 0 ? 0 : 11;
            }),
            0);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"own"});
}

// Threads that began before lose the same as those that begin afterwards.
TEST(Isolation, a_server_computes_and_answers_and_does_nothing_else) {
  if (ends_with([] { return isolation::before_serving().empty() ? 0 : 1; }) != 0)
    GTEST_SKIP() << "needs seccomp, and a build without sanitizers";
  const TemporaryFolder folder;
  write_bytes(folder / "own", "own");
  sockaddr_in address{};
  const int socket = listening(address);
  ASSERT_GE(socket, 0);
  const auto gave_up = [&]() -> int {
    if (opens(folder / "own", O_RDONLY) || opens("/dev/null", O_RDONLY) || opens("/proc/self/status", O_RDONLY))
      return 1;
    if (opens(folder / "new", O_WRONLY | O_CREAT) || ::unlink((folder / "own").c_str()) == 0) return 2;
    if (std::error_code none; std::filesystem::exists(folder / "own", none)) return 3;  // not even whether it is there
    ::execl("/bin/true", "true", nullptr);
    if (errno != EPERM) return 4;
    if (const pid_t copy = ::fork(); copy >= 0) {
      if (copy == 0) ::_exit(0);
      return 5;
    }
    if (::socket(AF_INET, SOCK_STREAM, 0) >= 0 || ::socket(AF_UNIX, SOCK_DGRAM, 0) >= 0) return 6;
    if (::kill(::getppid(), 0) == 0) return 7;
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) return 8;
    if (::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) return 9;
    void* const memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 10;
    if (::mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0) return 11;
    return ::munmap(memory, 4096) == 0 ? 0 : 12;
  };
  EXPECT_EQ(ends_with([&] {
              std::atomic<bool> now = false;
              int earlier = -1, later = -1;
              std::thread before([&] {
                now.wait(false);
                earlier = gave_up();
              });
              isolation::before_serving();
              now = true;
              now.notify_all();
              before.join();
              std::thread([&] { later = gave_up(); }).join();
              const int own = gave_up();
              return own != 0 ? own : earlier != 0 ? 20 + earlier : later != 0 ? 40 + later : 0;
            }),
            0);
  // It answers on what was bound before.
  std::thread peer([&] {
    const int own = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::send(own, "ab", 2, MSG_NOSIGNAL), 2);
    char got[2];
    EXPECT_EQ(::recv(own, got, 2, MSG_WAITALL), 2);
    EXPECT_EQ(got[0], 'a');
    ::close(own);
  });
  EXPECT_EQ(ends_with([&] {
              isolation::before_serving();
              const int own = ::accept(socket, nullptr, nullptr);
              char got[2];
              return ::recv(own, got, 2, MSG_WAITALL) == 2 && ::send(own, got, 2, MSG_NOSIGNAL) == 2 ? 0 : 1;
            }),
            0);
  peer.join();
}

}  // namespace
