#include "mercer/file.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "embed/payload/payload_parts.hpp"
#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "io/sha256.hpp"
#include "measure/certificate_json.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

constexpr int format = 1;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", path.string(), why),
              "Give a file that 'mercer embed' of this version or an older one wrote");
}

nlohmann::json read_manifest(const std::filesystem::path& path, const Safetensors& file) {
  const auto found = file.metadata.find("mercer");
  const nlohmann::json manifest =
      found == file.metadata.end() ? nlohmann::json() : nlohmann::json::parse(found->second, nullptr, false);
  if (!manifest.is_object() || manifest.value("kind", "") != "embedding") refuse(path, "it is no embedding");
  if (!manifest.contains("format") || manifest["format"] != format) {
    refuse(path,
           fmt::format("format {}; this version reads {}", manifest.value("format", nlohmann::json()).dump(), format));
  }
  if (!find_name<Route>(manifest.value("route", "")) || !manifest.contains("contract")) {
    refuse(path, "its manifest cannot be read");
  }
  return manifest;
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

// Ties the manifest, and the certificate in it, to these very bytes.
std::uint32_t checksum(std::span<const std::span<const std::byte>> parts) {
  uLong sum = ::crc32_z(0, nullptr, 0);
  for (const std::span<const std::byte> part : parts) {
    if (!part.empty()) sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::uint32_t>(sum);
}

std::optional<EdgeAccuracy> read_edges(const nlohmann::json& manifest) {
  if (!manifest.contains("edges")) return std::nullopt;
  const nlohmann::json& edges = manifest["edges"];
  return EdgeAccuracy{edges.at("steps").get<std::uint64_t>(), edges.at("rank_error").get<double>(),
                      edges.at("certain_error").get<double>()};
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
                   const std::optional<Certificate>& certificate) {
  nlohmann::ordered_json manifest{
      {"format", format},
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
  write_safetensors_bytes(path, "payload", payload.parts, {{"mercer", manifest.dump()}});
}

void write_embedding(const std::filesystem::path& path, const Embedding& embedding, const EmbeddingOrigin& origin,
                     const std::optional<Certificate>& certificate) {
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
                origin, certificate);
}

Embedding decoded(const Embedding& embedding, const std::string& name, const Acting& acting) {
  const Contract& contract = embedding.policy().contract();
  if (!embedding.is_lattice()) return ContinuousEmbedding::decode(embedding.payload(), contract, name);
  LatticeEmbedding lattice = LatticeEmbedding::decode(embedding.payload(), contract, name, acting);
  lattice.set_parameters(embedding.parameters());
  lattice.set_whole_energy(embedding.lattice().whole_energy());
  return lattice;
}

EmbeddingFile read_embedding(const std::filesystem::path& path, const Acting& acting) {
  const Safetensors file = read_safetensors(path);
  const nlohmann::json manifest = read_manifest(path, file);
  const Array& payload = require_array(file.tensors, "payload", path);
  if (payload.type != Array::Type::u8) refuse(path, "its payload is not made of bytes");
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(payload.data.data()), payload.data.size());
  // Files of before did not have one.
  if (manifest.contains("checksum") &&
      manifest["checksum"] != checksum(std::array{std::span<const std::byte>(payload.data)})) {
    throw_corrupt(path.string(), "has a payload that does not fit its checksum");
  }
  const Contract contract = contract_from_json(manifest["contract"], path.string());
  Embedding embedding = parse<Route>(manifest["route"].get<std::string>()) == Route::lattice
                            ? Embedding(LatticeEmbedding::decode(bytes, contract, path.string(), acting))
                            : Embedding(ContinuousEmbedding::decode(bytes, contract, path.string()));
  try {
    const nlohmann::json& counts = manifest.at("parameters");
    if (embedding.is_lattice()) {
      embedding.lattice().set_parameters(
          {counts.at("published").get<std::size_t>(), counts.at("stored").get<std::size_t>()});
      embedding.lattice().set_whole_energy(manifest.value("energy", 0.0));
    }
    EmbeddingOrigin origin{
        manifest.at("env").get<std::string>(),    manifest.at("teacher").get<std::string>(),
        manifest.at("seed").get<std::uint64_t>(), manifest.at("settings").get<std::map<std::string, std::string>>(),
        manifest.value("teacher_sha256", ""),     manifest.value("folder", "")};  // version 0.1 has neither
    std::optional<Certificate> certificate;
    if (manifest.contains("certificate")) {
      certificate = certificate_from_json(manifest["certificate"], path.string());
    }
    return {std::move(embedding), std::move(origin), std::filesystem::file_size(path), std::move(certificate),
            read_edges(manifest)};
  } catch (const nlohmann::json::exception& mistake) {
    refuse(path, fmt::format("its manifest cannot be read: {}", mistake.what()));
  }
}

void add_certificate(const std::filesystem::path& path, const Certificate& certificate) {
  Safetensors file = read_safetensors(path);
  read_manifest(path, file);  // refuses what is no embedding
  std::string& text = file.metadata.at("mercer");
  nlohmann::ordered_json manifest = nlohmann::ordered_json::parse(text);
  manifest["certificate"] = to_json(certificate);
  text = manifest.dump();
  write_safetensors(path, file);
}

}  // namespace mercer
