#include "policy/agents/perceptron.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {

// Builds the network of a layout.
class NetworkMaker {
 public:
  NetworkMaker(const TensorSource& source, const TensorLayout& layout, std::vector<Activation> activations,
               const std::string& where)
      : source_(source),
        layout_(layout),
        activations_(std::move(activations)),
        where_(where),
        builder_(where, 17),
        layers_(builder_, source, {}, where) {}

  StateDict make() {
    if (layout_.layers.size() > limits::agent_layers)
      refuse_agent(where_, fmt::format("more than {} layers", limits::agent_layers));
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
    layers_.linear(output, hidden, layout_.halves ? "both" : role);
    const TorchLayer last = layers_.added().back();
    if (layout_.halves) split(last.outputs);
    builder_.add_output(role);
    if (role == "mean" && !layout_.halves) add_spread(hidden, last.outputs, last.inputs);
    if (layout_.halves) builder_.add_output("log_std");
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
      if (layers_.has(layer.name + ".running_mean")) {
        refuse_agent(where_, fmt::format("'{}' is a BatchNorm; legal: linear layers and LayerNorm", layer.name));
      }
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

  // The mean above, and below it what spreads: std = softplus(that) + the least one.
  void split(std::size_t outputs) {
    if (outputs % 2 != 0) refuse_agent(where_, fmt::format("its {} outputs are no means and spreads", outputs));
    const double half = 0.5 * static_cast<double>(outputs);
    builder_.add_node({"Split", "", {"both"}, {"mean", "spread"}, {{"axis", {1}}, {"split", {half, half}}}});
    builder_.add_node({"Softplus", "", {"spread"}, {"any std"}});
    builder_.add_constant("least std", {{1}, {layout_.least_std}});
    builder_.add_node({"Add", "", {"any std", "least std"}, {"std"}});
    builder_.add_node({"Log", "", {"std"}, {"log_std"}});
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

}  // namespace

StateDict make_perceptron(const TensorSource& source, const TensorLayout& layout, std::vector<Activation> activations,
                          const std::string& where) {
  return NetworkMaker(source, layout, std::move(activations), where).make();
}

}  // namespace mercer
