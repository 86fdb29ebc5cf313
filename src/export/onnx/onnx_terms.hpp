#pragma once

#include "export/common/head.hpp"
#include "export/onnx/graph_writer.hpp"

namespace mercer {

/// Adds the sums of a continuous embedding to a graph, from the value `observation` (batch x observations) on; the
/// first `outputs` of them. Returns the name of the value (batch x outputs).
std::string add_sums(const ContinuousController& controller, const std::string& observation, std::size_t outputs,
                     GraphWriter& graph);

}  // namespace mercer
