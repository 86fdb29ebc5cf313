#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "env/spec.hpp"
#include "io/open_folders.hpp"
#include "io/ordinary.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/batch.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"
#include "policy/network_settings.hpp"

namespace mercer {

void Policy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                           MatrixView<double> out) const {
  const std::size_t each = out.cols();
  const bool shared = action.cols() == each;
  for_each_chunk(out.rows() * each, [&](std::size_t begin, std::size_t count) {
    const Scratch states(observation.rows(), count), actions(action.rows(), count), found(1, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t pair = begin + i, column = shared ? pair % each : pair;
      for (std::size_t r = 0; r < observation.rows(); ++r) states.view()(r, i) = observation(r, pair / each);
      for (std::size_t d = 0; d < action.rows(); ++d) actions.view()(d, i) = action(d, column);
    }
    log_prob(states.view(), actions.view(), found.view().row(0));
    for (std::size_t i = 0; i < count; ++i) out((begin + i) / each, (begin + i) % each) = found.view()(0, i);
  });
}

bool same_end(double a, double b) {
  return !std::isfinite(a) || !std::isfinite(b) || std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

bool Policy::cdf(MatrixView<const double>, std::size_t, MatrixView<const double>, MatrixView<double>) const {
  return false;
}

namespace {

// A file that knows no bound where the task has one was not made for it.
bool same_bound(double own, double of_task) {
  return (std::isfinite(own) || !std::isfinite(of_task)) && same_end(own, of_task);
}

std::string describe(const Space& space) {
  return space.is_discrete() ? fmt::format("one of {}", space.count) : fmt::format("{} numbers", space.dimensions());
}

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Axis& axis : space.axes) names.push_back(axis.name);
  return names;
}

std::vector<FileKind>& file_kinds() {
  static std::vector<FileKind> kinds{embedding_file()};
  return kinds;
}

std::unique_ptr<Policy> make_table(const std::string& file, const Task& task) {
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
  return table;
}

// Files that hold a network; settings shape its policy.
constexpr std::string_view network_endings[] = {".onnx", ".safetensors",   ".zip",     ".pt",
                                                ".pth",  ".cleanrl_model", ".msgpack", ".npz"};

// An .npz is a table or a network, which its arrays show. One that cannot be read is taken for a table.
bool is_table(std::string_view file) {
  return file.ends_with(".npz") && (!is_ordinary_file(file) || !is_state_dict(std::string(file)));
}

// A file, and the settings behind its name.
struct FileSpec {
  std::string file;
  std::string_view settings;
};

std::optional<FileSpec> find_file(std::string_view spec, std::string_view ending) {
  if (spec.ends_with(ending)) return FileSpec{std::string(spec), {}};
  const std::size_t place = spec.find(std::string(ending) + ":");
  if (place == std::string_view::npos) return std::nullopt;
  return FileSpec{std::string(spec.substr(0, place + ending.size())), spec.substr(place + ending.size() + 1)};
}

std::vector<PolicySetting> settings_of(const FileSpec& spec) {
  std::vector<PolicySetting> settings;
  std::string_view rest = spec.settings;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw Error(ErrorCode::bad_value, fmt::format("'{}' behind '{}' is not key=value", part, spec.file),
                  "Write FILE:key=value,key=value");
    }
    settings.push_back(
        {std::string(part.substr(0, equals)), std::string(part.substr(equals + 1)), fmt::format("'{}'", spec.file)});
  }
  return settings;
}

bool is_policy_file(std::string_view file) {
  return is_network_file(file) || file.ends_with(".json") || file.ends_with(".npz") ||
         std::ranges::any_of(file_kinds(), [&](const FileKind& kind) { return file.ends_with(kind.ending); });
}

// The policy's file of nearly that name, beside where `name` would be. Nothing is listed for what may only read some
// folders.
std::string near_file(const std::string& name) {
  if (ReadingOnly::folders() != nullptr) return {};
  const std::filesystem::path path(name), folder = path.has_parent_path() ? path.parent_path() : ".";
  std::vector<std::string> files;
  std::error_code none;
  for (std::filesystem::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    const std::string file = at->path().filename().string();
    if (is_policy_file(file)) files.push_back(file);
  }
  std::ranges::sort(files);
  const std::string near = nearest_name(path.filename().string(), files);
  return near.empty() ? near : (path.parent_path() / near).string();
}

