#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/tensor_layout.hpp"

namespace mercer {

/// What a person says about the tensors of a file, see `known_policy_settings`. All of it may be left out for files of
/// known trainers.
struct LayerOptions {
  std::vector<std::string> layers{};             ///< before the output layer
  std::vector<std::string> activation{};         ///< one, or one for each layer
  std::map<std::string, std::string> tensors{};  ///< by setting: std, obs-mean-tensor, ...
  std::optional<Range> log_std_clip{}, log_std_tanh{};
  std::optional<double> obs_epsilon{}, obs_clip{};  ///< of a normaliser in tensors

  bool empty() const {
    return layers.empty() && activation.empty() && tensors.empty() && !log_std_clip && !log_std_tanh;
  }
};

/// Puts a setting in if it is one of these, and returns whether it was. Throws `bad_value`.
bool set_layer_option(LayerOptions& options, const PolicySetting& setting);

/// The layout of a file's tensors: as the options and `outputs` describe it (the layers that give mean, log_std,
/// action, q or logits, by these names) or, where neither names a layer, as `guess_layout` finds it. Throws
/// `bad_format` with the names of the tensors where it finds none, `missing_option` where no output layer is named.
TensorLayout layout_of(const TensorSource& source, const LayerOptions& options,
                       const std::map<std::string, std::string>& outputs, const std::string& where);

/// The activation of each layer that has one: those `given`, or the trainer's own. Warns where that is an assumption.
/// Throws `missing_option` where none is known, `shape_mismatch` where their number does not fit.
std::vector<Activation> activations_of(const TensorLayout& layout, const std::vector<std::string>& given,
                                       const std::string& where);

}  // namespace mercer
