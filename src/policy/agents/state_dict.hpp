#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "mercer/policy.hpp"
#include "policy/agents/agent.hpp"
#include "policy/agents/layer_options.hpp"
#include "policy/agents/perceptron.hpp"

namespace mercer {

/// Whether a file is one of named tensors: .pt, .pth, .cleanrl_model, .msgpack, a .safetensors that no `mercer train`
/// wrote, an .npz without a table `pi`.
bool is_state_dict(const std::string& file);

/// Reads it: a file of torch.save (dictionaries in dictionaries, or a tuple of them) or torch.jit.save, of
/// flax.serialization, .safetensors or .npz; at most 256 MiB. `outputs` are the layers that give mean, log_std, action,
/// q or logits, by these names. Where neither they nor `options.layers` are given, the layout is guessed
/// (`guess_layout`). TorchScript needs none, see `read_torch_script`.
///
/// Throws `bad_format` for tensors that make no perceptron, with their names, and where the layout cannot be guessed;
/// `missing_option` where the activation is not known; `not_finite`, `too_large`, `corrupt_file`. Warns where it had to
/// assume an activation.
StateDict read_state_dict(const std::filesystem::path& path, const LayerOptions& options,
                          const std::map<std::string, std::string>& outputs);

/// The same for bytes of torch or flax that were read; errors name `where`.
StateDict parse_state_dict(std::span<const std::byte> bytes, const LayerOptions& options,
                           const std::map<std::string, std::string>& outputs, const std::string& where);

/// The policy of such a file for a task. Throws `shape_mismatch` where observations or actions do not fit, bounds of
/// actions among them. `reading` as for `make_policy`.
std::unique_ptr<Policy> make_state_dict_policy(const std::string& file, const Task& task, const LayerOptions& layers,
                                               const AgentOptions& agent, PolicyOptions options,
                                               std::string* reading = nullptr);

}  // namespace mercer
