#include "pipeline/policy_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "io/documents.hpp"
#include "io/safetensors.hpp"
#include "mercer/critics.hpp"
#include "mercer/error.hpp"
#include "policy/agents/networks.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"
#include "policy/network_settings.hpp"
#include "policy/onnx_facts.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Text of a stranger, fit for terminals and documents.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 200;
  return printable(text.substr(0, longest));
}

// "- Python: 3.9.7" of system_info.txt.
void add_system(const std::string& text, InspectResult& report) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && report.made_by.size() < 20;) {
    const std::size_t colon = line.find(':'), begin = line.find_first_not_of("- ");
    if (colon == std::string::npos || begin >= colon) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    if (value == std::string::npos) continue;
    const std::string key = shown(std::string_view(line).substr(begin, colon - begin));
    if (std::ranges::find(report.made_by, key, &std::pair<std::string, std::string>::first) != report.made_by.end())
      continue;
    report.made_by.emplace_back(key, shown(std::string_view(line).substr(value)));
  }
}

Space unknown_box(const std::string& name, std::size_t size) {
  Space space;
  for (std::size_t i = 0; i < size; ++i)
    space.axes.push_back({fmt::format("{}{}", name, i), {-infinity, infinity}, "", false});
  return space;
}

Task file_task(const std::string& file, Space observation, Space action, double dt = 0) {
  Task task;
  task.name = std::filesystem::path(file).stem().string();
  task.observation = task.state = std::move(observation);
  task.action = std::move(action);
  task.time_limit = unlimited_steps;
  task.dt = dt;
  return task;
}

// The spaces that a network's inputs and outputs show: sizes, no bounds.
Task network_task(const std::string& file, const Network& network, const PolicyOptions& options) {
  const auto size_of_role = [&](const std::string& role) -> std::size_t {
    const auto renamed = options.outputs.find(role);
    const std::size_t place = network.find_output(renamed == options.outputs.end() ? role : renamed->second);
    return place < network.outputs().size() ? network.outputs()[place].size : 0;
  };
  Space observation = unknown_box("obs", network.inputs()[0].size);
  if (network.inputs().size() == 2) {
    return file_task(file, std::move(observation), unknown_box("action", network.inputs()[1].size));
  }
  const bool values = options.kind && (*options.kind == NetworkKind::greedy || *options.kind == NetworkKind::boltzmann);
  for (const char* role : {"mean", "action"}) {
    if (const std::size_t size = size_of_role(role); size > 0 && !values) {
      return file_task(file, std::move(observation), unknown_box("action", size));
    }
  }
  for (const char* role : {"q", "q1", "logits"}) {
    if (const std::size_t size = size_of_role(role); size > 0) {
      return file_task(file, std::move(observation), Space::discrete("action", size));
    }
  }
  const std::size_t only = network.outputs()[0].size;
  return file_task(file, std::move(observation),
                   values ? Space::discrete("action", only) : unknown_box("action", only));
}

std::string with_parameter(const Activation& activation) {
  const bool shown = activation.alpha != 0 && activation.alpha != 1;
  return shown ? fmt::format("{}({:g})", activation.name, activation.alpha) : activation.name;
}

class Reporter {
 public:
  Reporter(const std::string& spec, const std::vector<PolicySetting>& settings, const Task* task)
      : spec_(spec), settings_(settings), read_(read_network_settings(spec, settings)), given_(task != nullptr) {
    if (task != nullptr) task_ = *task;
  }

  InspectResult make() {
    const std::string& file = read_.file;
    if (file.ends_with(".zip")) {
      read_zip();
    } else if (file.ends_with(".onnx")) {
      read_onnx_file();
    } else if (!is_network_file(file)) {
      read_table();
    } else if (is_state_dict(file)) {
      read_tensors();
    } else {
      read_training();
    }
    if (report_.policy) {
      const Contract& contract = report_.policy->contract();
      if (report_.normaliser.empty() && !contract.normalisation.empty()) report_.normaliser = "given";
      const std::vector<std::string> more = contract_warnings(contract);
      report_.warnings.insert(report_.warnings.end(), more.begin(), more.end());
    }
    return std::move(report_);
  }

