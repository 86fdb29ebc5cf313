#pragma once

#include <string>
#include <vector>

#include "policy/agents/agent.hpp"
#include "policy/agents/state_dict.hpp"
#include "policy/naming.hpp"

namespace mercer {

/// The settings that shape the policy of a network's file, each kind by itself.
struct NetworkSettings {
  std::string file;  ///< without the settings behind its name
  PolicyOptions options{};
  AgentOptions agent{};
  LayerOptions layers{};
  Naming naming{};
};

/// All settings of a network's file: of the TOML file beside it, behind its name, and `overrides`, of which later ones
/// win. Throws as `set_option` does.
NetworkSettings read_network_settings(std::string_view spec, const std::vector<PolicySetting>& overrides);

}  // namespace mercer
