#include "embed/payload/digests.hpp"

#include <fmt/format.h>

#include "io/ed25519.hpp"
#include "io/sha256.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* algorithm = "ed25519";

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorCode::corrupt_file, fmt::format("'{}' {}", where, what),
              "Use the file as it was written, or make it again");
}

json provenance_of(const json& manifest) {
  json out = json::object();
  for (const char* key : {"env", "teacher", "teacher_sha256", "seed", "settings", "folder"}) {
    if (manifest.contains(key)) out[key] = manifest[key];
  }
  return out;
}

// The manifest with digests of its parts, so that a reader can say which one was changed, and of the whole.
json with_digests(json manifest, std::span<const std::span<const std::byte>> payload) {
  json digests{{"payload", sha256(payload)},
               {"contract", sha256(manifest.value("contract", json()).dump())},
               {"provenance", sha256(provenance_of(manifest).dump())}};
  if (manifest.contains("certificate")) digests["certificate"] = sha256(manifest["certificate"].dump());
  manifest["digests"] = std::move(digests);
  const std::string whole = sha256(manifest.dump());
  manifest["digests"]["manifest"] = whole;
  return manifest;
}

// The words keep a signature of a file from being one of anything else.
std::string signed_text(const json& manifest) {
  return "mercer embedding " + manifest["digests"]["manifest"].get<std::string>();
}

json to_json(const Ed25519Signature& signature) {
  return {{"algorithm", algorithm}, {"key", signature.key}, {"value", signature.value}};
}

}  // namespace

std::string seal(json manifest, std::span<const std::span<const std::byte>> payload,
                 const std::optional<SigningKey>& key) {
  try {
    manifest = with_digests(std::move(manifest), payload);
    if (key) manifest["signature"] = to_json(sign_text(key->secret, signed_text(manifest)));
    return manifest.dump();
  } catch (const json::type_error&) {
    throw Error(ErrorCode::bad_value, "the name of a task, a policy or a setting is not UTF-8", "Give UTF-8 text");
  }
}

// Seals the same values again: every digest must come out as it stands, and in the end the very text.
std::optional<Signature> check_seal(const json& manifest, const std::string& text, std::span<const std::byte> payload,
                                    const std::string& where) {
  const json digests = manifest.value("digests", json());
  if (!digests.is_object()) refuse(where, "has no digests, which every file of its format has");
  json own = manifest;
  own.erase("signature");
  own.erase("digests");
  own = with_digests(std::move(own), std::span(&payload, 1));
  for (const char* part : {"payload", "contract", "provenance", "certificate", "manifest"}) {
    if (own["digests"].value(part, json()) != digests.value(part, json())) {
      refuse(where, fmt::format("was changed after it was written: its {} does not match the digest", part));
    }
  }
  std::optional<Signature> out;
  if (const auto found = manifest.find("signature"); found != manifest.end()) {
    const auto field = [&](const char* name) {
      return found->is_object() && found->contains(name) && (*found)[name].is_string()
                 ? (*found)[name].get<std::string>()
                 : std::string();
    };
    const Ed25519Signature given{field("key"), field("value")};
    if (field("algorithm") != algorithm || !is_signed(given, signed_text(own))) {
      refuse(where, "was changed after it was signed: its signature does not match");
    }
    own["signature"] = to_json(given);
    out = Signature{algorithm, key_fingerprint(given.key)};
  }
  if (own.dump() != text) refuse(where, "was changed after it was written: its manifest is not as Mercer writes it");
  return out;
}

}  // namespace mercer
