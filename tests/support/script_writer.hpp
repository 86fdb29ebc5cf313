#pragma once

#include <string>
#include <vector>

#include "support/agent_writer.hpp"

/// Writes what torch.jit.save writes: a tree of modules as a pickle, their tensors, and their code as text.

struct TestModule {
  std::string file;  ///< of its class below __torch__, with dots, such as "torch.nn.modules.linear"
  std::string class_name;
  std::vector<std::pair<std::string, TestModule>> modules{};
  TestTensors tensors{};
  std::vector<std::pair<std::string, double>> numbers{};
};

class ScriptWriter {
 public:
  /// Code of a file, by its path below code/.
  std::vector<std::pair<std::string, std::string>> code;

  std::string write(const TestModule& root) {
    members_.clear();
    key_ = 0;
    std::vector<std::pair<std::string, std::string>> all{
        {"policy/data.pkl", pickle::start + object(root) + pickle::stop}};
    all.insert(all.end(), members_.begin(), members_.end());
    for (const auto& [path, text] : code) all.emplace_back("policy/code/" + path, text);
    all.emplace_back("policy/constants.pkl", pickle::start + std::string(")") + pickle::stop);
    all.emplace_back("policy/version", "3\n");
    return zip_of(all);
  }

 private:
  std::string object(const TestModule& module) {
    using namespace pickle;
    std::vector<std::string> state{text("training"), no};
    for (const auto& [name, tensor] : module.tensors) {
      state.push_back(text(name));
      state.push_back(
          pickle::tensor(std::to_string(key_), static_cast<std::int32_t>(tensor.values.size()), tensor.shape));
      members_.emplace_back("policy/data/" + std::to_string(key_++), raw(tensor.values));
    }
    for (const auto& [name, number] : module.numbers) {
      state.push_back(text(name));
      state.push_back(real(number));
    }
    for (const auto& [name, inner] : module.modules) {
      state.push_back(text(name));
      state.push_back(object(inner));
    }
    const std::string place = module.file.empty() ? "__torch__" : "__torch__." + module.file;
    return build(global(place, module.class_name) + std::string(")\x81"), dict(state));
  }

  std::vector<std::pair<std::string, std::string>> members_;
  int key_ = 0;
};

/// A linear layer of torch.nn.
inline TestModule linear_module(const TestTensors& tensors, const std::string& name) {
  return {"torch.nn.modules.linear",
          "Linear",
          {},
          {{"weight", tensors.at(name + ".weight")}, {"bias", tensors.at(name + ".bias")}}};
}

/// The code of torch.nn as torch 2 writes it for scripted modules.
inline const std::string linear_code = R"(class Linear(Module):
  __parameters__ = ["weight", "bias", ]
  __buffers__ = []
  weight : Tensor
  bias : Tensor
  training : bool
  in_features : Final[int] = 3
  def forward(self: __torch__.torch.nn.modules.linear.Linear,
    input: Tensor) -> Tensor:
    weight = self.weight
    bias = self.bias
    return torch.linear(input, weight, bias)
)";
inline const std::string activation_code = R"(class ELU(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.torch.nn.modules.activation.ELU,
    input: Tensor) -> Tensor:
    _0 = __torch__.torch.nn.functional.elu
    _1 = _0(input, 1., False, )
    return _1
class Tanh(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.torch.nn.modules.activation.Tanh,
    input: Tensor) -> Tensor:
    return torch.tanh(input)
)";
/// The code of a Sequential of that many modules.
inline std::string sequential_code(int count) {
  std::string head = R"(class Sequential(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  def forward(self: __torch__.torch.nn.modules.container.Sequential,
    input: Tensor) -> Tensor:
)";
  for (int i = 0; i < count; ++i) {
    head += "    _" + std::to_string(i) + " = getattr(self, \"" + std::to_string(i) + "\")\n";
  }
  std::string at = "input";
  for (int i = 0; i + 1 < count; ++i) {
    const std::string next = "input" + std::to_string(i);
    head += "    " + next + " = (_" + std::to_string(i) + ").forward(" + at + ", )\n";
    at = next;
  }
  return head + "    return (_" + std::to_string(count - 1) + ").forward(" + at + ", )\n";
}
