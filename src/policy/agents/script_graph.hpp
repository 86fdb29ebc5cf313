#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "policy/agents/layers.hpp"

namespace mercer {

/// What an expression of TorchScript stands for.
struct ScriptValue {
  enum class Kind {
    batch,   ///< a value of the graph that depends on the observation
    tensor,  ///< a constant of the graph
    number,
    flag,
    none,
    text,
    list,     ///< of numbers
    module,   ///< `name`: its path
    library,  ///< `name`: of a function, such as torch.relu
  } kind = Kind::none;
  std::string name{};  ///< of a batch or tensor in the graph
  double number = 0;   ///< 0 or 1 for a flag
  std::vector<double> list{};
  Shape shape{};            ///< of a tensor
  bool transposed = false;  ///< a tensor as torch.t gives it
  bool wide = false;        ///< a batch with as many rows as there are observations
};

/// The arguments of a call: by place, or by name.
struct ScriptArguments {
  std::vector<ScriptValue> places;
  std::map<std::string, ScriptValue> names;
};

/// Turns the operations that a forward of TorchScript calls into nodes of a graph.
///
/// It is used twice: with 0 `observations` it adds no nodes and finds out how many observations the network takes, by
/// the first tensor that meets them.
class ScriptGraph {
 public:
  ScriptGraph(const TensorSource& source, std::size_t observations, const std::string& where);

  ScriptValue input() const { return {.kind = ScriptValue::Kind::batch, .name = "obs", .wide = true}; }
  /// A tensor of the file.
  ScriptValue tensor(const std::string& name);
  /// The result of "torch.NAME" or "torch.nn.functional.NAME". Throws `bad_format` naming one that is not known.
  ScriptValue call(const std::string& function, const ScriptArguments& arguments);

  std::size_t observations() const { return observations_; }
  const std::vector<TorchLayer>& layers() const { return linear_; }
  const std::vector<Activation>& activations() const { return activations_; }
  /// The network that gives `output`.
  Network finish(const ScriptValue& output);

 private:
  using Value = ScriptValue;
  using Arguments = ScriptArguments;

  Value act(const std::string& function, const Arguments& arguments, bool in_place);
  Value linear(const Value& x, const Value& weight, const Value& bias);
  Value layer_norm(const Arguments& arguments);
  Value clip(const Value& x, const Value& low, const Value& high);
  Value binary(const std::string& op, const Value& a, const Value& b);
  Value unary(const std::string& op, const Value& x);
  Value made(const Value& like, Node node);
  void meet(const Value& x, std::size_t width);
  std::string label(const Value& value);
  std::string constant(double number);
  [[noreturn]] void refuse(const std::string& why) const;

  bool dry_;
  std::size_t observations_;
  std::string where_;
  GraphBuilder builder_;
  TorchLayers layers_;
  std::size_t count_ = 0;
  std::set<std::string> added_;
  std::map<std::string, std::string> replaced_;  ///< by operations in place
  std::vector<TorchLayer> linear_;
  std::vector<Activation> activations_;
};

}  // namespace mercer
