#include "env/mujoco/apart.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mercer/error.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MERCER_SHADOW_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MERCER_SHADOW_MEMORY
#endif

namespace mercer {
namespace {

using Clock = std::chrono::steady_clock;

// An answer begins with one of these; problem and remedy of an error are separated by a zero.
constexpr char done = 'd', failed = 'e';

void limit(int resource, double most) {
  rlimit now{};
  getrlimit(resource, &now);
  now.rlim_cur = std::min(now.rlim_max, static_cast<rlim_t>(most));
  setrlimit(resource, &now);
}

void set_limits(const ApartLimits& limits) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, std::ceil(limits.seconds) + 1);  // for a copy whose parent is gone
#ifndef MERCER_SHADOW_MEMORY
  double pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages) {
    limit(RLIMIT_AS, pages * static_cast<double>(sysconf(_SC_PAGESIZE)) + limits.megabytes * 1024 * 1024);
  }
#endif
}

std::string answer_of(const std::function<std::string()>& work) {
  try {
    return done + work();
  } catch (const Error& error) {
    return fmt::format("{}{} {}{}{}", failed, static_cast<int>(error.code()), error.problem(), '\0', error.remedy());
  }
}

[[noreturn]] void answer_and_end(int pipe, const ApartLimits& limits, const std::function<std::string()>& work) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGXCPU}) {
    std::signal(signal, SIG_DFL);
  }
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  set_limits(limits);
  try {
    const std::string answer = answer_of(work);
    for (std::size_t at = 0; at < answer.size();) {
      const ssize_t count = write(pipe, answer.data() + at, answer.size() - at);
      if (count < 0 && errno != EINTR) _exit(1);
      at += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
  } catch (const std::bad_alloc&) {
    _exit(ENOMEM);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// All that comes out of the pipe before the deadline; false when the deadline comes first.
bool read_until(Clock::time_point deadline, int pipe, std::string& text) {
  std::array<char, 1 << 16> block{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{pipe, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t count = read(pipe, block.data(), block.size());
    if (count == 0) return true;
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  }
}

[[noreturn]] void throw_beyond(const std::string& what, const std::string& limit) {
  throw Error(ErrorCode::too_large, fmt::format("{} needs more than {}", what, limit), "Simplify it");
}

/// Throws what the end of the copy means.
[[noreturn]] void throw_end(const std::string& what, int status, const ApartLimits& limits) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGINT || signal == SIGTERM) throw Error(ErrorCode::interrupted, "interrupted", "Run it again");
    if (signal == SIGXCPU) throw_beyond(what, fmt::format("{} s", limits.seconds));
    throw Error(ErrorCode::bad_format, fmt::format("{} makes MuJoCo crash: {}", what, strsignal(signal)),
                "Take parts out of it until it loads");
  }
  if (WEXITSTATUS(status) == ENOMEM) throw_beyond(what, fmt::format("{} MB", limits.megabytes));
  throw Error(ErrorCode::bad_format, fmt::format("{} makes MuJoCo exit with code {}", what, WEXITSTATUS(status)),
              "Take parts out of it until it loads");
}

}  // namespace

std::string run_apart(const std::string& what, const ApartLimits& limits, const std::function<std::string()>& work) {
  std::array<int, 2> pipe{};
  const auto start_failed = [&] {
    return Error(ErrorCode::too_large, fmt::format("{}: no process can be started: {}", what, std::strerror(errno)),
                 "End other programs, or allow more processes and open files");
  };
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw start_failed();
  const pid_t copy = fork();
  if (copy == 0) answer_and_end(pipe[1], limits, work);
  close(pipe[1]);
  if (copy < 0) {
    const Error error = start_failed();
    close(pipe[0]);
    throw error;
  }
  std::string answer;
  const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  const bool in_time = read_until(Clock::now() + time, pipe[0], answer);
  close(pipe[0]);
  if (!in_time) kill(copy, SIGKILL);
  int status = 0;
  while (waitpid(copy, &status, 0) < 0 && errno == EINTR) continue;

  if (!in_time) throw_beyond(what, fmt::format("{} s", limits.seconds));
  if (answer.empty() || status != 0) throw_end(what, status, limits);
  if (answer[0] == done) return answer.substr(1);
  const std::size_t space = answer.find(' '), zero = answer.find('\0');
  throw Error(static_cast<ErrorCode>(std::stoi(answer.substr(1))), answer.substr(space + 1, zero - space - 1),
              answer.substr(zero + 1));
}

}  // namespace mercer
