#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <streambuf>

#include <sys/mman.h>

/// Memory that takes no room until it is written to: what is only read is one shared page of zeros.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t size) : size_(size) {
    void* const memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) data_ = static_cast<char*>(memory);
  }
  ~SparseMemory() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  char* data() const { return data_; }
  std::span<const std::byte> bytes(std::size_t size) const { return std::as_bytes(std::span(data_, size)); }

 private:
  std::size_t size_;
  char* data_ = nullptr;
};

/// A file in such memory. Of a long write only both ends are copied: the test has zeros between them.
class SparseFile : public std::streambuf {
 public:
  explicit SparseFile(const SparseMemory& memory) : memory_(memory) {}
  std::size_t size() const { return size_; }

 protected:
  std::streamsize xsputn(const char* data, std::streamsize signed_count) override {
    if (signed_count == 0) return 0;
    const auto count = static_cast<std::size_t>(signed_count);
    const std::size_t end = std::min<std::size_t>(count, 65536);
    std::memcpy(memory_.data() + size_, data, end);
    std::memcpy(memory_.data() + size_ + count - end, data + count - end, end);
    size_ += count;
    return signed_count;
  }

 private:
  const SparseMemory& memory_;
  std::size_t size_ = 0;
};
