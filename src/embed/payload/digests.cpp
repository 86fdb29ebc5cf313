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

[[noreturn]] void refuse_part(const std::string& where, const std::string& part) {
  refuse(where, fmt::format("was changed after it was written: its {} does not match the digest", part));
}

json provenance_of(const json& manifest) {
  json out = json::object();
  for (const char* key : {"env", "teacher", "teacher_sha256", "seed", "settings", "folder"}) {
    if (manifest.contains(key)) out[key] = manifest[key];
  }
  return out;
}

// Of the parts, so that a reader can say which one was changed.
json digests_of(const json& manifest, std::span<const std::span<const std::byte>> payload) {
  json digests{{"payload", sha256(payload)},
               {"contract", sha256(manifest.value("contract", json()).dump())},
               {"provenance", sha256(provenance_of(manifest).dump())}};
  if (manifest.contains("certificate")) digests["certificate"] = sha256(manifest["certificate"].dump());
  return digests;
}

// The words keep a signature of a file from being one of anything else.
std::string signed_text(const std::string& digest) { return "mercer embedding " + digest; }

std::optional<Signature> check_signature(const json& signature, const std::string& digest, const std::string& where) {
  const auto text = [&](const char* key) {
    const auto found = signature.find(key);
    return found != signature.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const Ed25519Signature given{text("key"), text("value")};
  if (signature.size() != 3 || text("algorithm") != algorithm || !is_signed(given, signed_text(digest))) {
    refuse(where, "was changed after it was signed: its signature does not match");
  }
  return Signature{algorithm, key_fingerprint(given.key)};
}

}  // namespace

std::string seal(json manifest, std::span<const std::span<const std::byte>> payload,
                 const std::optional<SigningKey>& key) {
  try {
    manifest["digests"] = digests_of(manifest, payload);
    const std::string digest = sha256(manifest.dump());
    manifest["digests"]["manifest"] = digest;
    if (key) {
      const Ed25519Signature made = sign_text(key->secret, signed_text(digest));
      manifest["signature"] = {{"algorithm", algorithm}, {"key", made.key}, {"value", made.value}};
    }
    return manifest.dump();
  } catch (const json::type_error&) {
    throw Error(ErrorCode::bad_value, "the name of a task, a policy or a setting is not UTF-8", "Give UTF-8 text");
  }
}

std::optional<Signature> check_seal(const json& manifest, std::span<const std::byte> payload,
                                    const std::string& where) {
  if (!manifest.contains("digests") || !manifest["digests"].is_object()) {
    refuse(where, "has no digests, which every file of its format has");
  }
  json stripped = manifest;
  stripped.erase("signature");
  json& digests = stripped["digests"];
  const json whole = digests.value("manifest", json());
  digests.erase("manifest");
  const json own = digests_of(manifest, std::span(&payload, 1));
  for (const char* part : {"payload", "contract", "provenance", "certificate"}) {
    if (own.value(part, json()) != digests.value(part, json())) refuse_part(where, part);
  }
  const std::string digest = sha256(stripped.dump());
  if (whole != digest) refuse_part(where, "manifest");
  digests["manifest"] = digest;
  std::optional<Signature> signature;
  if (manifest.contains("signature")) {
    const json& given = manifest["signature"];
    signature = check_signature(given, digest, where);
    stripped["signature"] = {{"algorithm", given["algorithm"]}, {"key", given["key"]}, {"value", given["value"]}};
  }
  // What was left out above is where `seal` puts it, and nowhere else.
  if (stripped.dump() != manifest.dump()) {
    refuse(where, "was changed after it was written: its manifest is not as Mercer writes it");
  }
  return signature;
}

}  // namespace mercer
