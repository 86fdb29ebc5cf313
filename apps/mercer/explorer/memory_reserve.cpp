#include "explorer/memory_reserve.hpp"

#include <new>

#include <sys/mman.h>

namespace {

MemoryReserve* the_reserve = nullptr;
std::new_handler before = nullptr;

}  // namespace

MemoryReserve::MemoryReserve() {
  restore();
  the_reserve = this;
  before = std::set_new_handler(use);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(before);
  the_reserve = nullptr;
  for (auto& piece : pieces_) {
    if (void* const mapped = piece.exchange(nullptr)) ::munmap(mapped, piece_bytes);
  }
}

bool MemoryReserve::restore() {
  for (auto& piece : pieces_) {
    if (piece != nullptr) continue;
    void* const mapped = ::mmap(nullptr, piece_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    void* none = nullptr;
    if (!piece.compare_exchange_strong(none, mapped)) ::munmap(mapped, piece_bytes);  // another thread was first
  }
  return true;
}

void MemoryReserve::use() {
  for (auto& piece : the_reserve->pieces_) {
    if (void* const mapped = piece.exchange(nullptr)) {
      ::munmap(mapped, piece_bytes);
      return;
    }
  }
  if (before == nullptr) throw std::bad_alloc();
  before();
}
