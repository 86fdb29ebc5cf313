#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/layers.hpp"

namespace mercer {

/// An agent of Stable-Baselines3 or sb3-contrib: SAC, TD3, DDPG, TQC, PPO, A2C, TRPO, DQN, QR-DQN or ARS with plain
/// perceptrons.
struct Agent {
  std::string algorithm;  ///< "SAC", "PPO", ...
  std::string version;    ///< of Stable-Baselines3; empty where it is not stored
  Space observation;      ///< in the order in which they are given; infinite where the agent knows no bounds
  Space action;
  Squash squash;    ///< between the network's output and the action, whose bounds then scale it
  Network network;  ///< outputs mean and log_std, action, q, or logits
  std::vector<TorchLayer> layers;
  Activation activation;  ///< behind hidden layers
  std::string system;     ///< the versions of Python, torch and others that saved it, as text; empty where not stored
  Normalisation normalisation;
  std::filesystem::path normaliser;  ///< the file that `normalisation` was read from; empty where it is not from one
};

/// What an agent's file leaves open: the settings `normaliser` and `obs-order`.
struct AgentOptions {
  std::string normaliser{};  ///< see `read_normaliser`; "none": there is none; empty: looked for
  std::vector<std::string>
      order{};  ///< keys of a dictionary of observations, in the order in which the task gives them

  /// Whether a normaliser is named.
  bool has_normaliser() const { return !normaliser.empty() && normaliser != "none"; }
};

/// Puts a setting in if it is one of these, and returns whether it was.
bool set_agent_option(AgentOptions& options, const PolicySetting& setting);

/// Reads the policy of an agent.
///
/// Without `normaliser` the file vecnormalize.pkl is looked for (`normaliser_places`). PPO, A2C and TRPO store whether
/// they were trained with one: then a missing one throws `missing_option`, and one that they do not need is left out
/// with a warning. Others do not store it: no file gives a warning. "none" means that there is none.
///
/// Observations that are a dictionary need `obs-order`, its keys in the order in which the task gives them. Throws
/// `bad_format`, `corrupt_file`, `not_finite` or `too_large` for files that cannot be read, with the reason.
Agent read_agent(const std::filesystem::path& path, const AgentOptions& options);

/// The file of statistics that the policy in a file is played with: for agents one that is named or found, for others
/// one that is named; empty where there is none.
std::filesystem::path normaliser_of(const std::filesystem::path& path, const AgentOptions& options);

/// The observations and actions that an agent's file describes, as a task of the file's own name: for agents whose task
/// is not here.
Task read_agent_task(const std::filesystem::path& path, const AgentOptions& options);

/// What an agent's file knows about values, beside its policy.
struct Critics {
  Network network;  ///< input obs; and action, scaled to [-1, 1], where actions are a box and the outputs are q
  bool of_actions;  ///< outputs q1, q2, ...: of an observation and an action, or a row for each discrete action (q1);
                    ///< else v, of the observation
  Normalisation normalisation;  ///< of the observation
};

/// The critics of an agent: of SAC, TD3, DDPG, TQC (the mean of the quantiles), DQN and QR-DQN values of actions, of
/// PPO, A2C and TRPO values of observations. None of ARS. Throws as `read_agent` does.
std::optional<Critics> read_critics(const std::filesystem::path& path, const AgentOptions& options);

/// The policy of an agent for a task. Throws `shape_mismatch` unless observations and actions fit, bounds of actions
/// among them, and what `read_agent` and `make_network_policy` throw. `reading` as for `make_policy`.
std::unique_ptr<Policy> make_agent_policy(const std::string& file, const Task& task, AgentOptions agent_options,
                                          PolicyOptions options, std::string* reading = nullptr);

}  // namespace mercer
