#include "explorer/isolation.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/landlock.hpp"

#if defined(__x86_64__)
#define MERCER_FILTERED_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MERCER_FILTERED_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MERCER_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MERCER_SANITIZED
#endif

namespace isolation {
namespace {

#if defined(MERCER_FILTERED_ARCH) && !defined(MERCER_SANITIZED)

// What a server that has read everything calls, directly and through the C library.
constexpr std::uint32_t allowed[] = {
    // connections
    SYS_accept4, SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg,
    SYS_shutdown, SYS_close, SYS_ppoll, SYS_pselect6, SYS_getsockname, SYS_getpeername, SYS_setsockopt, SYS_getsockopt,
    SYS_fcntl,
#ifdef SYS_accept
    SYS_accept,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_select
    SYS_select,
#endif
    // threads and memory
    SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid, SYS_exit,
    SYS_exit_group, SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_membarrier, SYS_getcpu,
    // time, signals, chance
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_restart_syscall,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_sigaltstack, SYS_getrandom,
    SYS_getrusage, SYS_sysinfo, SYS_uname, SYS_fstat};

// A program for the kernel that looks at one system call.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, MERCER_FILTERED_ARCH, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    for (const std::uint32_t call : allowed) {
      add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    // Threads are let begin, processes are not. The flags of clone3 cannot be looked at: the C library then calls
    // clone.
    fail(SYS_clone3, ENOSYS);
    with_bits(SYS_clone, 0, CLONE_THREAD, true);
    // Memory, but none to execute.
    with_bits(SYS_mmap, 2, PROT_EXEC, false);
    with_bits(SYS_mprotect, 2, PROT_EXEC, false);
    // Signals to itself (abort), names of threads.
    equal(SYS_tgkill, 0, static_cast<std::uint32_t>(::getpid()));
    equal(SYS_prctl, 0, PR_SET_NAME);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  bool install() const {
    const sock_fprog program{static_cast<unsigned short>(size_), const_cast<sock_filter*>(code_.data())};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
  }

 private:
  void add(int code, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code_[size_++] = {static_cast<std::uint16_t>(code), yes, no, k};
  }
  void load(std::size_t place) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(place)); }
  // Both architectures are little-endian: the low half of an argument comes first.
  void load_argument(std::size_t number) { load(offsetof(seccomp_data, args) + 8 * number); }

  void fail(std::uint32_t call, std::uint32_t error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
  }
  // Allowed where an argument has one of these bits, or none of them.
  void with_bits(std::uint32_t call, std::size_t argument, std::uint32_t bits, bool wanted) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 0 : 1, wanted ? 1 : 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  void equal(std::uint32_t call, std::size_t argument, std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load_argument(argument);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  std::array<sock_filter, 2 * std::size(allowed) + 40> code_{};
  std::size_t size_ = 0;
};

bool filter_calls() { return Filter().install(); }

#else
bool filter_calls() { return false; }
#endif

const char* why_no_filter() {
#if defined(MERCER_SANITIZED)
  return "this program is built with sanitizers, which need more system calls: they are not filtered";
#elif !defined(MERCER_FILTERED_ARCH)
  return "system calls are filtered on x86-64 and arm64 only";
#else
  return "this kernel filters no system calls (seccomp)";
#endif
}

constexpr const char* no_landlock = "this kernel has no Landlock: files are not locked away";

}  // namespace

std::vector<std::string> before_reading() {
  if (mercer::landlock({.read = true, .listen = true})) return {};
  return {no_landlock};
}

std::vector<std::string> before_serving() {
  std::vector<std::string> missing;
  mercer::landlock({});  // without it, `before_reading` has said so
  if (!filter_calls()) missing.emplace_back(why_no_filter());
  return missing;
}

}  // namespace isolation
