#include "mercer/file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "embed/payload/certified.hpp"
#include "embed/payload/digests.hpp"
#include "embed/payload/payload_parts.hpp"
#include "io/documents.hpp"
#include "io/ed25519.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/safetensors.hpp"
#include "io/sha256.hpp"
#include "measure/certificate_json.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/warning.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

constexpr int format = 2, format_without_digests = 1;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", path.string(), why),
              "Give a file that 'mercer embed' of this version or an older one wrote");
}

using json = nlohmann::ordered_json;

json parse_manifest(const std::filesystem::path& path, const std::string& text) {
  json manifest;
  try {
    manifest = parse_strict_json<json>(text, path.string());
  } catch (const nlohmann::json::exception&) {
    refuse(path, "it is not an embedding");
  }
  if (!manifest.is_object() || manifest.value("kind", json()) != "embedding") refuse(path, "it is not an embedding");
  const json found = manifest.value("format", json());
  if (found != format && found != format_without_digests) {
    refuse(path, fmt::format("format {}; this version reads 1 to {}", found.dump(), format));
  }
  return manifest;
}

// Of a payload.
std::uint32_t checksum(std::span<const std::span<const std::byte>> parts) {
  uLong sum = ::crc32_z(0, nullptr, 0);
  for (const std::span<const std::byte> part : parts) {
    if (!part.empty()) sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::uint32_t>(sum);
}

// A file whose bytes are those that were written, as far as its format lets that be checked.
struct Checked {
  json manifest;
  Array payload;
  std::uintmax_t bytes = 0;
  std::string sha256;
  bool verified = false;
  std::optional<Signature> signature = {};
};

// Digests cover what the manifest says. Equal texts cover the rest: spaces, order, other tensors and metadata.
bool is_own_header(const Safetensors& file, std::span<const std::byte> bytes) {
  const std::string head = safetensors_head(file);
  const auto start = std::as_bytes(std::span(head));
  return file.tensors.size() == 1 && file.metadata.size() == 1 && file.tensors.begin()->second.shape.size() == 1 &&
         bytes.size() >= start.size() && std::ranges::equal(start, bytes.first(start.size()));
}

Checked read_checked(const std::filesystem::path& path) {
  const std::string where = path.string();
  const std::vector<std::byte> bytes = read_file(path, limits::embedding_bytes);
  Safetensors file = parse_safetensors(bytes, where);
  if (!file.metadata.contains("mercer")) refuse(path, "it is not an embedding");
  const std::string& text = file.metadata.at("mercer");
  Checked out{parse_manifest(path, text), {}, bytes.size(), sha256(bytes)};
  if (require_array(file.tensors, "payload", path).type != Array::Type::u8) {
    refuse(path, "its payload is not made of bytes");
  }
  out.verified = out.manifest["format"] == format;
  if (out.verified && !is_own_header(file, bytes)) {
    throw_corrupt(where, "was changed after it was written: its header is not as Mercer writes it");
  }
  out.payload = std::move(file.tensors.at("payload"));
  if (out.verified) {
    out.signature = check_seal(out.manifest, text, out.payload.data, where);
  } else if (out.manifest.contains("digests") || out.manifest.contains("signature")) {
    throw_corrupt(where, "was changed after it was written: its manifest has digests, and format 1 has none");
  }
  // The first files of version 0.1 have no checksum.
  if (out.manifest.contains("checksum") &&
      out.manifest["checksum"] != checksum(std::array{std::span<const std::byte>(out.payload.data)})) {
    throw_corrupt(where, "has a payload that does not fit its checksum");
  }
  return out;
}

void put_certificate(const std::filesystem::path& path, Checked file, const Certificate& certificate,
                     const std::optional<SigningKey>& key) {
  file.manifest["format"] = format;
  file.manifest["certificate"] = to_json(certificate);
  file.manifest.erase("digests");
  file.manifest.erase("signature");
  const std::array<std::span<const std::byte>, 1> payload{file.payload.data};
  const auto same = [&](const std::filesystem::path& now) { return sha256_file(now) == file.sha256; };
  write_safetensors_bytes(path, "payload", payload, {{"mercer", seal(std::move(file.manifest), payload, key)}}, same);
  if (file.signature && !key) {
    warn(fmt::format("'{}' was signed; with the new certificate it no longer is. --sign KEY.pem signs it",
                     path.string()));
  }
}

// What is played outlives the embedding it was decoded from: copies share rows and terms.
std::unique_ptr<Policy> played(const std::string& file, std::span<const PolicySetting> settings) {
  const EmbeddingFile read = read_embedding(file, parse_acting(settings));
  if (read.embedding.is_lattice()) return std::make_unique<LatticePolicy>(read.embedding.lattice().policy());
  if (!settings.empty()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'{}' is a continuous embedding, which has no setting '{}'", file, settings.front().key),
                "Leave it out: only lattices act in several ways");
  }
  const ContinuousEmbedding& own = read.embedding.continuous();
  return continuous_policy(file, own.policy().contract(), own.code().head, own.code().squash, own.function());
}

