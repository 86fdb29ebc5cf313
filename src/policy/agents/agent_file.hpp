#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/torch_file.hpp"
#include "io/zip.hpp"

namespace mercer {

/// What the .zip of an agent of Stable-Baselines3 holds, as far as its policy needs it.
struct AgentFile {
  std::string where;
  std::vector<std::byte> content;  ///< the zip; what follows may point into it
  ZipBytes policy;                 ///< policy.pth
  nlohmann::json data;             ///< the description: an object
  std::string version;             ///< of Stable-Baselines3; empty where it is not stored
  std::string system;              ///< system_info.txt: versions of what saved it; empty where it is not stored
  TorchFile tensors;

  /// A member of `data`, or null where there is none.
  const nlohmann::json& get(const std::string& key) const;
  /// A member of policy_kwargs, the arguments that the policy was made with, or null.
  const nlohmann::json& argument(const std::string& key) const;
  /// The flag or number among policy_kwargs. Throws `bad_format` for another type.
  bool flag(const std::string& key, bool standard) const;
  double number(const std::string& key, double standard) const;
};

/// Reads at most 256 MiB, of which 64 MiB are the unpacked policy.pth and 4 MiB the description. Throws `bad_format`
/// for what is no agent, `corrupt_file` for damage.
AgentFile read_agent_file(const std::filesystem::path& path);

/// The same from memory; `where` names it in errors.
AgentFile parse_agent_file(std::vector<std::byte> content, const std::string& where);

/// Throws `bad_format`: the agent, why it cannot be read, and that ONNX would work.
[[noreturn]] void refuse_agent(const std::string& where, const std::string& why);

/// The bytes that a text in base64 stands for. Throws `corrupt_file` for other characters.
std::vector<std::byte> decode_base64(std::string_view text, const std::string& where);

/// Classes that pickles of agents refer to: arrays, spaces, their random numbers, policies and normalisers.
std::span<const std::string_view> agent_names();

}  // namespace mercer
