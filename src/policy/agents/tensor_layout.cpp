#include "policy/agents/tensor_layout.hpp"

#include <fmt/format.h>

#include "io/limits.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {

// Looks for names behind a prefix that all tensors of a policy share.
class Finder {
 public:
  Finder(const TensorSource& source, const std::string& where) : source_(source), where_(where) {}

  // Finds the shortest prefix of a tensor of that name: a copy such as "target_actor.fc_mu.weight" has a longer one.
  bool find(const std::string& name) {
    bool found = false;
    for (const auto& [own, shape] : source_.shapes) {
      const bool ends = own.ends_with(name) && (own.size() == name.size() || own[own.size() - name.size() - 1] == '.');
      if (!ends || (found && own.size() - name.size() >= prefix_.size())) continue;
      prefix_ = own.substr(0, own.size() - name.size());
      found = true;
    }
    return found;
  }
  bool has(const std::string& name) const { return source_.shapes.contains(prefix_ + name); }
  bool has_any(const std::string& begin) const {
    const auto at = source_.shapes.lower_bound(prefix_ + begin);
    return at != source_.shapes.end() && at->first.starts_with(prefix_ + begin);
  }
  bool holds(const std::string& full) const { return source_.shapes.contains(full); }
  std::string operator()(const std::string& name) const { return prefix_ + name; }
  std::string if_there(const std::string& name) const { return has(name) ? prefix_ + name : ""; }

  // A Sequential whose last layer is the output layer, which is returned.
  std::string chain(TensorLayout& layout, const std::string& name) const {
    layout.layers = sequential_layers(source_, prefix_ + name);
    std::string last = layout.layers.back().name;
    layout.layers.pop_back();
    return last;
  }
  void normaliser(TensorLayout& layout, const std::string& mean, const std::string& spread) const {
    if (!has(mean)) return;
    layout.obs_mean = prefix_ + mean;
    (spread.ends_with("std") ? layout.obs_std : layout.obs_var) = prefix_ + spread;
  }
  void refuse_if(bool there, const std::string& what) const {
    if (there) refuse_agent(where_, what);
  }

 private:
  const TensorSource& source_;
  const std::string& where_;
  std::string prefix_;
};

std::optional<TensorLayout> rl_games(Finder names, const TensorSource& source) {
  const bool box = names.find("a2c_network.mu.weight");
  if (!box && !names.find("a2c_network.logits.weight")) return std::nullopt;
  names.refuse_if(names.has_any("a2c_network.rnn"), "it is recurrent: what it plays depends on the past");
  names.refuse_if(names.has_any("a2c_network.actor_cnn"), "its network takes pictures");
  TensorLayout layout;
  layout.trainer = "rl_games";
  layout.layers = sequential_layers(source, names("a2c_network.actor_mlp"));
  // A norm comes behind the activation of its layer, so nothing follows the last one.
  if (!layout.layers.empty() && source.shapes.find(layout.layers.back().name + ".weight")->second.size() == 1) {
    layout.layers.back().active = false;
  }
  layout.activation = "ELU";
  names.normaliser(layout, "running_mean_std.running_mean", "running_mean_std.running_var");
  // Early versions keep it beside the model.
  if (Finder outside = names; layout.obs_mean.empty() && outside.find("running_mean_std.running_mean")) {
    outside.normaliser(layout, "running_mean_std.running_mean", "running_mean_std.running_var");
  }
  layout.obs_epsilon = 1e-5;
  layout.obs_clip = 5;
  layout.rescaled = box;
  if (!box) {
    layout.logits = names("a2c_network.logits");
    return layout;
  }
  layout.squash = Squash::none;
  layout.mean = names("a2c_network.mu");
  layout.log_std = names("a2c_network.sigma");
  return layout;
}

