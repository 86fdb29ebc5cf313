#include "policy/agents/state_dict.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/flax_file.hpp"
#include "io/safetensors.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/agents/torch_script.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;
<<<<<<< HEAD
constexpr std::string_view endings[] = {".pt", ".pth", ".cleanrl_model", ".msgpack"};
=======
constexpr std::size_t most_layers = 64;
constexpr std::string_view torch_endings[] = {".pt", ".pth", ".cleanrl_model"};
constexpr std::string_view tensor_settings[] = {"std",          "obs-mean-tensor", "obs-var-tensor", "obs-std-tensor",
                                                "scale-tensor", "centre-tensor"};

// The finite numbers in a list.
std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> out;
  for (const std::string& word : setting_words(text)) {
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
              fmt::format("{}: {} = '{}' is no lower and upper end", setting.source, setting.key, setting.value),
              "Give two finite numbers, the lower one first, such as -5;2");
}

std::string shape_words(const TensorSource& source) {
  std::vector<std::string> words;
  for (const auto& [name, shape] : source.shapes) {
    if (words.size() == 12) {
      words.emplace_back("...");
      break;
    }
    words.push_back(fmt::format("{} ({})", name, fmt::join(shape, "x")));
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
                fmt::format("'{}': {}the names of its tensors are those of no known trainer: {}", where,
                            no_snapshot ? "it has no manifest of 'mercer train', and " : "", shape_words(source)),
                "Name its layers, such as --layers fc1,fc2 --activation ReLU and FILE.pt:action=fc3, or in FILE.toml; "
                "docs/guide/cleanrl.md shows one. Known: CleanRL, rsl_rl, rl_games");
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

// One activation for each layer that has one.
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

// Builds the network of a layout.
class Maker {
 public:
  Maker(const TensorSource& source, const TensorLayout& layout, std::vector<Activation> activations,
        const std::string& where)
      : source_(source),
        layout_(layout),
        activations_(std::move(activations)),
        where_(where),
        builder_(where, 17),
        layers_(builder_, source, {}, where) {}

  StateDict make() {
    if (layout_.layers.size() > most_layers) refuse_agent(where_, fmt::format("more than {} layers", most_layers));
    const std::string output = !layout_.mean.empty()     ? layout_.mean
                               : !layout_.action.empty() ? layout_.action
                               : !layout_.q.empty()      ? layout_.q
                                                         : layout_.logits;
    const Tensor first = layers_.tensor((layout_.layers.empty() ? output : layout_.layers[0].name) + ".weight");
    if (first.shape.empty()) refuse_agent(where_, "its first layer is a single number");
    const std::size_t inputs = first.shape.back();
    builder_.add_input("obs", {inputs});
    const std::string hidden = add_hidden();
    const std::string role = !layout_.mean.empty()     ? "mean"
                             : !layout_.action.empty() ? "action"
                             : !layout_.q.empty()      ? "q"
                                                       : "logits";
    layers_.linear(output, hidden, role);
    builder_.add_output(role);
    if (role == "mean") add_spread(hidden, layers_.added().back().outputs, layers_.added().back().inputs);
    StateDict made{layout_, Network(builder_.finish()), layers_.added(), activations_, {}, {}, {}};
    made.normalisation = normalisation(inputs);
    if (!layout_.scale.empty()) made.scale = layers_.tensor(layout_.scale).data;
    if (!layout_.centre.empty()) made.centre = layers_.tensor(layout_.centre).data;
    return made;
  }

 private:
  std::string add_hidden() {
    std::string at = "obs";
    std::size_t active = 0;
    for (const TensorLayout::Layer& layer : layout_.layers) {
      const auto shape = source_.shapes.find(layer.name + ".weight");
      const bool norm = shape != source_.shapes.end() && shape->second.size() == 1;
      if (norm) {
        layers_.layer_norm(layer.name, at, layer.name);
      } else {
        layers_.linear(layer.name, at, layer.name);
      }
      at = layer.name;
      if (!layer.active) continue;
      at = layer.name + " active";
      add_activation(builder_, activations_[active++], layer.name, at);
    }
    return at;
  }

  void add_spread(const std::string& hidden, std::size_t actions, std::size_t width) {
    const bool tensor = !layout_.std.empty();
    if (!tensor && layout_.log_std.empty()) return;  // the mean alone is played
    const std::string bare = layout_.log_std_tanh || layout_.log_std_clip ? "any log_std" : "log_std";
    if (tensor || !layers_.has(layout_.log_std + ".weight")) {
      std::vector<double> values = layers_.tensor(tensor ? layout_.std : layout_.log_std).data;
      if (values.empty() || (values.size() != 1 && values.size() != actions)) {
        refuse_agent(where_,
                     fmt::format("its standard deviation has {} numbers and its mean {}", values.size(), actions));
      }
      values.resize(actions, values[0]);
      for (double& value : values) {
        if (tensor && value <= 0) refuse_agent(where_, fmt::format("'{}' holds {}, not above 0", layout_.std, value));
        if (tensor) value = std::log(value);
      }
      layers_.constant(values, width, hidden, bare);
    } else {
      layers_.linear(layout_.log_std, hidden, bare);
    }
    if (layout_.log_std_tanh) {
      const auto [low, high] = *layout_.log_std_tanh;
      builder_.add_node({"Tanh", "", {bare}, {"squashed"}});
      builder_.add_constant("half", {{1}, {(high - low) / 2}});
      builder_.add_constant("middle", {{1}, {(high + low) / 2}});
      builder_.add_node({"Mul", "", {"squashed", "half"}, {"scaled"}});
      builder_.add_node({"Add", "", {"scaled", "middle"}, {"log_std"}});
    } else if (layout_.log_std_clip) {
      const auto [low, high] = *layout_.log_std_clip;
      builder_.add_node({"Clip", "", {bare}, {"log_std"}, {{"min", {low}}, {"max", {high}}}});
    }
    builder_.add_output("log_std");
  }

  Normalisation normalisation(std::size_t observations) {
    if (layout_.obs_mean.empty()) return {};
    const bool spread = !layout_.obs_std.empty();
    if (!spread && layout_.obs_var.empty()) {
      throw Error(ErrorCode::missing_option, fmt::format("'{}': a mean of observations and no variance", where_),
                  "Name obs-var-tensor or obs-std-tensor too");
    }
    Normalisation made{layers_.tensor(layout_.obs_mean).data,
                       layers_.tensor(spread ? layout_.obs_std : layout_.obs_var).data, layout_.obs_epsilon,
                       layout_.obs_clip};
    if (made.mean.size() != observations || made.variance.size() != observations) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("'{}': its normaliser has {} means and {} variances, and its network takes {}", where_,
                              made.mean.size(), made.variance.size(), observations),
                  "Name the normaliser of this network");
    }
    if (!spread) return made;
    for (double& number : made.variance) number = (number + layout_.obs_epsilon) * (number + layout_.obs_epsilon);
    made.epsilon = 0;
    return made;
  }

  const TensorSource& source_;
  const TensorLayout& layout_;
  std::vector<Activation> activations_;
  const std::string& where_;
  GraphBuilder builder_;
  TorchLayers layers_;
};
>>>>>>> h-inspect

