#include "mercer/embed/file.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/core/error.hpp"
#include "mercer/io/safetensors.hpp"
#include "mercer/policy/registry.hpp"
#include "policy/contract_json.hpp"

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
  if (manifest.value("route", "") != "lattice" || !manifest.contains("contract")) {
    refuse(path, "its manifest cannot be read");
  }
  return manifest;
}

[[maybe_unused]] const bool registered = [] {
  register_policy_file({"FILE.mercer", "an embedding that 'mercer embed' wrote"}, ".mercer",
                       [](const std::string& file, std::span<const PolicySetting> settings, const Task&) {
                         const EmbeddingFile read = read_embedding(file, parse_acting(settings));
                         return std::make_unique<LatticePolicy>(read.embedding.policy());  // shares its rows
                       });
  return true;
}();

}  // namespace

void write_embedding(const std::filesystem::path& path, const LatticeEmbedding& embedding,
                     const EmbeddingOrigin& origin) {
  const nlohmann::ordered_json manifest{
      {"format", format},
      {"kind", "embedding"},
      {"route", "lattice"},
      {"basis", embedding.basis()},
      {"k", embedding.k()},
      {"parameters", {{"published", embedding.parameters().published}, {"stored", embedding.parameters().stored}}},
      {"energy", embedding.whole_energy()},
      {"env", origin.env},
      {"teacher", origin.teacher},
      {"seed", origin.seed},
      {"settings", origin.settings},
      {"contract", to_json(embedding.policy().contract())}};
  Array payload{Array::Type::u8, {embedding.payload().size()}, std::vector<std::byte>(embedding.payload().size())};
  std::memcpy(payload.data.data(), embedding.payload().data(), payload.data.size());
  write_safetensors(path, {{{"payload", std::move(payload)}}, {{"mercer", manifest.dump()}}});
}

EmbeddingFile read_embedding(const std::filesystem::path& path, const Acting& acting) {
  const Safetensors file = read_safetensors(path);
  const nlohmann::json manifest = read_manifest(path, file);
  const Array& payload = require_array(file.tensors, "payload", path);
  if (payload.type != Array::Type::u8) refuse(path, "its payload is not made of bytes");
  std::vector<std::uint8_t> bytes(payload.data.size());
  std::memcpy(bytes.data(), payload.data.data(), bytes.size());
  LatticeEmbedding embedding =
      LatticeEmbedding::decode(bytes, contract_from_json(manifest["contract"], path.string()), path.string(), acting);
  try {
    const nlohmann::json& counts = manifest.at("parameters");
    embedding.set_parameters({counts.at("published").get<std::size_t>(), counts.at("stored").get<std::size_t>()});
    embedding.set_whole_energy(manifest.value("energy", 0.0));
    EmbeddingOrigin origin{manifest.at("env").get<std::string>(), manifest.at("teacher").get<std::string>(),
                           manifest.at("seed").get<std::uint64_t>(),
                           manifest.at("settings").get<std::map<std::string, std::string>>()};
    return {std::move(embedding), std::move(origin), std::filesystem::file_size(path)};
  } catch (const nlohmann::json::exception& mistake) {
    refuse(path, fmt::format("its manifest cannot be read: {}", mistake.what()));
  }
}

}  // namespace mercer
