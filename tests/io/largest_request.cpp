#include "support/largest_request.hpp"

#include <cstdlib>
#include <new>

// In a file of its own: a compiler that sees the calls as well believes that `new` and `free` are mixed up.

std::atomic<std::size_t> largest_request = 0;

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  std::size_t before = largest_request;
  while (before < size && !largest_request.compare_exchange_weak(before, size)) {
  }
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
