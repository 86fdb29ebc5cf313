#pragma once

#include <atomic>
#include <cstddef>

/// The most bytes that a single `new` asked for since this was set to zero. The test program that uses it compiles
/// largest_request.cpp, which stands in for the library's `new`.
extern std::atomic<std::size_t> largest_request;
