#include "io/mapped_table.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// A file that only its handle keeps alive.
class Nameless {
 public:
  explicit Nameless(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
      throw Error(ErrorCode::cannot_write, fmt::format("there is no folder '{}' for scratch files", folder.string()),
                  "Make it, or name one that is there");
    }
    // Nameless from the start, where the file system has such files: a process that is killed then leaves nothing.
    handle_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (handle_ >= 0) return;
    std::string name = (folder / "mercer-XXXXXX").string();
    handle_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (handle_ < 0) {
      throw Error(ErrorCode::cannot_write,
                  fmt::format("no scratch file can be made in '{}': {}", folder.string(), std::strerror(errno)),
                  "Name a folder that you may write to");
    }
    ::unlink(name.c_str());
  }
  ~Nameless() { ::close(handle_); }
  Nameless(const Nameless&) = delete;
  Nameless& operator=(const Nameless&) = delete;
  int handle() const { return handle_; }

 private:
  int handle_;
};

[[noreturn]] void throw_no_room(const fs::path& folder, std::size_t bytes, int trouble) {
  std::error_code ignored;
  const fs::space_info space = fs::space(folder, ignored);
  throw Error(ErrorCode::cannot_write,
              fmt::format("a scratch file of {:.3g} GiB does not fit in '{}', which has {:.3g} GiB left: {}",
                          static_cast<double>(bytes) / 0x1p30, folder.string(),
                          ignored ? 0.0 : static_cast<double>(space.available) / 0x1p30, std::strerror(trouble)),
              "Name a folder on a larger disk, or take fewer bins or episodes");
}

}  // namespace

MappedTable::MappedTable(const fs::path& folder, std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns) {
  constexpr std::size_t most = (std::size_t{1} << 62) / sizeof(float);
  if (rows > 0 && columns > most / rows) {
    throw Error(ErrorCode::too_large, fmt::format("a table of {} x {} numbers; legal: up to 2^60", rows, columns),
                "Take fewer bins");
  }
  const Nameless file(folder);
  if (bytes() == 0) return;
  // Room that is only promised would end the process when the disk is full.
  const int trouble = ::posix_fallocate(file.handle(), 0, static_cast<off_t>(bytes()));
  if (trouble != 0) throw_no_room(folder, bytes(), trouble);
  void* const place = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file.handle(), 0);
  if (place == MAP_FAILED) throw_no_room(folder, bytes(), errno);
  values_ = static_cast<float*>(place);
}

MappedTable::~MappedTable() {
  if (values_ != nullptr) ::munmap(values_, bytes());
}

void check_scratch(const fs::path& folder) { const Nameless file(folder); }

}  // namespace mercer
