#include <filesystem>
#include <fstream>

#include "support/graph_case.hpp"

// Writes the networks of the operator tests into the folder that is given: inputs for the fuzzer to start from that use
// every operator.
int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  for (const auto cases : {graph_broadcast_cases, graph_elementwise_cases, graph_linear_cases, graph_reduction_cases,
                           graph_selection_cases, graph_shape_cases}) {
    for (const GraphCase& test : cases()) {
      std::ofstream(folder / (test.op + "_" + test.use + ".onnx"), std::ios::binary) << test.model.bytes();
    }
  }
}
