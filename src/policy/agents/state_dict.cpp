#include "policy/agents/state_dict.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/flax_file.hpp"
#include "io/limits.hpp"
#include "io/safetensors.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "policy/agents/agent_file.hpp"
#include "policy/agents/dense_critics.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/agents/torch_script.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"

namespace mercer {
namespace {

constexpr std::string_view endings[] = {".pt", ".pth", ".cleanrl_model", ".msgpack"};

std::string parent_of(std::string_view name) { return std::string(name.substr(0, name.rfind('.') + 1)); }

// A layer that somebody forgot to name would give another policy. Critics stand under names of their own.
void warn_of_unused(const TensorSource& source, const TensorLayout& layout, const std::string& where) {
  std::set<std::string> named{layout.mean, layout.log_std, layout.action, layout.q, layout.logits}, parents;
  for (const TensorLayout::Layer& layer : layout.layers) named.insert(layer.name);
  for (const std::string& name : named) {
    if (!name.empty()) parents.insert(parent_of(name));
  }
  std::vector<std::string> unused;
  for (const auto& [tensor, shape] : source.shapes) {
    const std::string layer = parent_of(tensor).substr(0, tensor.rfind('.'));
    const bool weight = tensor.ends_with(".weight") && !named.contains(layer);
    if (weight && parents.contains(parent_of(layer))) unused.push_back(layer);
  }
  if (unused.empty()) return;
  warn(fmt::format("'{}': the layers {} are not used; name all of the policy's layers with --layers, in order", where,
                   fmt::join(unused, ", ")));
}

StateDict make_from(const TensorSource& source, const LayerOptions& options,
                    const std::map<std::string, std::string>& outputs, const std::string& where) {
  const TensorLayout layout = layout_of(source, options, outputs, where);
  if (!options.layers.empty() || !outputs.empty()) warn_of_unused(source, layout, where);
  return make_perceptron(source, layout, activations_of(layout, options.activation, where), where);
}

StateDict make_from_script(const TorchFile& file, const LayerOptions& options, const std::string& where) {
  if (!options.empty()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is TorchScript, which holds its own layers", where),
                "Leave layers, activation and tensors out");
  }
  return read_torch_script(file, where);
}

// Gives the named tensors in bytes of torch or flax to `use`, a TorchScript archive to `script`.
template <class Use, class Script>
auto use_bytes(std::span<const std::byte> bytes, const std::string& where, const Use& use, const Script& script) {
  // A pickle begins with 0x80, which in msgpack is a map without entries; a zip with 'P', which is a number there.
  const auto first = bytes.empty() ? 0 : std::to_integer<int>(bytes[0]);
  const bool msgpack = (first > 0x80 && first < 0xa0) || (first >= 0xdc && first <= 0xdf);
  if (msgpack || where.ends_with(".msgpack")) return use(tensors_of(parse_flax(bytes, where)));
  const TorchFile file(bytes, where);
  return file.is_script() ? script(file) : use(tensors_of(file));
}

template <class Use, class Script>
auto use_file(const std::filesystem::path& path, const Use& use, const Script& script) {
  const std::string where = path.string();
  if (where.ends_with(".safetensors")) return use(tensors_of(read_safetensors(path).tensors));
  if (where.ends_with(".npz")) return use(tensors_of(read_npz(path)));
  return use_bytes(read_file(path, limits::torch_bytes), where, use, script);
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
  return use_file(
      path, [&](const TensorSource& source) { return make_from(source, options, outputs, where); },
      [&](const TorchFile& file) { return make_from_script(file, options, where); });
}

StateDict parse_state_dict(std::span<const std::byte> bytes, const LayerOptions& options,
                           const std::map<std::string, std::string>& outputs, const std::string& where) {
  return use_bytes(
      bytes, where, [&](const TensorSource& source) { return make_from(source, options, outputs, where); },
      [&](const TorchFile& file) { return make_from_script(file, options, where); });
}

DenseCritics state_dict_critics(const std::filesystem::path& path, const LayerOptions& options,
                                const std::map<std::string, std::string>& outputs, const Contract& contract) {
  const std::string where = path.string();
  const auto read = [&](const TensorSource& source) {
    const TensorLayout layout = layout_of(source, options, outputs, where);
    for (const std::string& given : options.activation) {
      if (layout.critics.empty() || written_activation(given, where).name == "ReLU") continue;
      refuse_agent(where, fmt::format("its critics have {} between layers; legal: ReLU", given));
    }
    return dense_critics(source, {layout.critics, {}, 1, true}, contract, where);
  };
  const auto refuse = [&](const TorchFile&) -> DenseCritics { refuse_agent(where, "TorchScript holds no critics"); };
  return use_file(path, read, refuse);
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