std::optional<TensorLayout> rsl_rl(Finder names) {
  TensorLayout layout;
  layout.trainer = "rsl_rl";
  layout.squash = Squash::none;
  layout.activation = "ELU";
  layout.obs_epsilon = 0.01;
  layout.obs_clip = no_clip;
  if (names.find("actor.0.weight") && (names.has("std") || names.has("log_std"))) {
    layout.std = names.if_there("std");
    layout.log_std = layout.std.empty() ? names("log_std") : "";
    layout.mean = names.chain(layout, "actor");
    names.refuse_if(names.has_any("memory_a"), "it is recurrent: what it plays depends on the past");
    names.normaliser(layout, "actor_obs_normalizer._mean", "actor_obs_normalizer._std");
  } else if (names.find("mlp.0.weight") && names.has_any("distribution.")) {  // from version 4 on
    layout.std = names.if_there("distribution.std_param");
    layout.log_std = names.if_there("distribution.log_std_param");
    names.refuse_if(layout.std.empty() && layout.log_std.empty(), "its standard deviation is a function of the state");
    layout.mean = names.chain(layout, "mlp");
    names.refuse_if(names.has_any("rnn."), "it is recurrent: what it plays depends on the past");
    names.refuse_if(names.has_any("cnn"), "its network takes pictures");
    names.normaliser(layout, "obs_normalizer._mean", "obs_normalizer._std");
  } else {
    names.refuse_if(names.find("actor_state_dict.mlp.0.weight"),
                    "it stores no standard deviation: the actor of rsl_rl is deterministic, a Beta distribution or one "
                    "whose spread depends on the state, and the file does not say which");
    return std::nullopt;
  }
  // Before version 3 the normaliser stands outside of the module.
  if (layout.obs_mean.empty() && names.find("obs_norm_state_dict._mean")) {
    names.normaliser(layout, "obs_norm_state_dict._mean", "obs_norm_state_dict._std");
  }
  return layout;
}

// The layers STEM0, STEM1, ... of a module of flax, each with the norm of its number, if it has one.
std::vector<TensorLayout::Layer> numbered_layers(const Finder& names, const std::string& module,
                                                 const std::string& stem) {
  std::vector<TensorLayout::Layer> layers;
  for (std::size_t i = 0; names.has(fmt::format("{}.{}{}.weight", module, stem, i)); ++i) {
    layers.push_back({names(fmt::format("{}.{}{}", module, stem, i))});
    const std::string norm = fmt::format("{}.LayerNorm_{}", module, i);
    if (names.has(norm + ".weight")) layers.push_back({names(norm), false});
  }
  return layers;
}

// The statistics of (statistics, policy, values): tuples become maps with the keys 0, 1, 2.
void add_statistics(TensorLayout& layout, const Finder& names) {
  layout.obs_epsilon = 0;
  layout.obs_clip = no_clip;
  std::string outer = names("");
  if (!outer.ends_with("1.")) return;
  outer.replace(outer.size() - 2, 2, "0.");
  for (const char* const key : {"", ".state"}) {  // dictionaries of observations name the policy's own "state"
    if (!names.holds(outer + "mean" + key) || !names.holds(outer + "std" + key)) continue;
    layout.obs_mean = outer + "mean" + key;
    layout.obs_std = outer + "std" + key;
    layout.normalises_perhaps = true;
  }
}

std::optional<TensorLayout> brax(Finder names) {
  TensorLayout layout;
  layout.trainer = "Brax";
  layout.activation = "SiLU";
  if (names.find("params.MLP_0.hidden_0.weight") && names.has("params.Dense_0.weight")) {  // distribution_type normal
    names.refuse_if(names.has("params.Dense_1.weight"), "its standard deviation is a function of the state");
    layout.layers = numbered_layers(names, "params.MLP_0", "hidden_");
    layout.mean = names("params.Dense_0");
    layout.std = names.if_there("params.std_param.value");
    layout.log_std = names.if_there("params.std_logparam.log_value");
    layout.squash = Squash::none;
    layout.rescaled = true;
  } else if (names.find("params.hidden_0.weight")) {
    layout.layers = numbered_layers(names, "params", "hidden_");
    layout.mean = layout.layers.back().name;
    layout.layers.pop_back();
    layout.squash = Squash::tanh;
    layout.halves = true;
    layout.least_std = 0.001;
  } else {
    return std::nullopt;
  }
  add_statistics(layout, names);
  return layout;
}

// The critics beside an actor, with layers STEMi for i from `first` on: CleanRL saves a tuple (actor, qf1, qf2), whose
// keys become 0, 1, 2.
void add_critics(TensorLayout& layout, const Finder& names, const std::string& stem, std::size_t first) {
  constexpr std::size_t most_critics = limits::agent_critics;
  if (names("") != "0.") return;
  for (std::size_t i = 1; i <= most_critics; ++i) {
    std::vector<std::string> layers;
    const auto layer = [&] { return fmt::format("{}.{}{}", i, stem, first + layers.size()); };
    while (names.holds(layer() + ".weight")) layers.push_back(layer());
    if (layers.empty()) return;
    layout.critics.push_back(std::move(layers));
  }
}

