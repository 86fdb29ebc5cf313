#include "policy/agents/dense_critics.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "policy/agents/state_dict.hpp"
#include "policy/from_network.hpp"
#include "policy/network_settings.hpp"

namespace mercer {
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& where, const std::string& why) {
  throw Error(code, fmt::format("'{}': {}", where, why), "Use the policy without its critics");
}

// What critics take for an action from -1 to 1 of the task's bounds: slope * action + offset.
struct ActionScale {
  double slope, offset;
};

ActionScale scale_of(const Contract& contract, std::size_t action, bool played) {
  const Range range = contract.action.axes[action].range;
  const double half = range.width() / 2, middle = (range.low + range.high) / 2;
  if (played) return {half, middle};
  return {half / contract.scale[action], (middle - contract.centre[action]) / contract.scale[action]};
}

void check_usable(const CriticLayout& layout, const Contract& contract, const std::string& where) {
  check_contract(contract, where);
  if (layout.networks.empty()) refuse(ErrorCode::bad_format, where, "it holds no critics of actions");
  if (contract.action.is_discrete()) refuse(ErrorCode::bad_format, where, "its actions are discrete");
  if (!layout.played && contract.squash != Squash::tanh) {
    refuse(ErrorCode::bad_format, where, "its critics take actions squashed by tanh, and the policy's are not");
  }
  for (const Axis& axis : contract.action.axes) {
    if (std::isfinite(axis.range.width())) continue;
    refuse(ErrorCode::bad_format, where, fmt::format("action '{}' has no finite bounds", axis.name));
  }
}

// Puts the columns of the first layer into the order of the task's observations, and actions from -1 to 1.
void adapt(DenseLayer& first, const CriticLayout& layout, const Contract& contract) {
  const std::size_t observations = contract.observation.dimensions();
  for (std::size_t o = 0; o < first.outputs; ++o) {
    double* const row = first.weight.data() + o * first.inputs;
    const std::vector<double> old(row, row + observations);
    for (std::size_t c = 0; c < layout.rows.size(); ++c) row[static_cast<std::size_t>(layout.rows[c])] = old[c];
    for (std::size_t a = 0; observations + a < first.inputs; ++a) {
      const auto [slope, offset] = scale_of(contract, a, layout.played);
      first.bias[o] += row[observations + a] * offset;
      row[observations + a] *= slope;
    }
  }
}

void check_finite(const std::vector<DenseLayer>& network, const std::string& where) {
  for (const DenseLayer& layer : network) {
    for (const auto* const numbers : {&layer.weight, &layer.bias}) {
      if (std::ranges::all_of(*numbers, [](double x) { return std::isfinite(static_cast<float>(x)); })) continue;
      refuse(ErrorCode::not_finite, where, "its critics overflow single precision");
    }
  }
}

DenseCritics read_any(const NetworkSettings& settings, const Contract& contract) {
  const std::string& file = settings.file;
  if (file.ends_with(".zip")) return agent_critics(file, settings.agent, contract);
  if (file.ends_with(".onnx") || !is_network_file(file)) {
    refuse(ErrorCode::bad_format, file, "only agents (.zip), tensors of CleanRL and snapshots hold critics");
  }
  if (is_state_dict(file)) return state_dict_critics(file, settings.layers, settings.options.outputs, contract);
  SnapshotCritics snapshot = read_snapshot_critics(file);
  const TensorSource source = tensors_of(std::move(snapshot.tensors));
  const TorchTensors tensors(source, file);
  DenseCritics made = dense_critics(source, {{tensors.chain("q1"), tensors.chain("q2")}}, contract, file);
  made.gamma = snapshot.gamma;
  return made;
}

}  // namespace

DenseCritics dense_critics(const TensorSource& source, const CriticLayout& layout, const Contract& contract,
                           const std::string& where) {
  check_usable(layout, contract, where);
  TorchTensors tensors(source, where);
  DenseCritics made{{}, contract.normalisation, {}};
  for (const std::vector<std::string>& names : layout.networks) {
    std::vector<DenseLayer>& network = made.networks.emplace_back();
    std::size_t width = contract.observation.dimensions() + contract.action.dimensions();
    for (const std::string& name : names) {
      const bool last = &name == &names.back();
      network.push_back(tensors.averaged(name, last ? 1 : tensors.rows(name)));
      if (network.back().inputs != width) {
        refuse(ErrorCode::shape_mismatch, where,
               fmt::format("layer '{}' of a critic takes {} numbers and is given {}{}", name, network.back().inputs,
                           width, &name == &names.front() ? ": observations and actions of the task" : ""));
      }
      width = network.back().outputs;
    }
    const auto same = [](const DenseLayer& a, const DenseLayer& b) { return a.outputs == b.outputs; };
    if (!std::ranges::equal(network, made.networks.front(), same)) {
      refuse(ErrorCode::bad_format, where, "its critics differ in their sizes");
    }
    adapt(network.front(), layout, contract);
    for (double& number : network.back().weight) number *= layout.unit;
    for (double& number : network.back().bias) number *= layout.unit;
    check_finite(network, where);
  }
  return made;
}

std::optional<DenseCritics> read_dense_critics(std::string_view spec, const Contract& contract,
                                               const std::vector<PolicySetting>& overrides, std::string* why) {
  try {
    DenseCritics made = read_any(read_network_settings(spec, overrides), contract);
    if (made.gamma && !(*made.gamma > 0 && *made.gamma <= 1)) made.gamma.reset();
    return made;
  } catch (const Error& error) {
    if (why != nullptr) *why = (error.code() == ErrorCode::not_finite ? "not finite: " : "") + error.problem();
    return std::nullopt;
  }
}

}  // namespace mercer
