#include "policy/agents/agent.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/ordinary.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "policy/agents/dense_critics.hpp"
#include "policy/agents/networks.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"

namespace mercer {
namespace {

// An agent's file together with what the options make of it.
struct Opened {
  AgentFile file;
  AgentKind kind;
  AgentSpaces spaces;
  std::vector<double> rows;  // see play_network
  Normalisation normalisation;
  std::filesystem::path normaliser;
};

std::string keys_of(const std::vector<ObservationPart>& parts) {
  std::vector<std::string> words;
  words.reserve(parts.size());
  for (const ObservationPart& part : parts) words.push_back(fmt::format("{} ({})", part.key, part.size));
  return fmt::format("{}", fmt::join(words, ", "));
}

// Brings the parts of a dictionary into the order in which the task gives them.
void reorder(Opened& agent, const std::vector<std::string>& order) {
  const std::vector<ObservationPart> old = agent.spaces.parts;
  if (old.empty() && order.empty()) return;
  const std::string& where = agent.file.where;
  if (old.empty()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'{}': obs-order is for dictionaries of observations, and its own are {} "
                            "numbers",
                            where, agent.spaces.observation.dimensions()),
                "Leave it out");
  }
  if (order.empty()) {
    throw Error(ErrorCode::missing_option,
                fmt::format("'{}': its observations are a dictionary with the parts {}", where, keys_of(old)),
                "Add --obs-order with these keys in the order in which the task gives them, such as --obs-order "
                "observation,achieved_goal,desired_goal");
  }
  Space space;
  std::vector<ObservationPart> parts;
  agent.rows.assign(agent.spaces.observation.dimensions(), 0);
  for (const std::string& key : order) {
    const auto found = std::ranges::find(old, key, &ObservationPart::key);
    const bool again = std::ranges::find(parts, key, &ObservationPart::key) != parts.end();
    if (found == old.end() || again) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("'{}': obs-order names '{}' {}; its parts are {}", where, key,
                              again ? "twice" : "which it does not have", keys_of(old)),
                  "Name each part once");
    }
    parts.push_back({key, space.dimensions(), found->size});
    for (std::size_t i = 0; i < found->size; ++i) {
      agent.rows[found->begin + i] = static_cast<double>(space.dimensions());
      space.axes.push_back(agent.spaces.observation.axes[found->begin + i]);
    }
  }
  if (parts.size() != old.size()) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("'{}': obs-order names {} of its {} parts: {}", where, parts.size(), old.size(), keys_of(old)),
        "Name each part once");
  }
  agent.spaces.observation = std::move(space);
  agent.spaces.parts = std::move(parts);
}

// Which file of statistics an agent is played with, and why.
struct NormaliserChoice {
  std::filesystem::path used;         // empty: none
  std::filesystem::path left_out;     // found, and of no use
  std::optional<bool> wanted = true;  // whether the agent's file says that it needs one
};

NormaliserChoice choose_normaliser(const AgentFile& file, AgentKind kind, const std::filesystem::path& path,
                                   const AgentOptions& options) {
  if (options.normaliser == "none") return {{}, {}, false};
  if (!options.normaliser.empty()) return {options.normaliser, {}, true};
  const std::vector<std::filesystem::path> places = normaliser_places(path);
  const auto found = std::ranges::find_if(places, is_ordinary_file);
  const std::optional<bool> wanted = stored_normalising(file, kind);
  if (found == places.end()) return {{}, {}, wanted};
  if (wanted == false) return {{}, *found, wanted};
  return {*found, {}, wanted};
}

void normalise(Opened& agent, const std::filesystem::path& path, const AgentOptions& options) {
  const NormaliserChoice choice = choose_normaliser(agent.file, agent.kind, path, options);
  if (!choice.used.empty()) {
    agent.normalisation = read_normaliser(choice.used, agent.spaces.observation.dimensions(), agent.spaces.parts);
    agent.normaliser = choice.used;
    if (!choice.wanted && choice.used == normaliser_places(path)[1]) {
      warn(fmt::format(
          "'{}' does not record whether its observations were normalised. Mercer uses '{}' from its folder. If "
          "that is right, add --normaliser FILE with that file; otherwise --normaliser none",
          path.string(), choice.used.string()));
    }
  } else if (!choice.left_out.empty()) {
    warn(fmt::format("'{}' was trained without a normaliser, so '{}' is not used; --normaliser FILE uses it",
                     path.string(), choice.left_out.string()));
  } else if (choice.wanted == true) {
    const std::vector<std::filesystem::path> places = normaliser_places(path);
    throw Error(ErrorCode::missing_option,
                fmt::format("'{}' was trained on normalised observations, and there is no '{}' or '{}'", path.string(),
                            places[0].string(), places[1].string()),
                "Put the file of VecNormalize.save there or name it with --normaliser FILE; --normaliser none plays "
                "without (right only if VecNormalize had norm_obs=False)");
  } else if (!choice.wanted) {
    warn(
        fmt::format("'{}' does not record whether its observations were normalised, and its folder has no "
                    "vecnormalize.pkl. Mercer plays it without normalisation. If that is right, add --normaliser none; "
                    "otherwise --normaliser FILE",
                    path.string()));
  }
}

Opened open_agent(const std::filesystem::path& path, const AgentOptions& options) {
  AgentFile file = read_agent_file(path);
  const AgentKind kind = agent_kind(file);
  AgentSpaces spaces = read_spaces(file);
  Opened agent{std::move(file), kind, std::move(spaces), {}, {}, {}};
  reorder(agent, options.order);
  return agent;
}

