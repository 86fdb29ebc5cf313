#pragma once

#include <string>
#include <vector>

#include "mercer/policy.hpp"
#include "policy/agents/tensor_layout.hpp"

namespace mercer {

/// A policy that a trainer saved as named tensors or as TorchScript.
struct StateDict {
  TensorLayout layout;
  Network network;  ///< outputs mean and log_std, mean, action, q or logits; of TorchScript: output
  std::vector<TorchLayer> layers;
  std::vector<Activation> activations;  ///< of each layer that has one
  Normalisation normalisation;          ///< of the file's own tensors
  std::vector<double> scale, centre;    ///< likewise; empty where it has none
};

/// The network of a layout, with one activation for each layer that has one. Throws `bad_format` for tensors that make
/// no perceptron, `not_finite`, `too_large`, and `shape_mismatch` for a normaliser of another size.
StateDict make_perceptron(const TensorSource& source, const TensorLayout& layout, std::vector<Activation> activations,
                          const std::string& where);

}  // namespace mercer
