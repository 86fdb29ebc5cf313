// What a program asks of the system, made to fail or written down. Loaded before the program by LD_PRELOAD:
//
//   FAULT_CALL=write FAULT_AT=3   the third write to a file fails; see `faulty` for the kinds of calls
//   FAULT_FOR=1                   so many fail from there on; 0: all of them, as on a full disk
//   FAULT_TRACE=1                 who asked for what fails, on standard error
//   FAULT_REPORT=FILE             how many there were, written at the end
//   FAULT_PLACES=FILE             of allocations: the first one from each place of the program, by its number
//   FAULT_RECORD=FILE             every call that changes a file or a folder, in their order, for disk.py
//
// Calls count from the start of main. They go to the kernel directly, so that nothing here depends on what is replaced.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

#define THREAD_OWN __thread __attribute__((tls_model("initial-exec")))  // no allocation on first use

enum class Call { none, write, rename, fsync, mmap, memory };

// What is to fail, and how often it was called.
struct Plan {
  Call call = Call::none;
  std::uint64_t first = 0, count = 1;
  std::atomic<std::uint64_t> calls{0};
  std::atomic<bool> begun{false};
  int places = -1, record = -1;
  bool trace = false;
} plan;

pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
THREAD_OWN bool inside = false;  // a call of this file's own

enum class Verdict { pass, half, fail };

// Counts a call. On a full disk the first write that does not fit is cut short.
Verdict verdict(Call call) {
  if (plan.call != call || !plan.begun || inside) return Verdict::pass;
  const std::uint64_t number = ++plan.calls;
  if (plan.first == 0 || number < plan.first) return Verdict::pass;
  if (plan.count != 0) return number < plan.first + plan.count ? Verdict::fail : Verdict::pass;
  return call == Call::write && number == plan.first ? Verdict::half : Verdict::fail;
}

bool faulty(Call call) {
  if (verdict(call) == Verdict::pass) return false;
  if (!plan.trace) return true;
  void* stack[40];
  inside = true;
  backtrace_symbols_fd(stack, backtrace(stack, 40), 2);
  inside = false;
  return true;
}

template <class Result>
Result failed(int trouble, Result result) {
  errno = trouble;
  return result;
}

int disk_trouble() { return plan.count == 0 ? ENOSPC : EIO; }

int open_to_write(const char* path) {
  return path == nullptr
             ? -1
             : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
}

void put(int file, const void* data, std::size_t size) { syscall(SYS_write, file, data, size); }

bool facts_of(int file, struct stat& facts) { return syscall(SYS_newfstatat, file, "", &facts, AT_EMPTY_PATH) == 0; }

bool is_file(int file) {
  struct stat facts {};
  return facts_of(file, facts) && S_ISREG(facts.st_mode);
}