void check_actions(const Agent& agent, const std::string& file, const Task& task) {
  const auto words = [](const Space& space) {
    return space.is_discrete() ? fmt::format("one of {} discrete actions", space.count)
                               : fmt::format("{} number{}", space.dimensions(), space.dimensions() == 1 ? "" : "s");
  };
  if (agent.action.count != task.action.count || agent.action.dimensions() != task.action.dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("agent '{}' outputs {}; task '{}' takes {}", file, words(agent.action), task.name,
                            words(task.action)),
                "Choose the task that the agent was trained on");
  }
  for (std::size_t d = 0; !agent.action.is_discrete() && d < agent.action.dimensions(); ++d) {
    const Range own = agent.action.axes[d].range, other = task.action.axes[d].range;
    if (same_end(own.low, other.low) && same_end(own.high, other.high)) continue;
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("action {} of agent '{}' is from {} to {} and that of task '{}' from {} to {}", d, file,
                            own.low, own.high, task.name, other.low, other.high),
                "Choose the task that the agent was trained on, or give --scale and --centre");
  }
}

}  // namespace

bool set_agent_option(AgentOptions& options, const PolicySetting& setting) {
  if (setting.key == "normaliser") {
    options.normaliser = setting.value;
  } else if (setting.key == "obs-order") {
    options.order = split_list(setting.value);
  } else {
    return false;
  }
  return true;
}

Agent read_agent(const std::filesystem::path& path, const AgentOptions& options) {
  Opened agent = open_agent(path, options);
  normalise(agent, path, options);
  AgentNetwork made = play_network(agent.file, agent.kind, agent.spaces, agent.rows);
  return {algorithm_name(agent.file, agent.kind),
          agent.file.version,
          std::move(agent.spaces.observation),
          std::move(agent.spaces.action),
          made.squash,
          std::move(made.network),
          std::move(made.layers),
          std::move(made.activation),
          std::move(agent.file.system),
          std::move(agent.normalisation),
          std::move(agent.normaliser)};
}

std::filesystem::path normaliser_of(const std::filesystem::path& path, const AgentOptions& options) {
  if (path.extension() != ".zip") return options.has_normaliser() ? options.normaliser : "";
  const AgentFile file = read_agent_file(path);
  return choose_normaliser(file, agent_kind(file), path, options).used;
}

Task read_agent_task(const std::filesystem::path& path, const AgentOptions& options) {
  Opened agent = open_agent(path, options);
  Task task;
  task.name = path.stem().string();
  task.observation = std::move(agent.spaces.observation);
  task.action = std::move(agent.spaces.action);
  task.state = task.observation;
  task.time_limit = unlimited_steps;
  return task;
}

std::optional<Critics> read_critics(const std::filesystem::path& path, const AgentOptions& options) {
  Opened agent = open_agent(path, options);
  normalise(agent, path, options);
  std::optional<Network> network = value_network(agent.file, agent.kind, agent.spaces, agent.rows);
  if (!network) return std::nullopt;
  return Critics{std::move(*network), agent.kind != AgentKind::actor_critic, std::move(agent.normalisation)};
}

DenseCritics agent_critics(const std::filesystem::path& path, const AgentOptions& options, const Contract& contract) {
  const Opened agent = open_agent(path, options);
  if (agent.kind != AgentKind::gaussian && agent.kind != AgentKind::deterministic) {
    refuse_agent(agent.file.where, fmt::format("{} has no critics of an observation and an action",
                                               algorithm_name(agent.file, agent.kind)));
  }
  if (agent.spaces.observation.dimensions() != contract.observation.dimensions()) {
    refuse_agent(agent.file.where,
                 fmt::format("it takes {} observations and the policy {}", agent.spaces.observation.dimensions(),
                             contract.observation.dimensions()));
  }
  const TensorSource source = tensors_of(agent.file.tensors);
  CriticLayout layout{critic_layers(TorchTensors(source, agent.file.where)), agent.rows};
  const std::filesystem::path normaliser = choose_normaliser(agent.file, agent.kind, path, options).used;
  if (!normaliser.empty()) layout.unit = read_reward_unit(normaliser);
  const Activation activation = activation_of(agent.file, agent.kind);
  if (!layout.networks.empty() && activation.name != "ReLU") {
    refuse_agent(agent.file.where, fmt::format("its critics have {} between layers; legal: ReLU", activation.name));
  }
  DenseCritics made = dense_critics(source, layout, contract, agent.file.where);
  if (const nlohmann::json& gamma = agent.file.get("gamma"); gamma.is_number()) made.gamma = gamma.get<double>();
  return made;
}

std::unique_ptr<Policy> make_agent_policy(const std::string& file, const Task& task, AgentOptions agent_options,
                                          PolicyOptions options, std::string* reading) {
  if (!options.normalisation.empty()) agent_options.normaliser = "none";  // its numbers are given one by one
  Agent agent = read_agent(file, agent_options);
  if (options.scale.empty() || options.centre.empty()) check_actions(agent, file, task);
  if (!agent.action.is_discrete() && !options.squash) options.squash = agent.squash;
  if (options.normalisation.empty()) options.normalisation = agent.normalisation;
  auto policy = make_network_policy(file, agent.network, task, options, reading);
  if (reading != nullptr) {
    *reading += fmt::format("; an agent of {}{}", agent.algorithm,
                            agent.version.empty() ? "" : ", Stable-Baselines3 " + agent.version);
    if (!agent.normaliser.empty()) *reading += fmt::format("; normaliser '{}'", agent.normaliser.string());
  }
  return policy;
}

}  // namespace mercer