StateDict make_from(const TensorSource& source, const LayerOptions& options,
                    const std::map<std::string, std::string>& outputs, const std::string& where) {
  const TensorLayout layout = layout_of(source, options, outputs, where);
  return make_perceptron(source, layout, activations_of(layout, options.activation, where), where);
}

// A file with its own scale of actions is made for these bounds.
void check_bounds(const StateDict& made, const std::string& file, const Task& task) {
  for (std::size_t d = 0; d < made.scale.size() && d < task.action.dimensions(); ++d) {
    const double centre = d < made.centre.size() ? made.centre[d] : 0;
    const Range own{centre - std::abs(made.scale[d]), centre + std::abs(made.scale[d])},
        other = task.action.axes[d].range;
    if (same_end(own.low, other.low) && same_end(own.high, other.high)) continue;
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("action {} of '{}' is from {} to {} and that of task '{}' from {} to {}", d, file, own.low,
                            own.high, task.name, other.low, other.high),
                "Choose the task that the policy was trained on, or give --scale and --centre");
  }
}

// rl_games scales -1 .. 1 to the bounds, where the task has any.
void scale_to_bounds(PolicyOptions& options, const Task& task) {
  if (!options.scale.empty() || !options.centre.empty()) return;
  for (const Axis& axis : task.action.axes) {
    const bool bounded = std::isfinite(axis.range.low) && std::isfinite(axis.range.high);
    options.scale.push_back(bounded ? axis.range.width() / 2 : 1);
    options.centre.push_back(bounded ? (axis.range.low + axis.range.high) / 2 : 0);
  }
}

}  // namespace

