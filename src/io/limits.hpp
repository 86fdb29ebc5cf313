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

inline constexpr std::size_t gib = 1024 * mib;

inline constexpr std::size_t json_bytes = 128 * mib;
inline constexpr std::size_t toml_bytes = 64 * kib;

inline constexpr std::size_t csv_bytes = 16 * gib;
inline constexpr std::size_t npz_bytes = 64 * gib;  ///< rollouts and tables, which are the user's own
inline constexpr std::size_t key_bytes = 64 * kib;

inline constexpr std::size_t zip_members = 65'536;
inline constexpr std::size_t zip_unpacked = 256 * mib;  ///< of all members together, or
inline constexpr std::size_t zip_inflation = 100;       ///< times the bytes of the file, whichever is more

inline constexpr std::size_t safetensors_bytes = 16 * gib;
inline constexpr std::size_t safetensors_header = 32 * mib;
inline constexpr std::size_t safetensors_axes = 32;

inline constexpr std::size_t pickle_bytes = 16 * mib;
inline constexpr std::size_t pickle_values = 524'288;
inline constexpr std::size_t pickle_names = 10'000;  ///< classes and functions
inline constexpr std::size_t pickle_name = 256;      ///< letters of one

inline constexpr std::size_t torch_bytes = 256 * mib;
inline constexpr std::size_t torch_entries = 100'000;
inline constexpr std::size_t torch_axes = 8;
inline constexpr std::size_t torch_name = 256;       ///< letters of a part of a name
inline constexpr std::size_t torch_depth = 16;       ///< of modules
inline constexpr std::size_t torch_byte_order = 16;  ///< bytes of the word "little" or "big"
inline constexpr std::size_t torch_code = 256 * kib;
inline constexpr std::size_t torch_dictionaries = 4;  ///< inside each other
inline constexpr std::size_t script_depth = 128;      ///< of expressions
inline constexpr std::size_t script_calls = 512;
inline constexpr std::size_t script_expressions = 16'384;
inline constexpr std::size_t flax_entries = 100'000;
inline constexpr std::size_t flax_depth = 16;
inline constexpr std::size_t flax_name = 256;  ///< letters
inline constexpr std::size_t flax_axes = 8;

inline constexpr std::size_t agent_bytes = 256 * mib;
inline constexpr std::size_t agent_policy = 64 * mib;
inline constexpr std::size_t agent_data = 4 * mib;
inline constexpr std::size_t agent_version = 64;  ///< bytes
inline constexpr std::size_t agent_system = 64 * kib;
inline constexpr std::size_t agent_numbers = 4096;  ///< observations, or actions
inline constexpr std::size_t agent_parts = 64;      ///< of a dictionary of observations
inline constexpr std::size_t agent_layers = 64;     ///< of one network
inline constexpr std::size_t agent_critics = 16;
inline constexpr std::size_t policy_weights = 4'194'304;

inline constexpr std::size_t onnx_bytes = 1024 * mib;
inline constexpr std::size_t graph_axes = 8;
inline constexpr std::size_t graph_outputs = 16;
inline constexpr std::size_t graph_rows = 1'048'576;        ///< numbers for each state, in the whole network
inline constexpr std::size_t graph_constants = 67'108'864;  ///< numbers that do not depend on the state
inline constexpr std::size_t graph_folded = 4'194'304;      ///< of one product of constants
inline constexpr std::size_t graph_uses = 64;               ///< multiplications for each weight
inline constexpr std::size_t model_bytes = 16 * mib;
inline constexpr std::size_t model_bodies = 1000;
inline constexpr std::size_t model_coordinates = 4000;  ///< positions and velocities
inline constexpr std::size_t model_data = 256;          ///< MiB of simulation data
inline constexpr std::size_t model_seconds = 20;
inline constexpr std::size_t model_memory = 1024;  ///< MiB

inline constexpr std::size_t embedding_bytes = 16 * gib;
inline constexpr std::size_t lattice_dimensions = 64;  ///< of states, and of actions
inline constexpr std::size_t lattice_bins = 1'048'576;
inline constexpr std::size_t lattice_cells = 268'435'456;
inline constexpr std::size_t lattice_entries = 16'777'216;  ///< of a decoded table, or
inline constexpr std::size_t lattice_inflation = 4096;      ///< entries for each byte of the payload, whichever is more
inline constexpr std::size_t lattice_most = 268'435'456;    ///< in any case
inline constexpr std::size_t continuous_terms = 65'536;
inline constexpr std::size_t continuous_outputs = 256;
inline constexpr std::size_t continuous_coordinates = 256;

inline constexpr std::size_t serve_connections = 64;
inline constexpr std::size_t serve_requests = 1000;
inline constexpr std::size_t serve_body = 64 * kib;
inline constexpr std::size_t serve_request = 160 * kib;
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