 private:
  void read_zip() {
    report_.kind = "agent";
    if (!task_) task_ = read_agent_task(read_.file, read_.agent);
    play();
    AgentOptions again = read_.agent;
    const bool normalised = report_.policy && !report_.policy->contract().normalisation.empty();
    if (!normalised) again.normaliser = "none";  // a second reading shall not warn again
    if (normalised && !read_.options.normalisation.empty()) again.normaliser = "none";
    const Agent agent = read_agent(read_.file, again);
    report_.algorithm = agent.algorithm;
    report_.made_by.emplace_back("Stable-Baselines3", agent.version.empty() ? "unknown" : shown(agent.version));
    add_system(agent.system, report_);
    add_layers(agent.layers);
    if (agent.layers.size() > 1) report_.activation = with_parameter(agent.activation);
    add_ports(agent.network);
    if (const auto critics = read_critics(read_.file, again)) {
      for (const Network::Port& port : critics->network.outputs()) report_.critics.push_back({port.name, port.size});
      std::string why;
      const bool of_boxes = critics->network.inputs().size() == 2;
      if (of_boxes && !read_dense_critics(spec_, report_.policy->contract(), settings_, &why)) {
        report_.warnings.push_back(fmt::format("its critics cannot be used to tune an embedding: {}", shown(why)));
      }
    }
    report_.normaliser = agent.normaliser.string();
    const AgentFile content = read_agent_file(read_.file);
    const bool stored = stored_normalising(content, agent_kind(content)).has_value();
    if (!normalised && !stored && read_.agent.normaliser != "none") {
      report_.warnings.emplace_back("observations are not normalised; confirm with --normaliser none or name the file");
    }
  }

  void read_onnx_file() {
    report_.kind = "network";
    const Network network = read_onnx(read_.file);
    const OnnxFacts facts = read_onnx_facts(read_.file);
    if (!facts.producer.empty()) report_.made_by.emplace_back(shown(facts.producer), shown(facts.producer_version));
    report_.made_by.emplace_back("ONNX operator set", std::to_string(facts.operator_set));
    add_layers(facts.layers);
    for (const std::string& name : facts.operators) report_.operators.push_back(shown(name));
    add_ports(network);
    play_or_explain(network, read_.options);
  }

  void read_tensors() {
    report_.kind = "tensors";
    const StateDict made = read_state_dict(read_.file, read_.layers, read_.options.outputs);
    report_.algorithm = made.layout.trainer;
    add_layers(made.layers);
    if (!made.activations.empty()) report_.activation = with_parameter(made.activations.front());
    add_ports(made.network);
    const bool assumed = read_.layers.activation.empty() && !made.activations.empty() && !made.layout.activation_set;
    if (assumed) {
      settings_.push_back({"activation", made.layout.activation, spec_});  // it was warned of once
      report_.warnings.push_back(fmt::format(
          "the activation is not stored: {}, the usual one of {}, is assumed; confirm it with --activation {}",
          made.layout.activation, made.layout.trainer, made.layout.activation));
    }
    if (made.layout.normalises_outside && read_.agent.normaliser.empty() && read_.options.normalisation.empty()) {
      report_.warnings.push_back(
          fmt::format("{} normalises observations outside the network and does not store how; "
                      "confirm with --normaliser none or name the file",
                      made.layout.trainer));
    }
    if (read_.agent.has_normaliser()) {
      report_.normaliser = read_.agent.normaliser;
    } else if (!made.normalisation.empty() && read_.agent.normaliser != "none") {
      report_.normaliser = "inside";
    }
    PolicyOptions named = read_.options;
    named.outputs.clear();  // the outputs bear the names of what they are
    if (!task_) {
      task_ = network_task(read_.file, made.network, named);
      for (std::size_t d = 0; d < made.scale.size() && d < task_->action.dimensions() && !task_->action.is_discrete();
           ++d) {
        const double centre = d < made.centre.size() ? made.centre[d] : 0, half = std::abs(made.scale[d]);
        task_->action.axes[d].range = {centre - half, centre + half};
      }
    }
    play_or_explain(made.network, named);
  }

  void read_training() {
    report_.kind = "snapshot";
    const SnapshotNetwork snapshot = read_snapshot(read_.file, false);
    const Safetensors content = read_safetensors(read_.file);
    const auto manifest = parse_strict_json<nlohmann::json>(content.metadata.at("mercer"), read_.file);
    report_.algorithm = shown(manifest.value("kind", ""));
    report_.activation = "ReLU";
    report_.made_by.emplace_back("mercer train", fmt::format("step {}", manifest.value("step", std::uint64_t{0})));
    for (std::size_t layer = 0;; ++layer) {
      const std::string name = fmt::format("{}.{}", report_.algorithm == "dqn" ? "q" : "actor", layer);
      const auto found = content.tensors.find(name + ".weight");
      if (found == content.tensors.end() || found->second.shape.size() != 2) break;
      report_.layers.push_back({name, found->second.shape[1], found->second.shape[0]});
    }
    add_ports(snapshot.network);
    if (!snapshot.contract.normalisation.empty() && read_.options.normalisation.empty()) report_.normaliser = "inside";
    if (!task_) {
      task_ = file_task(read_.file, snapshot.contract.observation, snapshot.contract.action, snapshot.contract.dt);
      task_->name = snapshot.contract.task;
    }
    play();
  }