std::optional<EdgeAccuracy> read_edges(const json& manifest) {
  if (!manifest.contains("edges")) return std::nullopt;
  const json& edges = manifest["edges"];
  return EdgeAccuracy{count_from(edges.at("steps")), edges.at("rank_error").get<double>(),
                      edges.at("certain_error").get<double>()};
}

// The warning is for now, the sentence stays with the certificate wherever it goes, into another file too.
void mark_unverified(const std::filesystem::path& path, EmbeddingFile& file) {
  warn(fmt::format("'{}' was written by version 0.1, without digests, so its contents{} cannot be verified",
                   path.string(), file.certificate ? " and certificate" : ""));
  if (!file.certificate) return;
  file.certificate->not_covered.emplace_back(
      "whether it belongs to this embedding: it is from a file of version 0.1, which has no digests to verify that");
}

// Of the file that a policy was read from; empty for a policy that is no file.
std::string digest_of(const std::string& teacher) {
  std::error_code none;
  return std::filesystem::is_regular_file(teacher, none) ? sha256_file(teacher) : "";
}

}  // namespace

FileKind embedding_file() {
  return {{"FILE.mercer", "an embedding that 'mercer embed' or 'mercer compress' wrote"},
          ".mercer",
          [](const std::string& file, std::span<const PolicySetting> settings, const Task&) {
            return played(file, settings);
          }};
}

void write_payload(const std::filesystem::path& path, const PayloadParts& payload, const EmbeddingOrigin& origin,
                   const std::optional<Certificate>& certificate, const std::optional<SigningKey>& key) {
  json manifest{{"format", format},
                {"kind", "embedding"},
                {"route", name(payload.route)},
                {"basis", payload.basis},
                {"k", payload.k},
                {"parameters", {{"published", payload.parameters.published}, {"stored", payload.parameters.stored}}},
                {"checksum", checksum(payload.parts)},
                {"energy", payload.energy},
                {"env", origin.env},
                {"teacher", origin.teacher},
                {"teacher_sha256", origin.teacher_sha256.empty() ? digest_of(origin.teacher) : origin.teacher_sha256},
                {"seed", origin.seed},
                {"settings", origin.settings},
                {"folder", origin.folder},
                {"contract", to_json(payload.contract)}};
  if (payload.edges) {
    manifest["edges"] = {{"steps", payload.edges->steps},
                         {"rank_error", payload.edges->rank_error},
                         {"certain_error", payload.edges->certain_error}};
  }
  if (certificate) manifest["certificate"] = to_json(*certificate);
  write_safetensors_bytes(path, "payload", payload.parts, {{"mercer", seal(std::move(manifest), payload.parts, key)}});
}

void write_embedding(const std::filesystem::path& path, const Embedding& embedding, const EmbeddingOrigin& origin,
                     const std::optional<Certificate>& certificate, const std::optional<SigningKey>& key) {
  const double energy = embedding.is_lattice() ? embedding.lattice().whole_energy() : 0.0;
  write_payload(path,
                {{std::as_bytes(std::span(embedding.payload()))},
                 embedding.route(),
                 embedding.basis(),
                 embedding.k(),
                 embedding.parameters(),
                 energy,
                 embedding.policy().contract(),
                 std::nullopt},
                origin, certificate, key);
}

