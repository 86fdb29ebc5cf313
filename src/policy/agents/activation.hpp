#pragma once

#include <string>

#include "policy/graph/graph.hpp"

namespace mercer {

/// What stands between the layers of a network: a class of torch.nn with its parameter.
struct Activation {
  std::string name;  ///< as torch calls it, such as "ReLU"
  double alpha = 0;  ///< of ELU and CELU, the slope of LeakyReLU; else unused
};

/// The activation of that class with torch's own parameters. Throws `bad_format` naming the legal ones.
Activation activation_named(const std::string& name, const std::string& where);

/// Reads what Python prints for an activation: "<class 'torch.nn.modules.activation.ReLU'>" or
/// "functools.partial(<class '...LeakyReLU'>, negative_slope=0.3)". Throws `bad_format` for functions of one's own,
/// whose text does not say what they do.
Activation parse_activation(const std::string& text, const std::string& where);

/// Reads what a person writes: "ELU", "elu", "swish" (SiLU) or, with its parameter, "LeakyReLU(0.2)". Throws as
/// `activation_named`.
Activation written_activation(const std::string& text, const std::string& where);

/// Adds it to a graph, from one value to another.
void add_activation(GraphBuilder& builder, const Activation& activation, const std::string& from,
                    const std::string& to);

}  // namespace mercer
