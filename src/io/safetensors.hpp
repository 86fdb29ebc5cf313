#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "io/file.hpp"
#include "io/npz.hpp"

namespace mercer {

/// What a .safetensors file holds: named tensors, and text by key (the file's `__metadata__`).
struct Safetensors {
  Arrays tensors;
  std::map<std::string, std::string> metadata;
};

/// Writes the format that safetensors libraries read: the header's length (8 bytes, little-endian), a JSON header
/// padded with spaces to a multiple of 8, the numbers. The bytes depend on the contents alone: tensors stand in the
/// order of their element size, largest first so that all are aligned, then of their names. Throws `bad_value` for an
/// array of text, or one whose bytes do not fit its shape.
void write_safetensors(const std::filesystem::path& path, const Safetensors& file);

/// The same for a file of one tensor of bytes (U8) that lies in parts: they are written one after the other, and never
/// stand in memory together unless they already do. With `may_replace` it only replaces what that accepts.
void write_safetensors_bytes(const std::filesystem::path& path, const std::string& name,
                             std::span<const std::span<const std::byte>> parts,
                             const std::map<std::string, std::string>& metadata, const MayReplace& may_replace = {});

/// Reads it back. Types F64, F32, I64, I32, U8 and BOOL; F16 and BF16 become float32. Every size is checked against the
/// file before memory is taken. Throws `corrupt_file` for a file that is cut short or whose tensors overlap, leave
/// holes or do not fit their shapes, `bad_format` for what is no safetensors file or has other types.
Safetensors read_safetensors(const std::filesystem::path& path);
/// The same for bytes that were read; errors name `where`.
Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& where);

/// All that `write_safetensors` writes before the numbers: length and header.
std::string safetensors_head(const Safetensors& file);

}  // namespace mercer
