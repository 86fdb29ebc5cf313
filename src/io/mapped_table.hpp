#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace mercer {

/// A table of single-precision numbers, zero at first, that lies in a file and is read and written as if it were
/// memory: the system keeps what fits there and the rest on the disk.
///
/// The file is in `folder` and has no name any more when the constructor returns, so nothing is left behind however the
/// process ends. Its room is taken at once: a full disk is an error here, not a signal later.
class MappedTable {
 public:
  MappedTable() = default;
  /// Throws `cannot_write` where there is no such folder, it may not be written to or the disk has no room, and
  /// `too_large` for more bytes than a file can have. A table of no rows needs no file.
  MappedTable(const std::filesystem::path& folder, std::size_t rows, std::size_t columns);
  ~MappedTable();
  MappedTable(MappedTable&& other) noexcept { swap(other); }
  MappedTable& operator=(MappedTable&& other) noexcept {
    swap(other);
    return *this;
  }
  MappedTable(const MappedTable&) = delete;
  MappedTable& operator=(const MappedTable&) = delete;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t bytes() const { return rows_ * columns_ * sizeof(float); }
  /// All numbers, row after row.
  std::span<const float> values() const { return {values_, rows_ * columns_}; }
  /// Rows [begin, end). Threads may write different rows at once.
  std::span<float> block(std::size_t begin, std::size_t end) {
    return {values_ + begin * columns_, (end - begin) * columns_};
  }
  std::span<const float> block(std::size_t begin, std::size_t end) const {
    return {values_ + begin * columns_, (end - begin) * columns_};
  }

 private:
  void swap(MappedTable& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(rows_, other.rows_);
    std::swap(columns_, other.columns_);
  }

  float* values_ = nullptr;
  std::size_t rows_ = 0, columns_ = 0;
};

/// Throws as a table of few bytes in that folder would: to be asked before long work.
void check_scratch(const std::filesystem::path& folder);

}  // namespace mercer
