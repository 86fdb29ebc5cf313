#include "fuzz/agents.hpp"

#include <cstring>
#include <random>

#include "fuzz/reached.hpp"
#include "mercer/error.hpp"
#include "policy/agents/networks.hpp"
#include "policy/agents/normaliser.hpp"
#include "policy/agents/state_dict.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in a policy or in an Error;
// the sanitizers watch how. The network of an agent that was read is evaluated, and so are its critics.

namespace {

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
}

// Layouts that store no activation need one.
void read_tensors(const std::string& content, const std::string& where) {
  mercer::LayerOptions options;
  if (!where.starts_with("script")) options.activation = {"ELU"};
  evaluate(mercer::parse_state_dict(std::as_bytes(std::span(content)), options, {}, where).network);
}

// Whether a network was evaluated.
bool read(char kind, const std::string& rest) {
  if (kind == 'z') return read_agent(rest), true;
  if (kind == 'n') return mercer::parse_normaliser(std::as_bytes(std::span(rest)), "fuzz.pkl", 2), false;
  if (kind == 't') {
    const mercer::TorchFile file(std::as_bytes(std::span(rest)), "fuzz.pth");
    for (const auto& [name, tensor] : file.tensors()) file.numbers(tensor);
    return false;
  }
  if (kind == 'd') return read_tensors(rest, "fuzz.pt"), true;
  if (kind == 'm') return read_tensors(rest, "fuzz.msgpack"), true;
  std::vector<std::string> parts = fuzz_split(rest);
  parts.resize(4);
  if (kind == 's') {
    read_tensors(zip_of({{"p/data.pkl", parts[0]},
                         {"p/code/__torch__.py", parts[1]},
                         {"p/data/0", parts[2]},
                         {"p/data/1", parts[3]}}),
                 "script.pt");
  } else if (kind == 'l') {
    read_agent(agent_zip(parts[0], parts[1]));
  } else {
    read_agent(agent_zip(
        parts[0],
        zip_of({{"archive/data.pkl", parts[1]}, {"archive/data/0", parts[2]}, {"archive/data/1", parts[3]}})));
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_agents", "were evaluated");
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Sizes of parts and of what is inside them rarely survive a mutation of the whole, and most inputs that reach
// something new are refused. So every second mutation starts from an input that was evaluated; one byte is changed in
// place, or one part is mutated and the others stay, or anything may happen.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (const auto& kept = kept_inputs(); !kept.empty() && random() % 2 == 0) {
    const std::string& start = kept[random() % kept.size()];
    if (start.size() <= most) std::memcpy(data, start.data(), size = start.size());
  }
  const std::uint_fast32_t way = random() % 4;
  const bool parts = size > 1 && (data[0] == 'p' || data[0] == 'l' || data[0] == 's');
  if (size > 1 && way < 2) {
    data[1 + random() % (size - 1)] = static_cast<std::uint8_t>(random());
    return size;
  }
  if (!parts || way == 2) return LLVMFuzzerMutate(data, size, most);
  std::vector<std::string> split = fuzz_split({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (split.empty()) return LLVMFuzzerMutate(data, size, most);
  std::string& chosen = split[random() % split.size()];
  const std::size_t old = chosen.size();
  chosen.resize(std::min<std::size_t>(old + 64, 65535));
  chosen.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(chosen.data()), old, chosen.size()));
  const std::string whole = fuzz_parts(static_cast<char>(data[0]), split);
  if (whole.size() > most) return size;
  std::memcpy(data, whole.data(), whole.size());
  return whole.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data), size);
  try {
    if (read(input[0], input.substr(1))) reached({data, size});
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}
