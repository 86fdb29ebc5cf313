#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mercer {

/// What readers accept of a file or a request from outside: all budgets, in one place. Each stops its reader before the
/// memory or the time is taken. `reader_limits` lists them for docs/reference/limits.md.
namespace limits {

inline constexpr std::size_t kib = 1024, mib = 1024 * kib;

/// Objects and arrays inside each other: JSON, TOML, and the marks of a pickle. Mercer writes less than 10, and
/// recursive code is safe on it.
inline constexpr std::size_t depth = 64;

inline constexpr std::size_t json_bytes = 128 * mib;
inline constexpr std::size_t toml_bytes = 64 * kib;

inline constexpr std::size_t zip_members = 65'536;
inline constexpr std::size_t zip_unpacked = 256 * mib;  ///< of all members together, or
inline constexpr std::size_t zip_inflation = 100;       ///< times the bytes of the file, whichever is more

inline constexpr std::size_t safetensors_header = 32 * mib;
inline constexpr std::size_t safetensors_axes = 32;

inline constexpr std::size_t pickle_bytes = 16 * mib;
inline constexpr std::size_t pickle_values = 524'288;
inline constexpr std::size_t pickle_names = 10'000;  ///< classes and functions

inline constexpr std::size_t torch_bytes = 256 * mib;
inline constexpr std::size_t torch_entries = 100'000;
inline constexpr std::size_t torch_code = 256 * kib;
inline constexpr std::size_t flax_entries = 100'000;
inline constexpr std::size_t flax_depth = 16;

inline constexpr std::size_t agent_bytes = 256 * mib;
inline constexpr std::size_t agent_policy = 64 * mib;
inline constexpr std::size_t agent_data = 4 * mib;
inline constexpr std::size_t policy_weights = 4'194'304;

inline constexpr std::size_t onnx_bytes = 1024 * mib;
inline constexpr std::size_t model_bytes = 16 * mib;

inline constexpr std::size_t lattice_entries = 16'777'216;  ///< of a decoded table, or
inline constexpr std::size_t lattice_inflation = 4096;      ///< entries for each byte of the payload, whichever is more
inline constexpr std::size_t lattice_most = 268'435'456;    ///< in any case
inline constexpr std::size_t continuous_terms = 65'536;

inline constexpr std::size_t serve_connections = 64;
inline constexpr std::size_t serve_requests = 1000;
inline constexpr std::size_t serve_body = 64 * kib;
inline constexpr std::size_t serve_request = 160 * kib;
inline constexpr std::size_t serve_ranges = 1;
inline constexpr std::size_t serve_quick = 16, serve_quick_seconds = 20;
inline constexpr std::size_t serve_slow = 4, serve_slow_seconds = 60;

}  // namespace limits

/// One budget, as docs/reference/limits.md shows it.
struct ReaderLimit {
  std::string_view reader;
  std::string_view what;
  std::uint64_t most;
};
std::span<const ReaderLimit> reader_limits();

}  // namespace mercer
