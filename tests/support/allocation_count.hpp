#pragma once

#include <atomic>
#include <cstddef>

/// Pieces of memory that this program was given so far, by `new` or by `malloc` (which Eigen calls). The test program
/// that uses it compiles allocation_count.cpp.
extern std::atomic<std::size_t> allocation_count;
