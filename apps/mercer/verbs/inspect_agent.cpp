#include "verbs/inspect_agent.hpp"

#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "io/sha256.hpp"
#include "policy/agents/agent.hpp"
#include "policy/files.hpp"

namespace {

using json = nlohmann::ordered_json;

std::string range_text(const mercer::Range& range) { return fmt::format("{:.6g} to {:.6g}", range.low, range.high); }

bool has_bounds(const mercer::Range& range) { return std::isfinite(range.low) && std::isfinite(range.high); }

// What whoever deploys the policy should know.
std::vector<std::string> remarks(const mercer::Agent& agent) {
  std::vector<std::string> out{"names and units of observations and actions are not stored; the task gives them"};
  for (std::size_t d = 0; !agent.action.is_discrete() && d < agent.action.dimensions(); ++d) {
    if (has_bounds(agent.action.axes[d].range)) continue;
    out.push_back(fmt::format("{} is never clipped: its space has no bounds", agent.action.axes[d].name));
  }
  if (agent.normaliser.empty()) out.emplace_back("observations are not normalised");
  return out;
}

json layers_of(const mercer::Agent& agent) {
  json layers = json::array();
  for (const mercer::TorchLayer& layer : agent.layers) {
    layers.push_back({{"name", layer.name}, {"inputs", layer.inputs}, {"outputs", layer.outputs}});
  }
  return layers;
}

void show_space(const char* what, const mercer::Space& space) {
  if (space.is_discrete()) return fmt::print("  {}: one of {}\n", what, space.count);
  for (const mercer::Axis& axis : space.axes) fmt::print("  {} {}: {}\n", what, axis.name, range_text(axis.range));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

void inspect_agent(const std::string& path, mercer::AgentOptions options, const CommonOptions& common) {
  const mercer::Agent agent = mercer::read_agent(path, options);
  const mercer::Task task = mercer::read_agent_task(path, options);
  std::string reading;
  if (agent.normaliser.empty()) options.normaliser = "none";  // its absence was said once
  const auto policy = mercer::make_agent_policy(path, task, options, {}, &reading);
  const std::string digest = mercer::sha256_file(path);
  if (common.json) {
    const json document{{"file", path},
                        {"kind", "agent"},
                        {"algorithm", agent.algorithm},
                        {"stable_baselines3", agent.version},
                        {"system", agent.system},
                        {"sha256", digest},
                        {"contract", mercer::to_json(policy->contract())},
                        {"layers", layers_of(agent)},
                        {"activation", agent.activation.name},
                        {"normaliser", agent.normaliser.string()},
                        {"plays", reading},
                        {"remarks", remarks(agent)}};
    return print_json(document);
  }
  fmt::print("{}: an agent of {}, Stable-Baselines3 {}\n", path, agent.algorithm,
             agent.version.empty() ? "of an unknown version" : agent.version);
  if (!agent.system.empty()) fmt::print("  saved on:\n    {}\n", fmt::join(lines_of(agent.system), "\n    "));
  fmt::print("  SHA-256 {}\n", digest);
  show_space("observation", agent.observation);
  show_space("action", agent.action);
  for (const mercer::TorchLayer& layer : agent.layers) {
    fmt::print("  layer {}: {} to {}\n", layer.name, layer.inputs, layer.outputs);
  }
  fmt::print("  activation of hidden layers: {}\n", agent.activation.name);
  fmt::print("  plays a {}\n", reading);
  for (const std::string& remark : remarks(agent)) fmt::print("  note: {}\n", remark);
}
