#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fuzz/mutate_onnx.hpp"
#include "fuzz/reached.hpp"
#include "mercer/error.hpp"
#include "support/graph_case.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in a network or in an Error;
// the sanitizers watch how. A network that was read is evaluated.

namespace {

std::size_t known = 0;
std::set<std::string> built;

bool evaluate(const mercer::Network& network) {
  const std::size_t rows = input_rows(network);
  if (rows > 100'000) return false;  // nothing new, and slow
  constexpr std::size_t columns = 3;
  Numbers in(rows * columns);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % columns == 0 ? 0 : i % columns == 1 ? 1 : 1e30;
  run_network(network, in, columns);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  known = mercer::known_onnx_operators().size();  // here: at exit the library's own tables are gone
  count_reached("fuzz_onnx", "were evaluated", [] {
    return ", with " + std::to_string(built.size()) + " of " + std::to_string(known) + " operators";
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const mercer::Network network = mercer::parse_onnx(std::as_bytes(std::span(data, size)), "fuzz.onnx");
    if (evaluate(network)) reached({data, size});
  } catch (const mercer::Error&) {
    return 0;
  }
  onnx::ModelProto model;
  model.ParseFromArray(data, static_cast<int>(size));
  for (const auto& node : model.graph().node()) built.insert(node.op_type());
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Flipped bytes rarely make another network, so most inputs are changed as what they are: a graph.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  onnx::ModelProto model;
  if (random() % 8 == 0 || !model.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, most);
  }
  for (auto changes = random() % 4; changes < 4; ++changes) mutate_onnx(model, random);
  const std::string changed = model.SerializeAsString();
  if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::ranges::copy(changed, data);
  return changed.size();
}
