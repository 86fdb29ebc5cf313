#include "policy/agents/tensor_layout.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

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
  std::string operator()(const std::string& name) const { return prefix_ + name; }
  std::string if_there(const std::string& name) const { return has(name) ? prefix_ + name : ""; }

  // A Sequential whose last layer is the output layer, which is returned.
  std::string chain(TensorLayout& layout, const std::string& name) const {
    layout.layers = sequential_layers(source_, prefix_ + name);
    const std::string last = layout.layers.back().name;
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
  layout.activation = "ELU";
  names.normaliser(layout, "running_mean_std.running_mean", "running_mean_std.running_var");
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
    return std::nullopt;
  }
  // Before version 3 the normaliser stands outside of the module.
  if (layout.obs_mean.empty() && names.find("obs_norm_state_dict._mean")) {
    names.normaliser(layout, "obs_norm_state_dict._mean", "obs_norm_state_dict._std");
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
  std::vector<std::size_t> places;
  for (auto at = source.shapes.lower_bound(name + "."); at != source.shapes.end(); ++at) {
    std::string_view rest = at->first;
    if (!rest.starts_with(name + ".")) break;
    rest.remove_prefix(name.size() + 1);
    std::size_t place = 0;
    const auto [stop, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), place);
    const std::string_view own = rest.substr(static_cast<std::size_t>(stop - rest.data()));
    if (trouble == std::errc{} && own == ".weight") places.push_back(place);
  }
  std::ranges::sort(places);
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
  return clean_rl(names, source);
}

}  // namespace mercer
