#pragma once

#include <array>
#include <atomic>
#include <cstddef>

// Memory that a server keeps for the moment when there is no more. Allocations that would fail then get it, piece by
// piece, so that requests under way can end: even destructors of JSON documents ask for memory, and must not fail. New
// requests are refused until the reserve is whole again. Allocations fail as usual once it is used up.
class MemoryReserve {
 public:
  MemoryReserve();  // at most one at a time
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  // Maps again what was used. False if that fails.
  bool restore();

 private:
  static void use();  // what `operator new` calls before it tries again

  static constexpr std::size_t piece_bytes = std::size_t{4} << 20;
  std::array<std::atomic<void*>, 16> pieces_{};
};
