#pragma once

#include <nlohmann/json.hpp>

#include "mercer/policy.hpp"

namespace mercer {

/// The contract as it stands in the manifests of files. An infinite bound is null.
nlohmann::ordered_json to_json(const Contract& contract);

/// Reads it back. Throws `bad_format` naming `owner`, the file, and what is missing or of the wrong type.
Contract contract_from_json(const nlohmann::json& document, const std::string& owner);

}  // namespace mercer
