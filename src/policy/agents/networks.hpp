#pragma once

#include <optional>
#include <string>

#include "mercer/policy.hpp"
#include "policy/agents/agent_file.hpp"
#include "policy/agents/layers.hpp"
#include "policy/agents/spaces.hpp"

namespace mercer {

/// What the tensors of an agent make.
enum class AgentKind {
  gaussian,       ///< SAC, TQC: mean and log_std, squashed
  deterministic,  ///< TD3, DDPG: an action, squashed
  values,         ///< DQN: a value for each action
  quantiles,      ///< QR-DQN: quantiles of a value for each action
  actor_critic,   ///< PPO, A2C, TRPO: mean and log_std, or logits
  random_search,  ///< ARS: an action, or logits whose largest is played
};

/// By what the tensors are called. Throws `bad_format` for recurrent policies, networks over pictures, extractors of
/// features and policy classes of one's own, with the reason.
AgentKind agent_kind(const AgentFile& file);

/// "SAC", "PPO", ..., as far as the file tells algorithms with the same networks apart.
std::string algorithm_name(const AgentFile& file, AgentKind kind);

/// What stands behind hidden layers, of critics too. Throws `bad_format` for what is not described or not known.
Activation activation_of(const AgentFile& file, AgentKind kind);

/// The layers of the critics of an observation and an action: critic.qf0, critic.qf1, .... At most 16 critics.
std::vector<std::vector<std::string>> critic_layers(const TorchTensors& tensors);

/// Whether observations were normalised in training: PPO, A2C and TRPO store it.
std::optional<bool> stored_normalising(const AgentFile& file, AgentKind kind);

struct AgentNetwork {
  Network network;
  Squash squash;
  std::vector<TorchLayer> layers;
  Activation activation;  ///< behind hidden layers
};

/// The network that plays. `rows` are the places in the task's observation of what the network takes, in its order;
/// empty where that is the same.
AgentNetwork play_network(const AgentFile& file, AgentKind kind, const AgentSpaces& spaces,
                          const std::vector<double>& rows);

/// The network that estimates values, see `Critics`.
std::optional<Network> value_network(const AgentFile& file, AgentKind kind, const AgentSpaces& spaces,
                                     const std::vector<double>& rows);

}  // namespace mercer
