#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "mercer/policy/network.hpp"

namespace mercer {

/// Reads a network from an ONNX file (default operator set 7 to 21) of at most 1 GiB, weights inside it. The first axis
/// of every input and output is the batch.
///
/// Throws `corrupt_file` when the file cannot be parsed; `bad_format` naming an operator or a use of one that is not
/// supported, an unknown operator set, or a graph that is not in order; `not_finite` for weights that are no numbers.
Network read_onnx(const std::filesystem::path& path);

/// The same from memory; `where` names it in errors.
Network parse_onnx(std::span<const std::byte> bytes, const std::string& where);

/// The operators that are understood, in alphabetical order.
std::vector<std::string> known_onnx_operators();

}  // namespace mercer
