#include "policy/agents/layer_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/pickle.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

constexpr std::string_view tensor_settings[] = {"std",          "obs-mean-tensor", "obs-var-tensor", "obs-std-tensor",
                                                "scale-tensor", "centre-tensor"};

// The finite numbers in a list.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> out;
  for (const std::string& word : split_list(text)) {
    double number = 0;
    const auto [stop, trouble] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (trouble == std::errc{} && stop == word.data() + word.size() && std::isfinite(number)) out.push_back(number);
  }
  return out;
}

Range range_of(const PolicySetting& setting) {
  const std::vector<double> ends = numbers_in(setting.value);
  if (ends.size() == 2 && ends[0] < ends[1]) return {ends[0], ends[1]};
  throw Error(ErrorCode::bad_value,
              fmt::format("{}: {} = '{}' is not a lower and an upper end", setting.source, setting.key, setting.value),
              "Give two finite numbers, the lower one first, such as -5;2");
}

std::string shape_words(const TensorSource& source) {
  std::vector<std::string> words;
  for (const auto& [name, shape] : source.shapes) {
    if (words.size() == 12) {
      words.emplace_back("...");
      break;
    }
    words.push_back(fmt::format("{} ({})", printable(name), fmt::join(shape, "x")));
  }
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

// The layout that settings describe.
TensorLayout written_layout(const TensorSource& source, const LayerOptions& options,
                            const std::map<std::string, std::string>& outputs, const std::string& where) {
  TensorLayout layout;
  const auto is_norm = [&](const std::string& name) {
    const auto found = source.shapes.find(name + ".weight");
    return found != source.shapes.end() && found->second.size() == 1;
  };
  for (const std::string& layer : options.layers) {
    if (source.shapes.contains(layer + ".weight")) continue;
    std::vector<std::string> known;
    for (const auto& [tensor, shape] : source.shapes) {
      if (tensor.ends_with(".weight")) known.push_back(tensor.substr(0, tensor.size() - 7));
    }
    throw_unknown(fmt::format("layer of '{}'", where), layer, known);
  }
  for (std::size_t i = 0; i < options.layers.size(); ++i) {
    const bool normed = i + 1 < options.layers.size() && is_norm(options.layers[i + 1]);
    layout.layers.push_back({options.layers[i], !normed});
  }
  const auto output = [&](const char* role) {
    const auto found = outputs.find(role);
    return found == outputs.end() ? "" : found->second;
  };
  layout.mean = output("mean");
  layout.log_std = output("log_std");
  layout.action = output("action");
  layout.q = output("q");
  layout.logits = output("logits");
  const std::string* const roles[] = {&layout.mean, &layout.action, &layout.q, &layout.logits};
  if (std::ranges::count_if(roles, [](const std::string* role) { return !role->empty(); }) != 1) {
    throw Error(ErrorCode::missing_option,
                fmt::format("'{}': its output layer is not named once; its tensors: {}", where, shape_words(source)),
                "Name it as mean (and log-std), action, q or logits, such as FILE.pt:action=fc3, or in FILE.toml");
  }
  return layout;
}

}  // namespace

bool set_layer_option(LayerOptions& options, const PolicySetting& setting) {
  // Normalisers of all files have these two, so `set_option` takes and checks them as well.
  if (setting.key == "obs-epsilon" || setting.key == "obs-clip") {
    const std::vector<double> given = numbers_in(setting.value);
    if (given.size() == 1) (setting.key == "obs-clip" ? options.obs_clip : options.obs_epsilon) = given[0];
    return false;
  }
  if (setting.key == "layers") {
    options.layers = split_list(setting.value);
  } else if (setting.key == "activation") {
    options.activation = split_list(setting.value);
  } else if (setting.key == "log-std-clip") {
    options.log_std_clip = range_of(setting);
  } else if (setting.key == "log-std-tanh") {
    options.log_std_tanh = range_of(setting);
  } else if (std::ranges::find(tensor_settings, setting.key) != std::end(tensor_settings)) {
    options.tensors[setting.key] = setting.value;
  } else {
    return false;
  }
  return true;
}

TensorLayout layout_of(const TensorSource& source, const LayerOptions& options,
                       const std::map<std::string, std::string>& outputs, const std::string& where) {
  TensorLayout layout;
  if (!options.layers.empty() || !outputs.empty()) {
    layout = written_layout(source, options, outputs, where);
  } else if (auto guessed = guess_layout(source, where)) {
    layout = std::move(*guessed);
  } else {
    const bool no_snapshot = where.ends_with(".safetensors");
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}': {}its tensor names match no known trainer: {}", where,
                            no_snapshot ? "it has no manifest of 'mercer train', and " : "", shape_words(source)),
                "Name its layers, such as --layers fc1,fc2 --activation ReLU and FILE.pt:action=fc3, or in FILE.toml; "
                "docs/guide/cleanrl.md shows one. Known: CleanRL, rsl_rl, rl_games, Brax. Export a network that is "
                "not a plain chain of layers, such as one with residual connections, to ONNX or TorchScript");
  }
  for (const auto& [key, name] : options.tensors) {
    if (key == "std") layout.std = name;
    if (key == "obs-mean-tensor") layout.obs_mean = name;
    if (key == "obs-var-tensor") layout.obs_var = name;
    if (key == "obs-std-tensor") layout.obs_std = name;
    if (key == "scale-tensor") layout.scale = name;
    if (key == "centre-tensor") layout.centre = name;
  }
  if (options.obs_epsilon) layout.obs_epsilon = *options.obs_epsilon;
  if (options.obs_clip) layout.obs_clip = *options.obs_clip;
  if (options.log_std_clip) layout.log_std_clip = options.log_std_clip;
  if (options.log_std_tanh) layout.log_std_tanh = options.log_std_tanh;
  return layout;
}

std::vector<Activation> activations_of(const TensorLayout& layout, const std::vector<std::string>& given,
                                       const std::string& where) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(layout.layers, &TensorLayout::Layer::active));
  if (count == 0) return {};
  std::vector<std::string> names = given;
  if (names.empty() && layout.activation.empty()) {
    throw Error(ErrorCode::missing_option, fmt::format("'{}' does not store its activation function", where),
                "Add --activation, such as ReLU, Tanh or ELU");
  }
  if (names.empty()) {
    names.push_back(layout.activation);
    if (!layout.activation_set) {
      warn(
          fmt::format("'{}' does not store its activation function: {}, the usual one of {}, is assumed; confirm it "
                      "or name another with --activation",
                      where, layout.activation, layout.trainer));
    }
  }
  if (names.size() != 1 && names.size() != count) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("'{}': {} activation functions for {} layers", where, names.size(), count),
                "Give one, or one for each layer before the output layer");
  }
  std::vector<Activation> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(written_activation(names[names.size() == 1 ? 0 : i], where));
  }
  return made;
}

}  // namespace mercer
