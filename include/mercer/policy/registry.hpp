#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env/env.hpp"
#include "mercer/policy/options.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// A kind of policy that can be asked for by name.
struct PolicyKind {
  std::string name;
  std::string summary;
};
std::vector<PolicyKind> known_policies();

/// Makes the policy that `spec` names, for a task: "uniform", "tabular:FILE" (or just the file), or a network:
/// "FILE.onnx" or "FILE.safetensors" (a snapshot of `train`), and behind it ":key=value,..." with
/// `known_policy_settings`. A file FILE.toml beside a network is read first, then the settings of the spec, then
/// `overrides`. Files of a registered ending take settings of their own in the same way. Throws `unknown_name` with the
/// nearest known one, or `shape_mismatch` when the policy does not fit the task. `reading`, if given, becomes what a
/// network was taken for, in words: "gaussian policy of outputs mean, log_std; squash tanh, scale 2, centre 0".
std::unique_ptr<Policy> make_policy(std::string_view spec, const Task& task,
                                    const std::vector<PolicySetting>& overrides = {}, std::string* reading = nullptr);

/// Makes the policy that a file holds, for a task. `settings` are those behind the file's name, "FILE:key=value,...".
using PolicyReader = std::function<std::unique_ptr<Policy>(const std::string& file,
                                                           std::span<const PolicySetting> settings, const Task& task)>;

/// Lets `make_policy` read files with an ending, such as ".mercer". Not to be called while another thread makes
/// policies.
void register_policy_file(PolicyKind kind, std::string ending, PolicyReader read);

/// Throws `shape_mismatch` unless the policy takes the task's observations and gives its actions.
void check_fits(const Policy& policy, const Task& task);

}  // namespace mercer