// What flax.serialization.to_bytes makes of the parameters in CleanRL's scripts for jax: of [actor, critics] or of one
// network alone.
std::optional<TensorLayout> clean_rl_jax(Finder names, const TensorSource& source, const std::string& where) {
  if (!names.find("params.Dense_0.weight") || names.has_any("params.LayerNorm")) return std::nullopt;
  names.refuse_if(names.has_any("params.Conv_"), "its network takes pictures");
  TensorLayout layout;
  layout.activation = "ReLU";
  layout.activation_set = true;
  layout.layers = numbered_layers(names, "params", "Dense_");
  const std::string last = layout.layers.back().name;
  const auto width = [&](const std::string& layer, std::size_t axis) {
    const auto shape = source.shapes.find(layer + ".weight");
    return shape == source.shapes.end() || shape->second.size() != 2 ? 0 : shape->second[axis];
  };
  const std::size_t inputs = width(layout.layers[0].name, 1), actions = width(last, 0);
  layout.layers.pop_back();
  if (names("") == "0." && width("1.params.Dense_0", 1) == inputs + actions) {
    layout.trainer = "TD3 or DDPG of CleanRL (jax)";
    add_critics(layout, names, "params.Dense_", 0);
    layout.squash = Squash::tanh;
    layout.action = last;
  } else if (names("").empty() && where.ends_with(".cleanrl_model")) {
    layout.trainer = "DQN of CleanRL (jax)";
    layout.q = last;
  } else {
    return std::nullopt;
  }
  return layout;
}

std::optional<TensorLayout> clean_rl(Finder names, const TensorSource& source) {
  TensorLayout layout;
  layout.activation_set = true;
  const auto flat = [&](const char* trainer) {  // fc1, fc2 and an output layer that is squashed
    layout.trainer = trainer;
    layout.activation = "ReLU";
    layout.squash = Squash::tanh;
    for (std::size_t i = 1; names.has(fmt::format("fc{}.weight", i)); ++i) {
      layout.layers.push_back({names(fmt::format("fc{}", i))});
    }
    layout.scale = names.if_there("action_scale");
    layout.centre = names.if_there("action_bias");
    add_critics(layout, names, "fc", 1);
  };
  if (names.find("actor_mean.0.weight") && names.has("actor_logstd")) {
    layout.trainer = "PPO of CleanRL";
    layout.squash = Squash::none;
    layout.activation = "Tanh";
    layout.mean = names.chain(layout, "actor_mean");
    layout.log_std = names("actor_logstd");
    layout.normalises_outside = true;
  } else if (names.find("fc_mean.weight") && names.has("fc_logstd.weight")) {
    flat("SAC of CleanRL");
    layout.mean = names("fc_mean");
    layout.log_std = names("fc_logstd");
    layout.log_std_tanh = Range{-5, 2};
  } else if (names.find("fc_mu.weight")) {
    flat("TD3 or DDPG of CleanRL");
    layout.action = names("fc_mu");
  } else if (names.find("actor.0.weight") && names.has("critic.0.weight")) {
    layout.trainer = "PPO of CleanRL, discrete";
    layout.activation = "Tanh";
    layout.logits = names.chain(layout, "actor");
  } else if (names.find("network.0.weight")) {
    names.refuse_if(names.has("atoms"), "it is C51 of CleanRL: a distribution of values; legal: DQN");
    names.refuse_if(source.shapes.find(names("network.0.weight"))->second.size() != 2, "its network takes pictures");
    names.refuse_if(names.has("actor.weight"), "its actor shares a network with its critic");
    layout.trainer = "DQN of CleanRL";
    layout.activation = "ReLU";
    layout.q = names.chain(layout, "network");
  } else {
    return std::nullopt;
  }
  return layout;
}

}  // namespace

std::vector<TensorLayout::Layer> sequential_layers(const TensorSource& source, const std::string& name) {
  const std::vector<std::size_t> places = sequential_places(source, name);
  std::vector<TensorLayout::Layer> layers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool gap = i + 1 == places.size() || places[i + 1] != places[i] + 1;
    layers.push_back({fmt::format("{}.{}", name, places[i]), gap});
  }
  return layers;
}

std::optional<TensorLayout> guess_layout(const TensorSource& source, const std::string& where) {
  const Finder names(source, where);
  if (auto found = rl_games(names, source)) return found;
  if (auto found = rsl_rl(names)) return found;
  if (auto found = brax(names)) return found;
  if (auto found = clean_rl_jax(names, source, where)) return found;
  return clean_rl(names, source);
}

}  // namespace mercer
