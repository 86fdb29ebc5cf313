#pragma once

#include <filesystem>

/// A file of floats that is read and written as if it were memory, and removed in the end. Its space on the disk is
/// taken when it is made: a disk that is full is told then, not by a signal later. Throws `cannot_write`.
class MappedTable {
 public:
  MappedTable(std::filesystem::path file, std::size_t rows, std::size_t columns);
  ~MappedTable();
  MappedTable(const MappedTable&) = delete;
  MappedTable& operator=(const MappedTable&) = delete;

  float* values = nullptr;

 private:
  std::filesystem::path file_;
  std::size_t bytes_;
};