  void read_table() {
    report_.kind = "table";
    const std::string file = spec_.starts_with("tabular:") ? spec_.substr(8) : spec_;
    if (task_) {
      play();
    } else {
      report_.policy = std::make_shared<TabularPolicy>(read_tabular_policy(file));
    }
    report_.plays = fmt::format("table of {} states and {} actions", report_.policy->contract().observation.count,
                                report_.policy->action_space().count);
  }

  void add_layers(const std::vector<TorchLayer>& layers) {
    for (const TorchLayer& layer : layers) {
      report_.layers.push_back({shown(layer.name), layer.inputs, layer.outputs});
    }
  }

  void add_ports(const Network& network) {
    for (const Network::Port& port : network.inputs()) report_.inputs.push_back({shown(port.name), port.size});
    for (const Network::Port& port : network.outputs()) report_.outputs.push_back({shown(port.name), port.size});
  }

  void play() { report_.policy = make_policy(spec_, *task_, settings_, &report_.plays); }

  // Without a task of its own a network may lack bounds that its actions are scaled to.
  void play_or_explain(const Network& network, const PolicyOptions& options) {
    if (!task_) task_ = network_task(read_.file, network, options);
    try {
      play();
    } catch (const Error& error) {
      const bool open = error.code() == ErrorCode::missing_option || error.code() == ErrorCode::out_of_range;
      if (given_ || !open) throw;
      report_.missing = fmt::format("{}. {}, or name the task with --env", error.problem(), error.remedy());
    }
  }

  const std::string spec_;
  std::vector<PolicySetting> settings_;
  NetworkSettings read_;
  bool given_;  // the task
  std::optional<Task> task_;
  InspectResult report_;
};

std::string join_names(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 6;
  if (names.size() <= shown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ... ({} in all)", fmt::join(std::span(names).first(shown), ", "), names.size());
}

}  // namespace

std::vector<std::string> contract_warnings(const Contract& contract) {
  std::vector<std::string> out;
  const Space &seen = contract.observation, &played = contract.action;
  const auto names_where = [](const Space& space, const auto& wanted) {
    std::vector<std::string> names;
    for (std::size_t d = 0; !space.is_discrete() && d < space.dimensions(); ++d) {
      if (wanted(d)) names.push_back(space.axes[d].name);
    }
    return names;
  };
  const auto open = [](const Range& range) { return !std::isfinite(range.low) || !std::isfinite(range.high); };
  const auto loose =
      names_where(played, [&](std::size_t d) { return contract.clip.empty() || open(contract.clip[d]); });
  if (!loose.empty()) out.push_back(fmt::format("actions are never clipped: {}", join_names(loose)));
  const auto unbounded = names_where(seen, [&](std::size_t d) { return open(seen.axes[d].range); });
  if (!unbounded.empty()) out.push_back(fmt::format("observations without bounds: {}", join_names(unbounded)));
  const auto without_unit = [](const Space& space) {
    return !space.is_discrete() && std::ranges::all_of(space.axes, [](const Axis& axis) { return axis.unit.empty(); });
  };
  if (without_unit(seen)) out.emplace_back("units of observations are unknown: give --units");
  if (without_unit(played)) out.emplace_back("units of actions are unknown: give --action-units");
  const auto numbered = [](const Space& space) { return space.axes.front().name == "obs0"; };
  if (!seen.is_discrete() && !seen.axes.empty() && numbered(seen)) {
    out.emplace_back("names of observations are unknown: give --names");
  }
  if (!seen.is_discrete() && contract.dt == 0) out.emplace_back("the control period is unknown: give --period");
  const Normalisation& normal = contract.normalisation;
  const auto constant =
      names_where(seen, [&](std::size_t d) { return !normal.empty() && normal.variance[d] + normal.epsilon < 1e-7; });
  if (!constant.empty()) {
    out.push_back(fmt::format("the normaliser has never seen these change, and small changes are magnified: {}",
                              join_names(constant)));
  }
  return out;
}

InspectResult report_policy(const std::string& spec, const std::vector<PolicySetting>& settings, const Task* task) {
  return Reporter(spec, settings, task).make();
}

}  // namespace mercer
