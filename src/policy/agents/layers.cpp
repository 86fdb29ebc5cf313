#include "policy/agents/layers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "policy/agents/agent_file.hpp"

namespace mercer {
namespace {}  // namespace

TensorSource tensors_of(const TorchFile& file) {
  TensorSource source;
  for (const auto& [name, tensor] : file.tensors()) source.shapes.emplace(name, tensor.shape);
  source.unpacked = [&file](const std::string& name) { return file.unpacked(file.tensors().find(name)->second); };
  source.numbers = [&file](const std::string& name) { return file.numbers(file.tensors().find(name)->second); };
  return source;
}

TensorSource tensors_of(Arrays arrays) {
  struct Own {
    Array array;
    bool transposed = false;
  };
  auto shared = std::make_shared<std::map<std::string, Own>>();
  TensorSource source;
  const bool flax = std::ranges::any_of(arrays, [](const auto& one) { return one.first.ends_with("kernel"); });
  for (auto& [name, array] : arrays) {
    std::string own = name;
    std::ranges::replace(own, '/', '.');
    Own tensor{std::move(array)};
    if (tensor.array.type == Array::Type::text) continue;
    Shape shape = tensor.array.shape;
    if (flax && own.ends_with(".kernel") && shape.size() == 2) {
      std::swap(shape[0], shape[1]);
      tensor.transposed = true;
    }
    for (const std::string_view ending : {".kernel", ".scale"}) {
      if (flax && own.ends_with(ending)) own.replace(own.size() - ending.size(), ending.size(), ".weight");
    }
    source.shapes.emplace(own, std::move(shape));
    shared->emplace(std::move(own), std::move(tensor));
  }
  if (flax) source.norm_epsilon = 1e-6;
  source.unpacked = [](const std::string&) { return std::size_t{0}; };
  source.numbers = [shared](const std::string& name) {
    const Own& tensor = shared->at(name);
    std::vector<double> numbers = tensor.array.as_doubles();
    if (!tensor.transposed) return numbers;
    const std::size_t rows = tensor.array.shape[0], columns = tensor.array.shape[1];
    std::vector<double> out(numbers.size());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) out[c * rows + r] = numbers[r * columns + c];
    }
    return out;
  };
  return source;
}

std::vector<std::size_t> sequential_places(const TensorSource& source, const std::string& name) {
  std::vector<std::size_t> places;
  for (auto at = source.shapes.lower_bound(name + "."); at != source.shapes.end(); ++at) {
    std::string_view rest = at->first;
    if (!rest.starts_with(name + ".")) break;
    rest.remove_prefix(name.size() + 1);
    std::size_t place = 0;
    const auto [stop, trouble] = std::from_chars(rest.data(), rest.data() + rest.size(), place);
    const std::string_view own = rest.substr(static_cast<std::size_t>(stop - rest.data()));
    // "0" and "00" are different names, and only the first is one of torch's.
    if (trouble == std::errc{} && own == ".weight" &&
        source.shapes.contains(fmt::format("{}.{}.weight", name, place))) {
      places.push_back(place);
    }
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

const Shape& TorchTensors::shape(const std::string& name) const {
  const auto found = source_.shapes.find(name);
  if (found == source_.shapes.end()) {
    refuse_agent(where_, fmt::format("it has no tensor '{}': its policy is not a plain perceptron", name));
  }
  return found->second;
}

Tensor TorchTensors::tensor(const std::string& name) {
  const Shape& own = shape(name);
  read_ += std::max(size_of(own), source_.unpacked(name));
  if (read_ > limits::policy_weights) {
    throw Error(ErrorCode::too_large,
                fmt::format("'{}': its policy has more than {} weights", where_, limits::policy_weights),
                "Train a smaller network, or distil this one into one first");
  }
  Tensor tensor{own, source_.numbers(name)};
  const auto bad = std::ranges::find_if_not(tensor.data, [](double x) { return std::isfinite(x); });
  if (bad != tensor.data.end()) {
    throw Error(ErrorCode::not_finite, fmt::format("'{}': tensor '{}' holds {}", where_, name, *bad),
                "The training diverged; take an earlier agent");
  }
  return tensor;
}

std::vector<std::string> TorchTensors::chain(const std::string& name) const {
  std::vector<std::string> layers;
  for (const std::size_t place : sequential_places(source_, name)) {
    layers.push_back(fmt::format("{}.{}", name, place));
    const std::string weight = layers.back() + ".weight";
    if (source_.shapes.find(weight)->second.size() != 2) {
      refuse_agent(where_, fmt::format("'{}' is not a linear layer; legal: a plain perceptron", weight));
    }
    if (layers.size() > limits::agent_layers)
      refuse_agent(where_, fmt::format("more than {} layers", limits::agent_layers));
  }
  return layers;
}

Tensor TorchTensors::bias_of(const std::string& name, std::size_t rows) {
  return has(name + ".bias") ? tensor(name + ".bias") : Tensor{{rows}, std::vector<double>(rows)};
}

std::size_t TorchTensors::rows(const std::string& name) const {
  const Shape& own = shape(name + ".weight");
  if (own.size() != 2) refuse_agent(where_, fmt::format("'{}' is not a linear layer", name));
  return own[0];
}

DenseLayer TorchTensors::averaged(const std::string& name, std::size_t groups) {
  const std::size_t count = rows(name);
  if (count == 0 || count % groups != 0) {
    refuse_agent(where_, fmt::format("layer '{}' has {} outputs, no multiple of {}", name, count, groups));
  }
  const Tensor weight = tensor(name + ".weight");
  const Tensor bias = bias_of(name, count);
  if (bias.data.size() != count) refuse_agent(where_, fmt::format("'{}.bias' does not fit its weights", name));
  const std::size_t columns = weight.shape[1];
  const double share = static_cast<double>(groups) / static_cast<double>(count);
  DenseLayer mean{columns, groups, std::vector<double>(groups * columns), std::vector<double>(groups)};
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      mean.weight[r % groups * columns + c] += share * weight.data[r * columns + c];
    }
    mean.bias[r % groups] += share * bias.data[r];
  }
  return mean;
}

