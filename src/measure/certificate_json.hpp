#pragma once

#include <nlohmann/json.hpp>

#include "mercer/certificate.hpp"

namespace mercer {

/// The certificate as it stands in the manifests of files.
nlohmann::ordered_json to_json(const Certificate& certificate);

/// Reads it back. Throws `bad_format` naming `owner`, the file, and what is missing or of the wrong type.
Certificate certificate_from_json(const nlohmann::json& document, const std::string& owner);

}  // namespace mercer
