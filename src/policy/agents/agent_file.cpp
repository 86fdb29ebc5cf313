#include "policy/agents/agent_file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "io/documents.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_version = limits::agent_version, most_system = limits::agent_system;

std::string text_of(const ZipBytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes.data()), bytes.bytes.size()};
}

nlohmann::json parse_data(const std::string& text, const std::string& where) {
  try {
    return parse_strict_json<nlohmann::json>(text, where);
  } catch (const nlohmann::json::exception&) {
    throw_corrupt(where, "has a description that is not JSON");
  }
}

}  // namespace

void refuse_agent(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why),
              "Export the policy to ONNX instead (docs/guide/policies.md)");
}

AgentFile read_agent_file(const std::filesystem::path& path) {
  return parse_agent_file(read_file(path, limits::agent_bytes), path.string());
}

AgentFile parse_agent_file(std::vector<std::byte> content, const std::string& where) {
  ZipBytes policy, data, version, system;
  bool has_policy = false, has_data = false;
  for (const ZipEntry& entry : list_zip(content, where)) {
    const auto take = [&](ZipBytes& into, std::size_t most) {
      if (into.bytes.data() != nullptr) throw_corrupt(where, fmt::format("holds '{}' twice", entry.name));
      into = unpack(entry, where, most);
    };
    if (entry.name == "policy.pth") take(policy, limits::agent_policy), has_policy = true;
    if (entry.name == "data") take(data, limits::agent_data), has_data = true;
    if (entry.name == "_stable_baselines3_version") take(version, most_version);
    if (entry.name == "system_info.txt") take(system, most_system);
  }
  if (!has_policy || !has_data) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' has no data and policy.pth: it is not an agent of Stable-Baselines3", where),
                "Give the .zip that model.save wrote");
  }
  nlohmann::json description = parse_data(text_of(data), where);
  if (!description.is_object()) throw_corrupt(where, "has a description that is not a JSON object");
  TorchFile tensors(policy.bytes, where + ":policy.pth");
  const auto shown = [](std::string text) {  // fit for terminals and JSON, whatever stands there
    text.erase(text.find_last_not_of(" \n\r\t") + 1);
    std::ranges::replace_if(
        text, [](char c) { return c != '\n' && (c < ' ' || c > '~'); }, '?');
    return text;
  };
  return {where,
          std::move(content),
          std::move(policy),
          std::move(description),
          shown(text_of(version)),
          shown(text_of(system)),
          std::move(tensors)};
}

const nlohmann::json& AgentFile::get(const std::string& key) const {
  static const nlohmann::json null;
  const auto found = data.find(key);
  return found == data.end() ? null : *found;
}

const nlohmann::json& AgentFile::argument(const std::string& key) const {
  static const nlohmann::json null;
  const nlohmann::json& arguments = get("policy_kwargs");
  if (!arguments.is_object()) return null;
  const auto found = arguments.find(key);
  return found == arguments.end() ? null : *found;
}

bool AgentFile::flag(const std::string& key, bool standard) const {
  const nlohmann::json& found = argument(key);
  if (found.is_null()) return standard;
  if (!found.is_boolean()) refuse_agent(where, fmt::format("its {} is {}; legal: true, false", key, found.dump()));
  return found.get<bool>();
}

double AgentFile::number(const std::string& key, double standard) const {
  const nlohmann::json& found = argument(key);
  if (found.is_null()) return standard;
  if (!found.is_number()) refuse_agent(where, fmt::format("its {} is {}; legal: a number", key, found.dump()));
  return found.get<double>();
}

std::vector<std::byte> decode_base64(std::string_view text, const std::string& where) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::byte> out;
  std::uint32_t bits = 0;
  int held = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char letter : text) {
    const std::size_t digit = digits.find(letter);
    if (digit == std::string_view::npos) throw_corrupt(where, "has a part that is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out.push_back(static_cast<std::byte>(bits >> held & 0xff));
  }
  return out;
}

std::span<const std::string_view> agent_names() {
  static constexpr std::string_view names[] = {
      "stable_baselines3.*",
      "sb3_contrib.*",
      "numpy.dtype",
      "numpy.ndarray",
      "numpy.core.multiarray._reconstruct",
      "numpy.core.multiarray.scalar",
      "numpy.core.numeric._frombuffer",
      "numpy._core.multiarray._reconstruct",
      "numpy._core.multiarray.scalar",
      "numpy._core.numeric._frombuffer",
      "numpy.random.*",
      "_codecs.encode",
      "collections.OrderedDict",
      "builtins.bytearray",
      "__builtin__.bytearray",
      "builtins.set",
      "__builtin__.set",
      "gym.spaces.*",
      "gymnasium.spaces.*",
      "gym.utils.seeding.*",
      "gymnasium.utils.seeding.*",
  };
  return names;
}

}  // namespace mercer
