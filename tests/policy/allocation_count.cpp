#include "support/allocation_count.hpp"

#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MERCER_HAS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MERCER_HAS_SANITIZER
#endif
#endif

std::atomic<std::size_t> allocation_count = 0;

#ifdef MERCER_HAS_SANITIZER

// A sanitizer has taken the place of malloc already, and tells who asks.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                         void (*)(const volatile void*));

namespace {
const int installed = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { allocation_count.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});
}  // namespace

#else

// Stands in front of glibc's own functions, under the names that it keeps for this.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}

#endif