<<<<<<< HEAD
=======
bool set_layer_option(LayerOptions& options, const PolicySetting& setting) {
  // Normalisers of all files have these two, so `set_option` takes and checks them as well.
  if (setting.key == "obs-epsilon" || setting.key == "obs-clip") {
    const std::vector<double> given = numbers_in(setting.value);
    if (given.size() == 1) (setting.key == "obs-clip" ? options.obs_clip : options.obs_epsilon) = given[0];
    return false;
  }
  if (setting.key == "layers") {
    options.layers = setting_words(setting.value);
  } else if (setting.key == "activation") {
    options.activation = setting_words(setting.value);
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

>>>>>>> h-inspect
bool is_state_dict(const std::string& file) {
  if (file.ends_with(".safetensors")) {
    const Safetensors content = read_safetensors(file);
    return !content.metadata.contains("mercer") && !content.tensors.contains("run.step");
  }
  if (file.ends_with(".npz")) return !read_npz(file).contains("pi");
  return std::ranges::any_of(endings, [&](std::string_view ending) { return file.ends_with(ending); });
}

StateDict read_state_dict(const std::filesystem::path& path, const LayerOptions& options,
                          const std::map<std::string, std::string>& outputs) {
  const std::string where = path.string();
  if (where.ends_with(".safetensors")) {
    return make_from(tensors_of(read_safetensors(path).tensors), options, outputs, where);
  }
  if (where.ends_with(".npz")) return make_from(tensors_of(read_npz(path)), options, outputs, where);
  return parse_state_dict(read_file(path, most_bytes), options, outputs, where);
}

StateDict parse_state_dict(std::span<const std::byte> bytes, const LayerOptions& options,
                           const std::map<std::string, std::string>& outputs, const std::string& where) {
  // A pickle begins with 0x80, which in msgpack is a map without entries; a zip with 'P', which is a number there.
  const auto first = bytes.empty() ? 0 : std::to_integer<int>(bytes[0]);
  const bool msgpack = (first > 0x80 && first < 0xa0) || (first >= 0xdc && first <= 0xdf);
  if (msgpack || where.ends_with(".msgpack")) {
    return make_from(tensors_of(parse_flax(bytes, where)), options, outputs, where);
  }
  const TorchFile file(bytes, where);
  if (!file.is_script()) return make_from(tensors_of(file), options, outputs, where);
  if (!options.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is TorchScript, which holds its own layers", where),
                "Leave layers, activation and tensors out");
  }
  return read_torch_script(file, where);
}

std::unique_ptr<Policy> make_state_dict_policy(const std::string& file, const Task& task, const LayerOptions& layers,
                                               const AgentOptions& agent, PolicyOptions options, std::string* reading) {
  StateDict made = read_state_dict(file, layers, options.outputs);
  options.outputs.clear();  // the network's outputs bear the names of what they are
  if (task.action.is_discrete()) {
    made.scale.clear();
  } else {
    if (!options.squash) options.squash = made.layout.squash;
    if (options.scale.empty() && options.centre.empty()) {
      check_bounds(made, file, task);
      options.scale = made.scale;
      options.centre = made.centre;
    }
    if (made.layout.rescaled) scale_to_bounds(options, task);
  }
  if (agent.has_normaliser()) {
    options.normalisation = read_normaliser(agent.normaliser, task.observation.dimensions());
  } else if (options.normalisation.empty() && agent.normaliser != "none") {
    options.normalisation = made.normalisation;
    if (made.layout.normalises_perhaps) {
      warn(
          fmt::format("'{}': {} stores statistics of observations, and not whether it normalises by them: they are "
                      "used; --normaliser none plays without",
                      file, made.layout.trainer));
    }
    if (made.layout.normalises_outside) {
      warn(
          fmt::format("'{}': {} normalises observations by a wrapper (NormalizeObservation) and does not store its "
                      "statistics: it is played as it is; confirm with --normaliser none, or name an .npz with mean "
                      "and var",
                      file, made.layout.trainer));
    }
  }
  auto policy = make_network_policy(file, made.network, task, options, reading);
  if (reading != nullptr) {
    std::vector<std::string> words;
    for (const TorchLayer& layer : made.layers) words.push_back(layer.name);
    if (!made.layout.trainer.empty()) *reading += fmt::format("; {}", made.layout.trainer);
    *reading += fmt::format("; layers {}", fmt::join(words, ", "));
    if (!made.activations.empty()) *reading += fmt::format(" with {}", made.activations[0].name);
    if (agent.has_normaliser()) *reading += fmt::format("; normaliser '{}'", agent.normaliser);
  }
  return policy;
}

}  // namespace mercer
