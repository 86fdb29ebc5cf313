#pragma once

#include <string>

#include "io/torch_file.hpp"
#include "policy/agents/perceptron.hpp"

namespace mercer {

/// The network of a TorchScript archive, as torch.jit.save writes it for scripted and traced modules: a forward of one
/// tensor, whose code is a plain sequence of assignments. The code is never executed; it is read as text, and each
/// operation in it becomes a node of the graph: linear layers, LayerNorm, activations, arithmetic, clamp, and calls of
/// other modules. Sums of earlier values, as of residual connections, are among them.
///
/// The network has one output, "output". Reads files of code up to 256 KiB each and follows
/// at most 512 calls and 16,384 expressions, 128 levels deep. Throws `bad_format` naming the operation or statement
/// that is not known, such as `if` or `torch.cat`.
StateDict read_torch_script(const TorchFile& file, const std::string& where);

}  // namespace mercer
