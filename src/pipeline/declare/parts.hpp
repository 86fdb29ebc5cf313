#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/options.hpp"

namespace mercer {

/// Every option of every verb is declared once: here what several verbs have, in a file for each verb the rest.
/// Defaults are those of the fields.
namespace declare {

using Group = OptionGroup;

inline constexpr OptionRange episodes_range{1, 1e9}, share_range{0, 1}, confidence_range{0, 1, true};
inline const std::string policy_help =
    "uniform, tabular:FILE, or a file .onnx, .safetensors, .zip, .pt, .msgpack, .npz or .mercer";

/// What an option is unless it is given, where the library's structs say so and the field alone does not.
struct TaskDefaults {
  std::string act;
  std::string gamma = "the task's";
};
std::string text_of(Act act);

/// Without `episodes` a verb only names the task.
void add_task(OptionList& list, TaskRequest& task, std::size_t* episodes, const std::string& what_for,
              const TaskDefaults& usual);
void add_policy(OptionList& list, PolicyRequest& policy, const std::string& help);
void add_network(OptionList& list, PolicyRequest& policy);
void add_naming(OptionList& list, std::vector<PolicySetting>& settings);

void add_limits(OptionList& list, std::optional<double>& max_loss, std::optional<double>& max_loss_return,
                double& confidence);
void add_keep(OptionList& list, KeepRequest& keep);
void add_perturb(OptionList& list, std::string& perturb, std::size_t& grid);
void add_method(OptionList& list, LossMethod& method, bool& all_episodes);

void add_lattice(OptionList& list, LatticeRequest& lattice);
void add_continuous(OptionList& list, ContinuousOptions& options);

void add_out(OptionList& list, std::string& out, const std::string& value, const std::string& help);
/// The key is read at once: a run of hours must not end at a file that is no key.
void add_sign(OptionList& list, std::optional<SigningKey>& key);
void add_seed(OptionList& list, Request& request);

}  // namespace declare

/// Throws `bad_value` for an option of another learning algorithm: it would do nothing.
void refuse_other_algorithms(const TrainRequest& request, Algorithm algorithm);

}  // namespace mercer
