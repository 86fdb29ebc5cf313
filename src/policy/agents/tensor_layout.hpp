#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/layers.hpp"

namespace mercer {

/// What the tensors of a policy are: which ones are layers, in which order, and what comes out.
struct TensorLayout {
  /// A layer of torch.nn: linear, or a LayerNorm where its weight has one axis.
  struct Layer {
    std::string name;    ///< its tensors are name.weight and name.bias
    bool active = true;  ///< whether an activation follows
  };

  std::string trainer;                  ///< such as "PPO of CleanRL"; empty where the names are those of no trainer
  std::vector<Layer> layers;            ///< before the output layers
  std::string activation;               ///< of the trainer; empty: it must be given
  bool activation_set = false;          ///< the trainer knows no other one
  std::string mean, action, q, logits;  ///< the output layer, under what it gives: one of them
  std::string log_std;                  ///< a layer or a tensor, beside `mean`
  std::string std;                      ///< a tensor of standard deviations instead of `log_std`
  bool halves = false;                  ///< `mean` also gives, below the means, x of std = softplus(x) + least_std
  double least_std = 0;
  std::optional<Range> log_std_clip;  ///< log_std is limited to it
  std::optional<Range> log_std_tanh;  ///< log_std is squashed by tanh into it
  std::string obs_mean, obs_var;      ///< tensors of a normaliser
  std::string obs_std;                ///< instead of `obs_var`; epsilon is then added to it
  double obs_epsilon = 1e-8;
  double obs_clip = 10;
  std::string scale, centre;  ///< tensors: action = centre + scale * squashed output
  std::optional<Squash> squash;
  std::vector<std::vector<std::string>> critics;  ///< layers of networks from observation and played action to a value
  bool rescaled = false;                          ///< outputs of -1 to 1 mean the task's bounds
  bool normalises_outside = false;                ///< the trainer normalises observations and stores no statistics
  bool normalises_perhaps = false;                ///< the trainer stores statistics, and not whether they are used
};

/// A clip that never acts and that single precision can hold.
inline constexpr double no_clip = 3e38;

/// The layout by the names of the tensors, where they are those of CleanRL, rsl_rl, rl_games or Brax; also behind a
/// common prefix, such as "model_state_dict.". None where they are not. Throws `bad_format` for what those trainers
/// write and is no perceptron: recurrent networks, networks over pictures, distributions of values.
std::optional<TensorLayout> guess_layout(const TensorSource& source, const std::string& where);

/// The layers NAME.0, NAME.2, ... of a torch.nn.Sequential: an activation stands where a number has no tensors.
std::vector<TensorLayout::Layer> sequential_layers(const TensorSource& source, const std::string& name);

}  // namespace mercer
