#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/agent.hpp"
#include "policy/agents/tensor_layout.hpp"

namespace mercer {

/// What a person says about the tensors of a file, see `known_policy_settings`. All of it may be left out for files of
/// known trainers.
struct LayerOptions {
  std::vector<std::string> layers{};             ///< before the output layer
  std::vector<std::string> activation{};         ///< one, or one for each layer
  std::map<std::string, std::string> tensors{};  ///< by setting: std, obs-mean-tensor, ...
  std::optional<Range> log_std_clip{}, log_std_tanh{};
  std::optional<double> obs_epsilon{}, obs_clip{};  ///< of a normaliser in tensors

  bool empty() const {
    return layers.empty() && activation.empty() && tensors.empty() && !log_std_clip && !log_std_tanh;
  }
};

/// Puts a setting in if it is one of these, and returns whether it was. Throws `bad_value`.
bool set_layer_option(LayerOptions& options, const PolicySetting& setting);

/// A policy that a trainer saved as named tensors.
struct StateDict {
  TensorLayout layout;
  Network network;  ///< outputs mean and log_std, mean, action, q or logits
  std::vector<TorchLayer> layers;
  std::vector<Activation> activations;  ///< of each layer that has one
  Normalisation normalisation;          ///< of the file's own tensors
  std::vector<double> scale, centre;    ///< likewise; empty where it has none
};

/// Whether a file is one of named tensors: .pt, .pth, .cleanrl_model, a .safetensors that no `mercer train` wrote.
bool is_state_dict(const std::string& file);

/// Reads it: a file of torch.save (.pt, .pth, .cleanrl_model; dictionaries in dictionaries, or a tuple of them) or
/// .safetensors. `outputs` are the layers that give mean, log_std, action, q or logits, by these names. Where neither
/// they nor `options.layers` are given, the layout is guessed (`guess_layout`).
///
/// Throws `bad_format` for tensors that make no perceptron, with their names, and where the layout cannot be guessed;
/// `missing_option` where the activation is not known; `not_finite`, `too_large`, `corrupt_file`. Warns where it had to
/// assume an activation.
StateDict read_state_dict(const std::filesystem::path& path, const LayerOptions& options,
                          const std::map<std::string, std::string>& outputs);

/// The policy of such a file for a task. Throws `shape_mismatch` where observations or actions do not fit, bounds of
/// actions among them. `reading` as for `make_policy`.
std::unique_ptr<Policy> make_state_dict_policy(const std::string& file, const Task& task, const LayerOptions& layers,
                                               const AgentOptions& agent, PolicyOptions options,
                                               std::string* reading = nullptr);

}  // namespace mercer
