#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mercer/critics.hpp"
#include "policy/agents/agent.hpp"
#include "policy/agents/layer_options.hpp"

namespace mercer {

/// Which tensors of a file are critics, and what they take.
struct CriticLayout {
  std::vector<std::vector<std::string>> networks{};  ///< the layers of each, in order
  std::vector<double> rows{};                        ///< see `play_network`
  double unit = 1;                                   ///< one unit of their values in the task's rewards
  bool played = false;  ///< they take actions as the task does; else from -1 to 1, what tanh gives the policy
};

/// The critics of a layout, of the task's observations in their order and of actions from -1 to 1. The last layers may
/// give several quantiles: their mean counts. Throws `bad_format`, `shape_mismatch`, `not_finite` or `too_large` with
/// the reason why they cannot be used. `gamma` stays empty.
DenseCritics dense_critics(const TensorSource& source, const CriticLayout& layout, const Contract& contract,
                           const std::string& where);

/// The same of an agent of Stable-Baselines3, with its discount.
DenseCritics agent_critics(const std::filesystem::path& path, const AgentOptions& options, const Contract& contract);

/// The same of a file of named tensors.
DenseCritics state_dict_critics(const std::filesystem::path& path, const LayerOptions& options,
                                const std::map<std::string, std::string>& outputs, const Contract& contract);

}  // namespace mercer
