#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace mercer {

/// An array as numpy knows it. Row-major, little-endian.
struct Array {
  enum class Type { f64, f32, i64, i32, u8, boolean, text };

  Type type = Type::f64;
  std::vector<std::size_t> shape;  ///< empty for a single value
  std::vector<std::byte> data;

  static Array of(std::span<const double> values, std::vector<std::size_t> shape);
  static Array of(std::span<const float> values, std::vector<std::size_t> shape);
  static Array of(std::span<const std::int64_t> values, std::vector<std::size_t> shape);
  static Array of_flags(std::span<const std::uint8_t> values, std::vector<std::size_t> shape);
  /// One string: numpy reads it as a bytes value.
  static Array of_text(std::string_view text);

  std::size_t size() const;  ///< product of the shape
  /// The numbers, converted. Throws `bad_format` for text.
  std::vector<double> as_doubles() const;
  std::vector<std::int64_t> as_integers() const;
  std::string as_text() const;
};

using Arrays = std::map<std::string, Array>;

/// Writes arrays as numpy.savez does (stored, not compressed). The bytes depend on the arrays alone: no dates.
void write_npz(const std::filesystem::path& path, const Arrays& arrays);

/// Reads what numpy.savez or savez_compressed wrote. Every size is checked against the file before memory is taken;
/// checksums are verified. Throws `corrupt_file` for damage, `bad_format` for what is not an .npz or has other types.
Arrays read_npz(const std::filesystem::path& path);

/// The array of that name. Throws `bad_format` naming the arrays there are.
const Array& require_array(const Arrays& arrays, const std::string& name, const std::filesystem::path& path);

/// The header that numpy puts before an array's bytes (format version 1.0).
std::string npy_header(const Array& array);

/// One .npy file in memory. `where` names it in errors.
Array parse_npy(std::span<const std::byte> bytes, const std::string& where);

}  // namespace mercer
