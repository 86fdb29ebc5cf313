#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/policy/contract.hpp"

namespace mercer {

/// What a network in a file does not say about the policy it is meant to be. Everything may be left out.
struct PolicyOptions {
  std::optional<std::string> kind{};    ///< gaussian, deterministic, boltzmann or greedy; by default from the outputs
  std::optional<double> temperature{};  ///< of a Boltzmann policy, above 0; giving it chooses that kind for q
  std::optional<double> spread{};       ///< around a deterministic action, (0, 1], in half ranges of the action
  std::optional<Squash> squash{};       ///< tanh for a Gaussian, else none
  std::vector<double> centre{};   ///< action = centre + scale * squash(output), one number or one for each action;
  std::vector<double> scale{};    ///< by default the task's bounds when squashed, else 0 and 1
  std::optional<double> clip{};   ///< actions are limited to +-clip, besides the task's bounds
  Normalisation normalisation{};  ///< of observations, before the network sees them
  std::map<std::string, std::string> outputs{};  ///< what the network calls its output `mean`, `log_std`, `q`, ...
};

/// One option as a person writes it: key, text, and where it stood, for messages. Lists are separated by ';' or ','.
struct PolicySetting {
  std::string key;
  std::string value;
  std::string source;
};

/// A key of `PolicySetting` with what it takes and one line of help: one list for the command line, TOML and documents.
struct PolicySettingKind {
  std::string key;
  std::string value;
  std::string help;
};
const std::vector<PolicySettingKind>& known_policy_settings();

/// Puts a setting in. Throws `unknown_name` with the nearest key, `bad_value` or `out_of_range`.
void set_option(PolicyOptions& options, const PolicySetting& setting);

/// The settings in the .toml file beside a network ("actor.toml" beside "actor.onnx"); none when there is no such file.
std::vector<PolicySetting> read_sidecar(const std::filesystem::path& network);

}  // namespace mercer