void TorchLayers::add_linear(const std::string& name, Tensor weight, Tensor bias, const std::string& from,
                             const std::string& to) {
  added_.push_back({name, weight.shape[1], weight.shape[0]});
  builder_.add_constant(name + ".weight", std::move(weight));
  builder_.add_constant(name + ".bias", std::move(bias));
  builder_.add_node({"Gemm", name, {from, name + ".weight", name + ".bias"}, {to}, {{"transB", {1}}}});
}

void TorchLayers::linear(const std::string& name, const std::string& from, const std::string& to) {
  const std::size_t outputs = rows(name);
  Tensor weight = tensor(name + ".weight");
  Tensor bias = bias_of(name, outputs);
  add_linear(name, std::move(weight), std::move(bias), from, to);
}

void TorchLayers::layer_norm(const std::string& name, const std::string& from, const std::string& to) {
  Tensor weight = tensor(name + ".weight");
  Tensor bias = bias_of(name, weight.data.size());
  builder_.add_constant(name + ".weight", std::move(weight));
  builder_.add_constant(name + ".bias", std::move(bias));
  builder_.add_node({"LayerNormalization",
                     name,
                     {from, name + ".weight", name + ".bias"},
                     {to},
                     {{"axis", {-1}}, {"epsilon", {norm_epsilon()}}}});
}

// An output must depend on the input: zero times it.
void TorchLayers::constant(const std::vector<double>& values, std::size_t width, const std::string& from,
                           const std::string& to) {
  builder_.add_constant(to + " weights", {{values.size(), width}, std::vector<double>(values.size() * width)});
  builder_.add_constant(to + " values", {{values.size()}, values});
  builder_.add_node({"Gemm", to, {from, to + " weights", to + " values"}, {to}, {{"transB", {1}}}});
}

void TorchLayers::mean_linear(const std::string& name, std::size_t groups, const std::string& from,
                              const std::string& to) {
  DenseLayer mean = averaged(name, groups);
  add_linear(name, {{mean.outputs, mean.inputs}, std::move(mean.weight)}, {{mean.outputs}, std::move(mean.bias)}, from,
             to);
}

std::string TorchLayers::hidden(const std::string& name, const std::string& from, bool but_last) {
  std::vector<std::string> layers = chain(name);
  if (but_last && !layers.empty()) layers.pop_back();
  std::string at = from;
  for (const std::string& layer : layers) {
    linear(layer, at, layer);
    at = layer + " active";
    add_activation(builder_, activation_, layer, at);
  }
  return at;
}

void TorchLayers::chain_to(const std::string& name, const std::string& from, const std::string& to) {
  const std::vector<std::string> layers = chain(name);
  if (layers.empty()) refuse_agent(where(), fmt::format("it has no layers '{}.0' ...", name));
  linear(layers.back(), hidden(name, from, true), to);
}

}  // namespace mercer
