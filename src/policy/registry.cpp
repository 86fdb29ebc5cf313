#include "mercer/policy/registry.hpp"

#include <fmt/format.h>

#include "mercer/core/error.hpp"
#include "mercer/core/nearest.hpp"
#include "mercer/policy/tabular.hpp"
#include "mercer/policy/uniform.hpp"

namespace mercer {
namespace {

std::string describe(const Space& space) {
  return space.is_discrete() ? fmt::format("one of {}", space.count) : fmt::format("{} numbers", space.dimensions());
}

}  // namespace

std::vector<PolicyKind> known_policies() {
  return {{"uniform", "every action equally likely"},
          {"tabular:FILE", "pi[state][action] from a .json or .npz file, for tasks with finitely many states"}};
}

std::unique_ptr<Policy> make_policy(std::string_view spec, const Task& task) {
  const std::size_t colon = spec.find(':');
  const bool only_a_file = colon == std::string_view::npos && (spec.ends_with(".json") || spec.ends_with(".npz"));
  const std::string name(only_a_file ? "tabular" : spec.substr(0, colon));
  const std::string file(only_a_file                       ? spec
                         : colon == std::string_view::npos ? std::string_view{}
                                                           : spec.substr(colon + 1));
  std::unique_ptr<Policy> policy;
  if (name == "uniform") {
    if (colon != std::string_view::npos) {
      throw Error(ErrorCode::bad_value, fmt::format("policy 'uniform' has no settings, and was given '{}'", file),
                  "Write just 'uniform'");
    }
    policy = std::make_unique<UniformPolicy>(task);
  } else if (name == "tabular") {
    if (file.empty()) {
      throw Error(ErrorCode::missing_option, "policy 'tabular' needs a file", "Write 'tabular:FILE.json' or .npz");
    }
    auto table = std::make_unique<TabularPolicy>(read_tabular_policy(file));
    if (!task.observation.is_discrete()) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("policy '{}' is a table and task '{}' does not have finitely many states", table->name(),
                              task.name),
                  "Play it in a task with as many states as the table has rows, such as chain");
    }
    if (table->states() != task.observation.count) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("policy '{}' has {} rows and the observation of task '{}' is {}", table->name(),
                              table->states(), task.name, describe(task.observation)),
                  "Give one row for each state of the task");
    }
    policy = std::move(table);
  } else {
    const std::vector<std::string> names{"uniform", "tabular"};
    throw_unknown("policy", name, names);
  }
  check_fits(*policy, task);
  return policy;
}

void check_fits(const Policy& policy, const Task& task) {
  if (policy.observation_dimensions() != task.observation.dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("policy '{}' takes {} observations and task '{}' gives {}", policy.name(),
                            policy.observation_dimensions(), task.name, task.observation.dimensions()),
                "Choose the task that the policy was made for");
  }
  if (policy.action_space().dimensions() != task.action.dimensions() ||
      policy.action_space().count != task.action.count) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("an action of policy '{}' is {} and task '{}' takes {}", policy.name(),
                            describe(policy.action_space()), task.name, describe(task.action)),
                "Choose the task that the policy was made for");
  }
}

}  // namespace mercer
