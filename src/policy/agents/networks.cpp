#include "policy/agents/networks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/pickle.hpp"
#include "policy/graph/graph.hpp"

namespace mercer {
namespace {

constexpr double noise_floor = 1e-6;  // of the variance of state-dependent exploration, in Stable-Baselines3

std::string text_at(const nlohmann::json& object, const std::string& key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The name of the policy's class: the module is plain text, the name itself stands in a small pickle.
std::string class_name(const AgentFile& file) {
  const std::string packed = text_at(file.get("policy_class"), ":serialized:");
  if (packed.empty()) refuse_agent(file.where, "it does not name the class of its policy");
  const std::vector<std::byte> bytes = decode_base64(packed, file.where);
  const Pickle pickle = parse_pickle(bytes, file.where, agent_names());
  return std::string(pickle.root().text);
}

// Builds one network of an agent.
class Maker {
 public:
  Maker(const AgentFile& file, AgentKind kind, const AgentSpaces& spaces, const std::vector<double>& rows)
      : file_(file),
        spaces_(spaces),
        builder_(file.where, 17),
        layers_(builder_, tensors_of(file.tensors), activation_of(file, kind), file.where) {
    builder_.add_input("obs", {spaces.observation.dimensions()});
    if (rows.empty()) return;
    builder_.add_constant("rows", {{rows.size()}, rows});
    builder_.add_node({"Gather", "order", {"obs", "rows"}, {"features"}, {{"axis", {1}}}});
    features_ = "features";
  }

  Squash gaussian() {
    const std::string latent = layers_.hidden("actor.latent_pi", features_);
    // With state-dependent exploration the mean is cut: torch.nn.Sequential(Linear, Hardtanh).
    const bool cut = layers_.has("actor.mu.0.weight");
    layers_.linear(cut ? "actor.mu.0" : "actor.mu", latent, cut ? "any mean" : "mean");
    const double most = file_.number("clip_mean", 2);
    if (cut) builder_.add_node({"Clip", "", {"any mean"}, {"mean"}, {{"min", {-most}}, {"max", {most}}}});
    if (layers_.has("actor.log_std.weight")) {
      layers_.linear("actor.log_std", latent, "any log_std");
      builder_.add_node({"Clip", "", {"any log_std"}, {"log_std"}, {{"min", {-20}}, {"max", {2}}}});
    } else {
      add_state_dependent_spread("actor.log_std", latent);
    }
    return finish_gaussian(Squash::tanh);
  }

  Squash deterministic() {
    layers_.chain_to("actor.mu", features_, "action");
    builder_.add_output("action");
    return Squash::tanh;
  }

  Squash actor_critic() {
    const std::string shared = layers_.hidden("mlp_extractor.shared_net", features_);
    const std::string latent = layers_.hidden("mlp_extractor.policy_net", shared);
    if (spaces_.action.is_discrete()) {
      layers_.linear("action_net", latent, "logits");
      builder_.add_output("logits");
      return Squash::none;
    }
    layers_.linear("action_net", latent, "mean");
    const Tensor log_std = layers_.tensor("log_std");
    if (log_std.shape.size() == 2) {
      add_state_dependent_spread("log_std", latent);
    } else {
      layers_.constant(log_std.data, layers_.added().back().inputs, latent, "log_std");
    }
    return finish_gaussian(file_.flag("squash_output", false) ? Squash::tanh : Squash::none);
  }

  Squash random_search() {
    const bool discrete = spaces_.action.is_discrete();
    const std::string to = discrete ? "q" : "action";
    if (layers_.has("action_net.weight")) {  // before sb3-contrib 1.6, linear policies were one layer
      layers_.linear("action_net", features_, to);
    } else {
      layers_.chain_to("action_net", features_, to);
    }
    builder_.add_output(to);
    if (discrete) return Squash::none;
    const bool squashed = !class_name(file_).ends_with("LinearPolicy");
    return file_.flag("squash_output", squashed) ? Squash::tanh : Squash::none;
  }

  // Values of discrete actions: the layers may give several quantiles of each, one set of actions after the other.
  void action_values(const std::string& chain, const std::string& to) {
    const std::vector<std::string> layers = layers_.chain(chain);
    if (layers.empty()) refuse_agent(file_.where, fmt::format("it has no layers '{}.0' ...", chain));
    layers_.mean_linear(layers.back(), spaces_.action.count, layers_.hidden(chain, features_, true), to);
    builder_.add_output(to);
  }

  // Critics of an observation and an action, each with one or more quantiles. Returns how many there are.
  std::size_t critics() {
    builder_.add_input("action", {spaces_.action.dimensions()});
    builder_.add_node({"Concat", "", {features_, "action"}, {"both"}, {{"axis", {1}}}});
    std::size_t count = 0;
    for (const std::vector<std::string>& layers : critic_layers(layers_)) {
      const std::string chain = fmt::format("critic.qf{}", count), to = fmt::format("q{}", ++count);
      layers_.mean_linear(layers.back(), 1, layers_.hidden(chain, "both", true), to);
      builder_.add_output(to);
    }
    return count;
  }

  void observation_value() {
    const std::string shared = layers_.hidden("mlp_extractor.shared_net", features_);
    layers_.linear("value_net", layers_.hidden("mlp_extractor.value_net", shared), "v");
    builder_.add_output("v");
  }

  const TorchLayers& layers() const { return layers_; }
  Network finish() { return Network(builder_.finish()); }

 private:
  Squash finish_gaussian(Squash squash) {
    builder_.add_output("mean");
    builder_.add_output("log_std");
    return squash;
  }

  // log_std = log(variance) / 2 with variance = latent^2 std^2 + 1e-6: what an action is drawn with where the matrix
  // of noise is drawn anew at every step.
  void add_state_dependent_spread(const std::string& name, const std::string& latent) {
    Tensor std = layers_.tensor(name);
    const std::size_t actions = spaces_.action.dimensions();
    if (std.shape.size() != 2 || (std.shape[1] != actions && std.shape[1] != 1)) {
      refuse_agent(file_.where, "its exploration noise has no column for each action");
    }
    const bool gentle = file_.flag("use_expln", false);  // grows slower than exp above 0
    Tensor squares{{std.shape[0], actions}, {}};
    for (std::size_t i = 0; i < std.shape[0] * actions; ++i) {
      const double log_std = std.data[std.shape[1] == 1 ? i / actions : i];
      const double own = gentle && log_std > 0 ? std::log1p(log_std + noise_floor) + 1 : std::exp(log_std);
      squares.data.push_back(own * own);
    }
    builder_.add_constant("std^2", std::move(squares));
    builder_.add_constant("floor", {{1}, {noise_floor}});
    builder_.add_constant("half", {{1}, {0.5}});
    builder_.add_node({"Mul", "", {latent, latent}, {"latent^2"}});
    builder_.add_node({"MatMul", "", {"latent^2", "std^2"}, {"bare variance"}});
    builder_.add_node({"Add", "", {"bare variance", "floor"}, {"variance"}});
    builder_.add_node({"Log", "", {"variance"}, {"log variance"}});
    builder_.add_node({"Mul", "", {"log variance", "half"}, {"log_std"}});
  }

  const AgentFile& file_;
  const AgentSpaces& spaces_;
  GraphBuilder builder_;
  TorchLayers layers_;
  std::string features_ = "obs";
};

}  // namespace

AgentKind agent_kind(const AgentFile& file) {
  const auto& tensors = file.tensors.tensors();
  const std::string module = text_at(file.get("policy_class"), "__module__");
  const auto any = [&](std::string_view part) {
    return std::ranges::any_of(tensors, [&](const auto& one) {
      return one.first.find(part) != std::string::npos && !one.second.shape.empty();
    });
  };
  const auto has_chain = [&](const std::string& name) {
    const auto at = tensors.lower_bound(name + ".");
    return at != tensors.end() && at->first.starts_with(name + ".");
  };
  if (any("lstm")) refuse_agent(file.where, "it is recurrent: what it plays depends on the past; legal: MlpPolicy");
  if (module.find("maskable") != std::string::npos) {
    refuse_agent(file.where, "it plays with masks of actions, which tasks here do not give");
  }
  if (!module.empty() && !module.starts_with("stable_baselines3.") && !module.starts_with("sb3_contrib.")) {
    refuse_agent(file.where, fmt::format("its policy is of a class of its own, in module '{}'", module));
  }
  const nlohmann::json& extractor = file.argument("features_extractor_class");
  const bool plain =
      extractor.is_null() ||
      (extractor.is_string() && (extractor.get_ref<const std::string&>().ends_with(".FlattenExtractor'>") ||
                                 extractor.get_ref<const std::string&>().ends_with(".CombinedExtractor'>")));
  if (!plain) refuse_agent(file.where, fmt::format("it extracts features with {}; legal: MlpPolicy", extractor.dump()));
  if (any("features_extractor")) {
    refuse_agent(file.where, "it extracts features with a network of its own, such as CnnPolicy; legal: MlpPolicy");
  }
  if (tensors.contains("actor.log_std") || tensors.contains("actor.log_std.weight")) return AgentKind::gaussian;
  if (has_chain("actor.mu")) return AgentKind::deterministic;
  if (has_chain("q_net.q_net")) return AgentKind::values;
  if (has_chain("quantile_net.quantile_net")) return AgentKind::quantiles;
  if (tensors.contains("action_net.weight") && (has_chain("value_net") || has_chain("mlp_extractor"))) {
    return AgentKind::actor_critic;
  }
  if (has_chain("action_net") && module.find(".ars.") != std::string::npos) return AgentKind::random_search;
  refuse_agent(file.where,
               "its tensors match no known policy; legal: SAC, TD3, DDPG, TQC, PPO, A2C, TRPO, DQN, QR-DQN, ARS");
}

std::string algorithm_name(const AgentFile& file, AgentKind kind) {
  switch (kind) {
    case AgentKind::gaussian:
      return file.data.contains("top_quantiles_to_drop_per_net") ? "TQC" : "SAC";
    case AgentKind::deterministic:
      return file.number("n_critics", 2) == 1 ? "DDPG" : "TD3";
    case AgentKind::values:
      return "DQN";
    case AgentKind::quantiles:
      return "QR-DQN";
    case AgentKind::random_search:
      return "ARS";
    case AgentKind::actor_critic:
      break;
  }
  return file.data.contains("clip_range") ? "PPO" : file.data.contains("cg_max_steps") ? "TRPO" : "A2C";
}

Activation activation_of(const AgentFile& file, AgentKind kind) {
  const nlohmann::json& given = file.argument("activation_fn");
  if (given.is_null()) return activation_named(kind == AgentKind::actor_critic ? "Tanh" : "ReLU", file.where);
  if (!given.is_string()) refuse_agent(file.where, "its activation function is not described");
  return parse_activation(given.get<std::string>(), file.where);
}

std::vector<std::vector<std::string>> critic_layers(const TorchTensors& tensors) {
  std::vector<std::vector<std::string>> critics;
  while (critics.size() < most_network_outputs) {
    std::vector<std::string> layers = tensors.chain(fmt::format("critic.qf{}", critics.size()));
    if (layers.empty()) break;
    critics.push_back(std::move(layers));
  }
  return critics;
}

std::optional<bool> stored_normalising(const AgentFile& file, AgentKind kind) {
  if (kind != AgentKind::actor_critic || !file.data.contains("_last_original_obs")) return std::nullopt;
  return !file.get("_last_original_obs").is_null();
}

AgentNetwork play_network(const AgentFile& file, AgentKind kind, const AgentSpaces& spaces,
                          const std::vector<double>& rows) {
  Maker maker(file, kind, spaces, rows);
  const bool box = kind == AgentKind::gaussian || kind == AgentKind::deterministic;
  const bool discrete = kind == AgentKind::values || kind == AgentKind::quantiles;
  if ((box && spaces.action.is_discrete()) || (discrete && !spaces.action.is_discrete())) {
    refuse_agent(file.where, fmt::format("it is {} and its actions are {}", algorithm_name(file, kind),
                                         box ? "discrete" : "a box"));
  }
  Squash squash = Squash::none;
  switch (kind) {
    case AgentKind::gaussian:
      squash = maker.gaussian();
      break;
    case AgentKind::deterministic:
      squash = maker.deterministic();
      break;
    case AgentKind::values:
      maker.action_values("q_net.q_net", "q");
      break;
    case AgentKind::quantiles:
      maker.action_values("quantile_net.quantile_net", "q");
      break;
    case AgentKind::actor_critic:
      squash = maker.actor_critic();
      break;
    case AgentKind::random_search:
      squash = maker.random_search();
      break;
  }
  return {maker.finish(), squash, maker.layers().added(), maker.layers().activation()};
}

std::optional<Network> value_network(const AgentFile& file, AgentKind kind, const AgentSpaces& spaces,
                                     const std::vector<double>& rows) {
  Maker maker(file, kind, spaces, rows);
  switch (kind) {
    case AgentKind::gaussian:
    case AgentKind::deterministic:
      if (maker.critics() == 0) return std::nullopt;
      break;
    case AgentKind::values:
      maker.action_values("q_net.q_net", "q1");
      break;
    case AgentKind::quantiles:
      maker.action_values("quantile_net.quantile_net", "q1");
      break;
    case AgentKind::actor_critic:
      if (!maker.layers().has("value_net.weight")) return std::nullopt;
      maker.observation_value();
      break;
    case AgentKind::random_search:
      return std::nullopt;
  }
  return maker.finish();
}

}  // namespace mercer