std::unique_ptr<Policy> make_plain_policy(std::string_view spec, const Task& task) {
  for (const FileKind& kind : file_kinds()) {
    const auto found = find_file(spec, kind.ending);
    if (!found) continue;
    auto policy = kind.read(found->file, settings_of(*found), task);
    check_contract_of_file(policy->name(), policy->contract(), task);
    return policy;
  }
  const std::size_t colon = spec.find(':');
  const bool only_a_file = colon == std::string_view::npos && (spec.ends_with(".json") || spec.ends_with(".npz"));
  if (only_a_file) return make_table(std::string(spec), task);
  const std::string name(spec.substr(0, colon));
  const std::string file(colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1));
  if (name == "tabular") return make_table(file, task);
  if (name != "uniform") {
    if (is_ordinary_file(name + ".zip")) {
      throw Error(ErrorCode::unknown_name, fmt::format("no policy is called '{}'", name),
                  fmt::format("There is a file '{}.zip': name it with its ending", name));
    }
    if (knows_env(spec)) {
      throw Error(ErrorCode::unknown_name, fmt::format("no policy is called '{}': that is a task", spec),
                  fmt::format("Name the task with --env {} and your policy's file with --policy FILE", spec));
    }
    if (std::error_code none; ReadingOnly::folders() == nullptr && std::filesystem::is_directory(name, none)) {
      throw Error(ErrorCode::unknown_name, fmt::format("no policy is called '{}': that is a folder", name),
                  "Name a policy's file in it");
    }
    std::vector<std::string> names{"uniform", "tabular"};
    for (const std::string_view ending : network_endings) names.push_back(fmt::format("FILE{}", ending));
    for (const FileKind& kind : file_kinds()) names.push_back(kind.kind.name);
    if (const std::string near = near_file(name); !near.empty() && nearest_name(name, names).empty()) {
      throw Error(ErrorCode::unknown_name, fmt::format("no policy and no file is called '{}'", name),
                  fmt::format("Did you mean the file '{}'?", near));
    }
    throw_unknown("policy", name, names);
  }
  if (colon != std::string_view::npos) {
    throw Error(ErrorCode::bad_value, fmt::format("policy 'uniform' has no settings, and was given '{}'", file),
                "Write just 'uniform'");
  }
  return std::make_unique<UniformPolicy>(task);
}

std::optional<FileSpec> find_network_file(std::string_view spec) {
  if (spec.starts_with("tabular:")) return std::nullopt;
  for (const std::string_view ending : network_endings) {
    auto found = find_file(spec, ending);
    if (found && !is_table(found->file)) return found;
  }
  return std::nullopt;
}

// From the TOML file next to the network, then after its name, then the caller's: later ones win.
std::vector<PolicySetting> all_settings(const FileSpec& spec, const std::vector<PolicySetting>& overrides) {
  std::vector<PolicySetting> all = read_sidecar(spec.file);
  for (const auto& more : {settings_of(spec), overrides}) all.insert(all.end(), more.begin(), more.end());
  // --layers FILE.toml stands for what that file says, and what is given otherwise wins.
  const auto is_file = [](const PolicySetting& one) { return one.key == "layers" && one.value.ends_with(".toml"); };
  if (const auto named = std::ranges::find_if(all, is_file); named != all.end()) {
    std::vector<PolicySetting> described = read_settings(named->value);
    std::erase_if(all, is_file);
    all.insert(all.begin(), described.begin(), described.end());
  }
  return all;
}

NetworkSettings sorted(const FileSpec& spec, const std::vector<PolicySetting>& overrides) {
  NetworkSettings sorted{spec.file};
  for (const PolicySetting& setting : all_settings(spec, overrides)) {
    if (set_agent_option(sorted.agent, setting) || set_layer_option(sorted.layers, setting)) continue;
    if (!set_naming_option(sorted.naming, setting)) set_option(sorted.options, setting);
  }
  return sorted;
}

std::unique_ptr<Policy> read_network_policy(const FileSpec& spec, const Task& original,
                                            const std::vector<PolicySetting>& overrides, std::string* reading) {
  NetworkSettings settings = sorted(spec, overrides);
  PolicyOptions& options = settings.options;
  const AgentOptions& agent = settings.agent;
  const LayerOptions& layers = settings.layers;
  const Task task = named_task(settings.naming, original, spec.file);
  const bool state_dict = is_state_dict(spec.file);
  if (!state_dict && !layers.empty()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'{}': layers, activation and tensors are for files of named tensors", spec.file),
                "Leave them out; they are for .pt, .pth, .cleanrl_model, .msgpack, .npz and .safetensors");
  }
  if (agent.has_normaliser() && !options.normalisation.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}': both normaliser and obs-mean are given", spec.file),
                "Leave one of them out");
  }
  if (spec.file.ends_with(".zip")) return make_agent_policy(spec.file, task, agent, std::move(options), reading);
  if (!agent.order.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}': obs-order is for agents (.zip)", spec.file), "Leave it out");
  }
  if (state_dict) return make_state_dict_policy(spec.file, task, layers, agent, std::move(options), reading);
  if (agent.has_normaliser()) {
    options.normalisation = read_normaliser(agent.normaliser, task.observation.dimensions());
  }
  if (spec.file.ends_with(".onnx")) return make_network_policy(spec.file, read_onnx(spec.file), task, options, reading);
  const bool from_q = options.kind ? *options.kind == NetworkKind::boltzmann || *options.kind == NetworkKind::greedy
                                   : options.temperature.has_value();
  const SnapshotNetwork snapshot = read_snapshot(spec.file, from_q);
  check_contract_of_file(spec.file, snapshot.contract, original);
  if (options.centre.empty()) options.centre = snapshot.contract.centre;
  if (options.scale.empty()) options.scale = snapshot.contract.scale;
  if (options.normalisation.empty()) options.normalisation = snapshot.contract.normalisation;
  return make_network_policy(spec.file, snapshot.network, task, options, reading);
}

}  // namespace

