#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env/env.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// A kind of policy that can be asked for by name.
struct PolicyKind {
  std::string name;
  std::string summary;
};
std::vector<PolicyKind> known_policies();

/// Makes the policy that `spec` names, for a task: "uniform", or "tabular:FILE" (or just the file). Throws
/// `unknown_name` with the nearest known one, or `shape_mismatch` when the policy does not fit the task.
std::unique_ptr<Policy> make_policy(std::string_view spec, const Task& task);

/// Throws `shape_mismatch` unless the policy takes the task's observations and gives its actions.
void check_fits(const Policy& policy, const Task& task);

}  // namespace mercer