// Records are lines of fields between tabs; the bytes of a write follow its line. Holds the order of calls while it
// lives, so that they are written down as they happened.
class Record {
 public:
  Record() : on_(plan.record >= 0 && !inside) {
    if (!on_) return;
    pthread_mutex_lock(&order);
    inside = true;
  }
  ~Record() {
    if (!on_) return;
    inside = false;
    pthread_mutex_unlock(&order);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
  explicit operator bool() const { return on_; }

  __attribute__((format(printf, 2, 3))) void line(const char* format, ...) const {
    const int before = errno;
    char text[3 * 4096];
    va_list fields;
    va_start(fields, format);
    const int size = std::vsnprintf(text, sizeof text, format, fields);
    va_end(fields);
    put(plan.record, text, static_cast<std::size_t>(size));
    errno = before;
  }
  void written(int file, const void* data, ssize_t size, off_t offset) const {
    struct stat facts {};
    if (!on_ || size <= 0 || !facts_of(file, facts)) return;
    line("write\t%llu\t%lld\t%lld\n", static_cast<unsigned long long>(facts.st_ino), static_cast<long long>(offset),
         static_cast<long long>(size));
    put(plan.record, data, static_cast<std::size_t>(size));
  }
  // A call about the inode behind a descriptor.
  void about(const char* what, int file, long long number) const {
    struct stat facts {};
    if (!on_ || !facts_of(file, facts)) return;
    line("%s\t%llu\t%lld\n", what, static_cast<unsigned long long>(facts.st_ino), number);
  }

 private:
  bool on_;
};

// An absolute path for what a call names.
struct Path {
  Path(int folder, const char* name) {
    std::size_t size = 0;
    if (name[0] != '/') {
      if (folder == AT_FDCWD) {
        size = syscall(SYS_getcwd, text, sizeof text) > 0 ? std::strlen(text) : 0;
      } else {
        char link[64];
        std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        const long got = syscall(SYS_readlinkat, AT_FDCWD, link, text, sizeof text - 1);
        size = got > 0 ? static_cast<std::size_t>(got) : 0;
      }
      text[size++] = '/';
    }
    std::snprintf(text + size, sizeof text - size, "%s", name);
  }
  char text[4096] = {};
};

bool exists(const char* path) {
  struct stat facts {};
  return syscall(SYS_newfstatat, AT_FDCWD, path, &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

int do_open(int folder, const char* name, int flags, mode_t mode) {
  const Record record;
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;  // nothing of it survives
  if (!record || !writes || nameless) return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
  const Path path(folder, name);
  const bool there = exists(path.text);
  const int file = static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
  struct stat facts {};
  if (file < 0 || !facts_of(file, facts) || !S_ISREG(facts.st_mode)) return file;
  record.line("%s\t%llu\t%s\n", there ? "open" : "create", static_cast<unsigned long long>(facts.st_ino), path.text);
  if (there && (flags & O_TRUNC) != 0) record.about("truncate", file, 0);
  return file;
}

off_t place_in(int file) {
  const int flags = static_cast<int>(syscall(SYS_fcntl, file, F_GETFL));
  return syscall(SYS_lseek, file, 0, (flags & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
}

ssize_t do_write(int file, const void* data, std::size_t size, bool here, off_t offset) {
  if (!is_file(file)) return syscall(SYS_write, file, data, size);
  const Verdict now = verdict(Call::write);
  if (now == Verdict::half && size > 1) size /= 2;
  if (now == Verdict::fail || (now == Verdict::half && size <= 1)) return failed<ssize_t>(disk_trouble(), -1);
  const Record record;
  const off_t place = here ? place_in(file) : offset;
  const ssize_t done = here ? syscall(SYS_write, file, data, size) : syscall(SYS_pwrite64, file, data, size, offset);
  record.written(file, data, done, place);
  return done;
}

int do_truncate(int file, off_t size) {
  if (is_file(file) && faulty(Call::write)) return failed(disk_trouble(), -1);
  const Record record;
  const int done = static_cast<int>(syscall(SYS_ftruncate, file, size));
  if (done == 0) record.about("truncate", file, size);
  return done;
}

int do_reserve(int file, off_t from, off_t size) {
  if (faulty(Call::write)) return disk_trouble();
  return syscall(SYS_fallocate, file, 0, from, size) == 0 ? 0 : errno;
}

int do_sync(long call, int file) {
  if (faulty(Call::fsync)) return failed(EIO, -1);
  const Record record;
  const int done = static_cast<int>(syscall(call, file));
  if (done != 0 || !record) return done;
  struct stat facts {};
  if (!facts_of(file, facts)) return done;
  if (S_ISDIR(facts.st_mode)) {
    record.line("syncdir\t%s\n", Path(file, ".").text);
  } else {
    record.about("sync", file, 0);
  }
  return done;
}

int do_rename(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (faulty(Call::rename)) return failed(disk_trouble(), -1);
  const Record record;
  const int done = static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
  if (done == 0 && record) {
    const char* const line = flags == RENAME_EXCHANGE ? "exchange\t%s\t%s\n" : "rename\t%s\t%s\n";
    record.line(line, Path(from_folder, from).text, Path(to_folder, to).text);
  }
  return done;
}

int do_unlink(int folder, const char* name, int flags) {
  const Record record;
  if (!record) return static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
  const Path path(folder, name);
  const int done = static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
  if (done == 0) record.line("%s\t%s\n", (flags & AT_REMOVEDIR) != 0 ? "rmdir" : "unlink", path.text);
  return done;
}

int do_mkdir(int folder, const char* name, mode_t mode) {
  const Record record;
  const int done = static_cast<int>(syscall(SYS_mkdirat, folder, name, mode));
  if (done == 0 && record) record.line("mkdir\t%s\n", Path(folder, name).text);
  return done;
}

void* do_map(void* place, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (faulty(Call::mmap)) return failed(ENOMEM, reinterpret_cast<void*>(-1));
  return reinterpret_cast<void*>(syscall(SYS_mmap, place, size, protection, flags, file, offset));
}

// Whether an allocation is the first from its place: the innermost functions that led to it.
bool is_new_place() {
  constexpr std::size_t slots = 1 << 18;
  static std::atomic<std::uint64_t> known[slots];
  void* stack[12];
  const int depth = backtrace(stack, 12);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int i = 2; i < depth; ++i) hash = (hash ^ reinterpret_cast<std::uintptr_t>(stack[i])) * 0x100000001b3;
  for (std::size_t slot = hash % slots, tries = 0; tries < 64; slot = (slot + 1) % slots, ++tries) {
    std::uint64_t seen = 0;
    if (known[slot].compare_exchange_strong(seen, hash)) return true;
    if (seen == hash) return false;
  }
  return true;
}

bool memory_is_out() {
  if (plan.call != Call::memory || !plan.begun || inside) return false;
  const bool out = faulty(Call::memory);
  if (plan.places < 0) return out;
  inside = true;
  const int before = errno;
  const std::uint64_t number = plan.calls;
  char line[24];
  if (is_new_place()) put(plan.places, line, std::snprintf(line, sizeof line, "%llu\n", (unsigned long long)number));
  errno = before;
  inside = false;
  return out;
}

std::uint64_t number_in(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

__attribute__((constructor)) void read_plan() {
  constexpr const char* names[] = {"none", "write", "rename", "fsync", "mmap", "memory"};
  const char* const wanted = std::getenv("FAULT_CALL");
  for (int i = 0; wanted != nullptr && i < 6; ++i) {
    if (std::strcmp(wanted, names[i]) == 0) plan.call = static_cast<Call>(i);
  }
  plan.first = number_in("FAULT_AT", 0);
  plan.count = number_in("FAULT_FOR", 1);
  plan.trace = number_in("FAULT_TRACE", 0) != 0;
  plan.places = open_to_write(std::getenv("FAULT_PLACES"));
  plan.record = open_to_write(std::getenv("FAULT_RECORD"));
  void* stack[2];
  backtrace(stack, 2);  // it loads a library the first time
}

__attribute__((destructor)) void report() {
  const int file = open_to_write(std::getenv("FAULT_REPORT"));
  char line[24];
  if (file >= 0) put(file, line, std::snprintf(line, sizeof line, "%llu\n", (unsigned long long)plan.calls.load()));
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int count, char** words, char** environment) {
  plan.begun = true;
  const int code = real_main(count, words, environment);
  plan.begun = false;
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int count, char** words, void (*begin)(), void (*end)(), void (*loader)(),
                      void* stack) {
  real_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"))(counted_main, count, words, begin, end, loader,
                                                                        stack);
}

#define MODE_OF(flags, mode)                                        \
  mode_t mode = 0;                                                  \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list more;                                                   \
    va_start(more, flags);                                          \
    mode = va_arg(more, mode_t);                                    \
    va_end(more);                                                   \
  }

int open(const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return do_open(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return do_open(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return do_open(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return do_open(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) { return do_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

ssize_t write(int file, const void* data, std::size_t size) { return do_write(file, data, size, true, 0); }
ssize_t pwrite(int file, const void* data, std::size_t size, off_t at) { return do_write(file, data, size, false, at); }
ssize_t pwrite64(int file, const void* data, std::size_t size, off64_t at) {
  return do_write(file, data, size, false, at);
}
ssize_t writev(int file, const iovec* parts, int count) {
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const ssize_t done = do_write(file, parts[i].iov_base, parts[i].iov_len, true, 0);
    if (done < 0) return all > 0 ? all : -1;
    all += done;
    if (static_cast<std::size_t>(done) < parts[i].iov_len) break;
  }
  return all;
}
int ftruncate(int file, off_t size) { return do_truncate(file, size); }
int ftruncate64(int file, off64_t size) { return do_truncate(file, size); }
int posix_fallocate(int file, off_t from, off_t size) { return do_reserve(file, from, size); }
int posix_fallocate64(int file, off64_t from, off64_t size) { return do_reserve(file, from, size); }
// Callers then copy by reading and writing.
ssize_t sendfile(int, int, off_t*, std::size_t) { return failed<ssize_t>(ENOSYS, -1); }
ssize_t sendfile64(int, int, off64_t*, std::size_t) { return failed<ssize_t>(ENOSYS, -1); }
ssize_t copy_file_range(int, off64_t*, int, off64_t*, std::size_t, unsigned) { return failed<ssize_t>(ENOSYS, -1); }

int fsync(int file) { return do_sync(SYS_fsync, file); }
int fdatasync(int file) { return do_sync(SYS_fdatasync, file); }

int rename(const char* from, const char* to) noexcept { return do_rename(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int folder, const char* from, int other, const char* to) noexcept {
  return do_rename(folder, from, other, to, 0);
}
int renameat2(int folder, const char* from, int other, const char* to, unsigned flags) noexcept {
  return do_rename(folder, from, other, to, flags);
}

int unlink(const char* path) noexcept { return do_unlink(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char* path, int flags) noexcept { return do_unlink(folder, path, flags); }
int rmdir(const char* path) noexcept { return do_unlink(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  const int done = do_unlink(AT_FDCWD, path, 0);
  return done != 0 && errno == EISDIR ? do_unlink(AT_FDCWD, path, AT_REMOVEDIR) : done;
}
int mkdir(const char* path, mode_t mode) noexcept { return do_mkdir(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char* path, mode_t mode) noexcept { return do_mkdir(folder, path, mode); }

void* mmap(void* place, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return do_map(place, size, protection, flags, file, offset);
}
void* mmap64(void* place, std::size_t size, int protection, int flags, int file, off64_t offset) noexcept {
  return do_map(place, size, protection, flags, file, offset);
}

void* malloc(std::size_t size) noexcept {
  return memory_is_out() ? failed<void*>(ENOMEM, nullptr) : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  return memory_is_out() ? failed<void*>(ENOMEM, nullptr) : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  return memory_is_out() ? failed<void*>(ENOMEM, nullptr) : __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return memory_is_out() ? failed<void*>(ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** place, std::size_t alignment, std::size_t size) noexcept {
  void* const got = memalign(alignment, size);
  if (got == nullptr) return ENOMEM;
  *place = got;
  return 0;
}

}  // extern "C"