Embedding decoded(const Embedding& embedding, const std::string& name, const Acting& acting) {
  const Contract& contract = embedding.policy().contract();
  if (!embedding.is_lattice()) return ContinuousEmbedding::decode(embedding.payload(), contract, name);
  LatticeEmbedding lattice = LatticeEmbedding::decode(embedding.payload(), contract, name, acting);
  lattice.set_parameters(embedding.parameters());
  lattice.set_whole_energy(embedding.lattice().whole_energy());
  return lattice;
}

namespace {

EmbeddingFile embedding_of(Checked file, const std::filesystem::path& path, const Acting& acting) {
  const json& manifest = file.manifest;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.payload.data.data()), file.payload.data.size());
  try {
    const Route route = parse<Route>(manifest.at("route").get<std::string>());
    const Contract contract = contract_from_json(manifest.at("contract"), path.string());
    Embedding embedding = route == Route::lattice
                              ? Embedding(LatticeEmbedding::decode(bytes, contract, path.string(), acting))
                              : Embedding(ContinuousEmbedding::decode(bytes, contract, path.string()));
    const json& counts = manifest.at("parameters");
    if (embedding.is_lattice()) {
      embedding.lattice().set_parameters({count_from(counts.at("published")), count_from(counts.at("stored"))});
      embedding.lattice().set_whole_energy(manifest.value("energy", 0.0));
    }
    EmbeddingOrigin origin{
        manifest.at("env").get<std::string>(), manifest.at("teacher").get<std::string>(),
        count_from(manifest.at("seed")),       manifest.at("settings").get<std::map<std::string, std::string>>(),
        manifest.value("teacher_sha256", ""),  manifest.value("folder", "")};  // version 0.1 has neither
    std::optional<Certificate> certificate;
    if (manifest.contains("certificate")) {
      certificate = certificate_from_json(nlohmann::json(manifest["certificate"]), path.string());
    }
    EmbeddingFile out{std::move(embedding),     std::move(origin),    file.bytes,
                      std::move(certificate),   read_edges(manifest), file.verified,
                      std::move(file.signature)};
    if (!out.verified) mark_unverified(path, out);
    return out;
  } catch (const nlohmann::json::exception& mistake) {
    refuse(path, fmt::format("its manifest cannot be read: {}", mistake.what()));
  }
}

}  // namespace

EmbeddingFile read_embedding(const std::filesystem::path& path, const Acting& acting) {
  return embedding_of(read_checked(path), path, acting);
}

CertifiedFile read_to_certify(const std::filesystem::path& path) {
  Checked file = read_checked(path);
  std::string sha256 = file.sha256;
  return {embedding_of(std::move(file), path, {}), std::move(sha256)};
}

SigningKey read_signing_key(const std::filesystem::path& path) { return {path.string(), read_private_key(path)}; }

void require_signature(const EmbeddingFile& file, const std::filesystem::path& path,
                       const std::filesystem::path& public_key) {
  const std::string wanted = key_fingerprint(read_public_key(public_key));
  if (!file.signature) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is not signed", path.string()),
                "Ask for a signed file; 'mercer certify --sign key.pem' signs one together with a new certificate");
  }
  if (file.signature->fingerprint == wanted) return;
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}' is signed with another key than '{}': SHA-256 {} in place of {}", path.string(),
                          public_key.string(), file.signature->fingerprint, wanted),
              "Give the public key of who signed the file, or do not trust the file");
}

std::string verification_text(const EmbeddingFile& file) {
  return file.verified ? "digests match" : "version 0.1 wrote no digests, so the certificate cannot be verified";
}

void add_certificate(const std::filesystem::path& path, const Certificate& certificate,
                     const std::optional<SigningKey>& key) {
  put_certificate(path, read_checked(path), certificate, key);
}

void add_certificate_to(const std::filesystem::path& path, const std::string& sha256, const Certificate& certificate,
                        const std::optional<SigningKey>& key) {
  Checked file = read_checked(path);
  if (file.sha256 != sha256) {
    throw Error(ErrorCode::cannot_write,
                fmt::format("'{}' changed while it was certified, so the certificate is not about it", path.string()),
                "Certify it again");
  }
  put_certificate(path, std::move(file), certificate, key);
}

}  // namespace mercer
