#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "policy/agents/layers.hpp"

namespace mercer {

/// What an .onnx file says about itself and its layers.
struct OnnxFacts {
  std::string producer{}, producer_version{};
  std::int64_t operator_set = 0;
  std::vector<TorchLayer> layers{};      ///< products with a stored matrix, in order
  std::vector<std::string> operators{};  ///< each once, in order
};
/// Throws as `read_onnx` does for what is no ONNX file.
OnnxFacts read_onnx_facts(const std::filesystem::path& path);

}  // namespace mercer
