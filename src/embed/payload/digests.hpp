#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "mercer/file.hpp"

namespace mercer {

/// Adds `digests`, and with a key `signature`, to a manifest that has neither, and returns its text. Digests are
/// SHA-256: of the bytes of the payload, of the texts of `contract`, of the provenance and of `certificate` if there is
/// one, and last of the whole manifest up to that place. The signature is over the last one, so over everything. Throws
/// `bad_value` for text that is not UTF-8.
std::string seal(nlohmann::ordered_json manifest, std::span<const std::span<const std::byte>> payload,
                 const std::optional<SigningKey>& key);

/// Throws `corrupt_file` naming `where` and the first part that is not what was sealed, or unless `seal` would write
/// the manifest as this `text`. Returns who signed, if anyone.
std::optional<Signature> check_seal(const nlohmann::ordered_json& manifest, const std::string& text,
                                    std::span<const std::byte> payload, const std::string& where);

}  // namespace mercer
