#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/policy.hpp"

namespace mercer {

/// What a person says about observations and actions where neither the file nor the task does: the settings `names`,
/// `units`, `action-names`, `action-units` and `period`.
///
/// "theta[t-1]" is the value of theta one step ago, where theta is an observation or an action: frame stacks and
/// previous actions are observations of such names.
struct Naming {
  std::vector<std::string> names{}, units{}, action_names{}, action_units{};
  std::optional<double> period{};  ///< seconds between two actions, above 0, at most 10^4

  bool empty() const;
};

/// Puts a setting in if it is one of these, and returns whether it was. Throws `bad_value` for an illegal or repeated
/// name or unit, `out_of_range` for a period.
bool set_naming_option(Naming& naming, const PolicySetting& setting);

/// The keys of these settings.
std::span<const std::string_view> naming_keys();

/// Puts names, units and period into a contract or a task; `owner` is what errors name. An empty unit changes nothing.
/// Throws `shape_mismatch` unless there is one for each, `bad_value` for a unit or a period other than the known one
/// and for an earlier value of something that has no such name.
void apply_naming(const Naming& naming, Contract& contract, const std::string& owner);
Task named_task(const Naming& naming, Task task, const std::string& owner);

/// An earlier value of an observation or an action: "theta[t-2]" is theta, 2 steps ago.
struct EarlierValue {
  std::string name;
  std::size_t steps = 0;
};
/// What a name says about it, or none.
std::optional<EarlierValue> earlier_value(const std::string& name);

}  // namespace mercer
