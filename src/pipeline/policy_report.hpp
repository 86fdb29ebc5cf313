#pragma once

#include <string>
#include <vector>

#include "mercer/pipeline.hpp"

namespace mercer {

/// What the file of a policy (.zip, .onnx, .safetensors, .pt, .pth, .cleanrl_model, .json, .npz) holds, for `task`.
/// Without a task its spaces come from the file; where a network's bounds of actions matter and are not known, there is
/// no policy and `missing` says so. Throws what `make_policy` throws for files that cannot be read or do not fit.
InspectResult report_policy(const std::string& spec, const std::vector<PolicySetting>& settings, const Task* task);

/// Sentences about what is unusual in a contract: actions that are never clipped, unknown units, names, bounds or
/// period, constants in a normaliser.
std::vector<std::string> contract_warnings(const Contract& contract);

/// Puts names, units and period of the settings into the contract of an embedding; its numbers stay. Throws `bad_value`
/// for settings that are for networks.
void name_embedding(EmbeddingFile& file, const std::vector<PolicySetting>& settings, const std::string& owner);

}  // namespace mercer
