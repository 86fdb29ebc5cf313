#include "fuzz/agents.hpp"

#include <cstdio>
#include <cstdlib>

#include "mercer/error.hpp"
#include "policy/agents/networks.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/agents/state_dict.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in a policy or in an Error;
// the sanitizers watch how. The network of an agent that was read is evaluated, and so are its critics.

namespace {

std::size_t evaluated = 0;

// See fuzz/onnx.cpp.
void report() {
  const char* const least = std::getenv("FUZZ_LEAST");
  std::fprintf(stderr, "fuzz_agents: %zu inputs evaluated\n", evaluated);
  if (least != nullptr && evaluated < std::strtoull(least, nullptr, 10)) {
    std::fprintf(stderr, "fuzz_agents: fewer than %s: most inputs are refused before they are evaluated\n", least);
    std::_Exit(3);
  }
}

void evaluate(const mercer::Network& network) {
  std::vector<std::vector<double>> memory;
  std::vector<mercer::MatrixView<const double>> inputs;
  std::vector<mercer::MatrixView<double>> outputs;
  for (const auto& port : network.inputs()) {
    memory.emplace_back(port.size, 1.5);
    inputs.emplace_back(memory.back().data(), port.size, 1);
  }
  for (const auto& port : network.outputs()) {
    memory.emplace_back(port.size);
    outputs.emplace_back(memory.back().data(), port.size, 1);
  }
  network.evaluate(inputs, outputs);
}

void read_agent(const std::string& content) {
  const auto bytes = std::as_bytes(std::span(content));
  const mercer::AgentFile file = mercer::parse_agent_file({bytes.begin(), bytes.end()}, "fuzz.zip");
  const mercer::AgentKind kind = mercer::agent_kind(file);
  const mercer::AgentSpaces spaces = mercer::read_spaces(file);
  evaluate(mercer::play_network(file, kind, spaces, {}).network);
  if (const auto critics = mercer::value_network(file, kind, spaces, {})) evaluate(*critics);
  ++evaluated;
}

// Layouts that store no activation need one.
void read_tensors(const std::string& content, const std::string& where) {
  mercer::LayerOptions options;
  if (!where.starts_with("script")) options.activation = {"ELU"};
  evaluate(mercer::parse_state_dict(std::as_bytes(std::span(content)), options, {}, where).network);
  ++evaluated;
}

void read(char kind, const std::string& rest) {
  if (kind == 'z') return read_agent(rest);
  if (kind == 'n') return static_cast<void>(mercer::parse_normaliser(std::as_bytes(std::span(rest)), "fuzz.pkl", 2));
  if (kind == 't') {
    const mercer::TorchFile file(std::as_bytes(std::span(rest)), "fuzz.pth");
    for (const auto& [name, tensor] : file.tensors()) file.numbers(tensor);
    return;
  }
  if (kind == 'd') return read_tensors(rest, "fuzz.pt");
  if (kind == 'm') return read_tensors(rest, "fuzz.msgpack");
  std::vector<std::string> parts = fuzz_split(rest);
  parts.resize(4);
  if (kind == 's') {
    return read_tensors(zip_of({{"p/data.pkl", parts[0]},
                                {"p/code/__torch__.py", parts[1]},
                                {"p/data/0", parts[2]},
                                {"p/data/1", parts[3]}}),
                        "script.pt");
  }
  if (kind == 'l') return read_agent(agent_zip(parts[0], parts[1]));
  read_agent(agent_zip(
      parts[0], zip_of({{"archive/data.pkl", parts[1]}, {"archive/data/0", parts[2]}, {"archive/data/1", parts[3]}})));
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::atexit(report);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(static_cast<char>(data[0]), {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}