void check_contract_of_file(const std::string& file, const Contract& contract, const Task& task) {
  const auto compare = [&](const Space& own, const Space& other, std::string_view what) {
    const bool renamed = contract.task == task.name && own.axes.size() == other.axes.size();
    const bool same_names = renamed || names_of(own) == names_of(other);
    for (std::size_t d = 0; same_names && d < own.axes.size(); ++d) {
      const Range a = own.axes[d].range, b = other.axes[d].range;
      if (same_bound(a.low, b.low) && same_bound(a.high, b.high)) continue;
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("policy '{}' was made for '{}' with {} '{}' from {} to {} and that of task '{}' is from "
                              "{} to {}",
                              file, contract.task, what, own.axes[d].name, a.low, a.high, task.name, b.low, b.high),
                  "Choose the task that the policy was made for");
    }
    if (same_names) return;
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("policy '{}' was made for '{}' with {}s ({}) and those of task '{}' are ({})", file, contract.task,
                    what, fmt::join(names_of(own), ", "), task.name, fmt::join(names_of(other), ", ")),
        "Choose the task that the policy was made for");
  };
  compare(contract.observation, task.observation, "observation");
  compare(contract.action, task.action, "action");
}

std::vector<PolicyKind> known_policies() {
  std::vector<PolicyKind> kinds{
      {"uniform", "every action equally likely"},
      {"tabular:FILE", "pi[state][action] from a .json or .npz file, for tasks with finitely many states"},
      {"FILE.onnx", "a network: mean and log_std, action, q (or q1 and q2), or logits"},
      {"FILE.safetensors", "a snapshot that 'mercer train' wrote, or tensors like FILE.pt"},
      {"FILE.zip", "an agent of Stable-Baselines3, read as data: none of its pickles is executed"},
      {"FILE.pt",
       "tensors of CleanRL, rsl_rl, rl_games, Brax or with --layers: a state_dict of torch (.pt, .pth, "
       ".cleanrl_model), "
       "flax (.msgpack) or .npz; or TorchScript"}};
  for (const FileKind& file : file_kinds()) kinds.push_back(file.kind);
  return kinds;
}

bool is_network_file(std::string_view file) {
  return !is_table(file) &&
         std::ranges::any_of(network_endings, [&](std::string_view ending) { return file.ends_with(ending); });
}

NetworkSettings read_network_settings(std::string_view spec, const std::vector<PolicySetting>& overrides) {
  const auto network = find_network_file(spec);
  return sorted(network.value_or(FileSpec{std::string(spec), {}}), overrides);
}

std::vector<PolicySetting> network_settings(std::string_view spec, const std::vector<PolicySetting>& overrides) {
  const auto network = find_network_file(spec);
  std::vector<PolicySetting> last;
  if (!network) return last;
  for (const PolicySetting& setting : all_settings(*network, overrides)) {
    std::erase_if(last, [&](const PolicySetting& one) { return one.key == setting.key; });
    last.push_back(setting);
  }
  return last;
}

void register_policy_file(PolicyKind kind, std::string ending, PolicyReader read) {
  file_kinds().push_back({std::move(kind), std::move(ending), std::move(read)});
}

std::unique_ptr<Policy> make_policy(std::string_view spec, const Task& task,
                                    const std::vector<PolicySetting>& overrides, std::string* reading) {
  std::unique_ptr<Policy> policy;
  if (const auto network = find_network_file(spec)) {
    policy = read_network_policy(*network, task, overrides, reading);
  } else {
    if (!overrides.empty()) {
      throw Error(
          ErrorCode::bad_value,
          fmt::format("{}: '{}' is for networks, and the policy is '{}'", overrides[0].source, overrides[0].key, spec),
          "Leave it out");
    }
    policy = make_plain_policy(spec, task);
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
