#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/npz.hpp"
#include "io/torch_file.hpp"
#include "mercer/critics.hpp"
#include "policy/agents/activation.hpp"
#include "policy/graph/graph.hpp"

namespace mercer {

/// Named tensors of a file, whatever its format. Numbers are read when they are asked for.
struct TensorSource {
  std::map<std::string, Shape, std::less<>> shapes;
  /// Elements that are unpacked to read a tensor, where those are more than its own.
  std::function<std::size_t(const std::string& name)> unpacked;
  std::function<std::vector<double>(const std::string& name)> numbers;  ///< row-major
  double norm_epsilon = 1e-5;                                           ///< of a LayerNorm: that of torch
};
/// Of a file of torch.save, which must outlive it.
TensorSource tensors_of(const TorchFile& file);
/// Of named arrays. Slashes in names count as dots. Names of flax become those of torch: NAME.kernel, inputs x outputs,
/// is the weight NAME.weight, outputs x inputs, and NAME.scale that of a LayerNorm, whose epsilon in flax is 1e-6.
TensorSource tensors_of(Arrays arrays);
/// The numbers i of the tensors NAME.i.weight, in order: the layers of a torch.nn.Sequential.
std::vector<std::size_t> sequential_places(const TensorSource& source, const std::string& name);

/// A linear layer of a network, as its file calls it.
struct TorchLayer {
  std::string name;
  std::size_t inputs, outputs;
};

/// Reads the tensors of a torch module by their names.
class TorchTensors {
 public:
  TorchTensors(TensorSource source, std::string where) : source_(std::move(source)), where_(std::move(where)) {}

  bool has(const std::string& tensor) const { return source_.shapes.contains(tensor); }
  /// The shape of a tensor. Throws `bad_format` where it is missing.
  const Shape& shape(const std::string& name) const;
  /// A tensor as it stands in the file. Throws `bad_format` where it is missing, `not_finite` for weights that are no
  /// numbers, `too_large` for more than 2^22 of them in all.
  Tensor tensor(const std::string& name);
  /// The layers NAME.0, NAME.2, ... of a torch.nn.Sequential, in order. At most 64.
  std::vector<std::string> chain(const std::string& name) const;
  /// The number of outputs of linear layer `name`. Throws `bad_format` for another layer.
  std::size_t rows(const std::string& name) const;
  /// Linear layer `name` with its rows averaged in `groups` groups: row r counts for group r modulo `groups`. Throws
  /// `bad_format` unless that is a divisor of their number, and where the bias does not fit.
  DenseLayer averaged(const std::string& name, std::size_t groups);

 protected:
  const std::string& where() const { return where_; }
  double norm_epsilon() const { return source_.norm_epsilon; }
  Tensor bias_of(const std::string& name, std::size_t rows);

 private:
  TensorSource source_;
  std::string where_;
  std::size_t read_ = 0;
};

/// Puts the layers of a torch module into a graph, by the names of their tensors.
class TorchLayers : public TorchTensors {
 public:
  TorchLayers(GraphBuilder& builder, TensorSource source, Activation activation, std::string where)
      : TorchTensors(std::move(source), std::move(where)), builder_(builder), activation_(std::move(activation)) {}

  /// Layer `name`: name.weight times `from`, plus name.bias where there is one.
  void linear(const std::string& name, const std::string& from, const std::string& to);
  /// The same for the layer that `averaged` gives.
  void mean_linear(const std::string& name, std::size_t groups, const std::string& from, const std::string& to);
  /// Layer `name`, a LayerNorm.
  void layer_norm(const std::string& name, const std::string& from, const std::string& to);
  /// The same `values` in every state; `from` is any value with `width` rows.
  void constant(const std::vector<double>& values, std::size_t width, const std::string& from, const std::string& to);
  /// The layers of a chain, each with its activation behind it; `but_last` leaves the last layer out. A chain without
  /// layers changes nothing. Returns the value that comes out.
  std::string hidden(const std::string& chain, const std::string& from, bool but_last = false);
  /// A whole chain, without an activation behind its last layer. At least one layer.
  void chain_to(const std::string& name, const std::string& from, const std::string& to);

  /// The layers that were put in, in order.
  const std::vector<TorchLayer>& added() const { return added_; }
  const Activation& activation() const { return activation_; }

 private:
  void add_linear(const std::string& name, Tensor weight, Tensor bias, const std::string& from, const std::string& to);

  GraphBuilder& builder_;
  Activation activation_;
  std::vector<TorchLayer> added_;
};

}  // namespace mercer
