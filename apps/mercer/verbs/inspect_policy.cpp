#include "verbs/inspect_policy.hpp"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.hpp"
#include "export/common/head.hpp"

namespace {

void show_ports(const char* what, const std::vector<mercer::InspectResult::Port>& ports) {
  std::vector<std::string> words;
  words.reserve(ports.size());
  for (const auto& port : ports) words.push_back(fmt::format("{} ({})", port.name, port.size));
  if (!words.empty()) print_line("  {}: {}", what, fmt::join(words, ", "));
}

void show_head(const mercer::InspectResult& result) {
  const std::string kind = result.kind == "agent"      ? "an agent of " + result.algorithm
                           : result.kind == "tensors"  ? "named tensors"
                           : result.kind == "snapshot" ? "a snapshot of " + result.algorithm
                                                       : "a " + result.kind;
  print_line("{}: {}, {} bytes", result.file, kind, result.bytes);
  if (result.kind == "tensors")
    print_line("  made by {}", result.algorithm.empty() ? "an unknown trainer" : result.algorithm);
  for (const auto& [program, version] : result.made_by) print_line("  {} {}", program, version);
  print_line("  SHA-256 {}", result.sha256);
}

void show_network(const mercer::InspectResult& result) {
  show_ports("takes", result.inputs);
  show_ports("gives", result.outputs);
  for (const auto& layer : result.layers) print_line("  layer {}: {} to {}", layer.name, layer.inputs, layer.outputs);
  show_ports("critics", result.critics);
  if (!result.activation.empty()) print_line("  activation of hidden layers: {}", result.activation);
  if (!result.operators.empty()) print_line("  operators: {}", fmt::join(result.operators, ", "));
}

void show_played(const mercer::InspectResult& result) {
  const mercer::Contract& contract = result.policy->contract();
  const mercer::Normalisation& normal = contract.normalisation;
  show_contract(contract);
  if (!normal.empty()) {
    print_line("  normaliser ({}): mean {:.6g}; variance {:.6g}; epsilon {:g}; {}", result.normaliser,
               fmt::join(normal.mean, ", "), fmt::join(normal.variance, ", "), normal.epsilon,
               normal.clip < 1e30 ? fmt::format("limit {:g}", normal.clip) : "no limit");
  } else {
    print_line("  normaliser: none");
  }
  for (std::size_t a = 0; a < contract.clip.size(); ++a) {
    if (std::isinf(contract.clip[a].low) && std::isinf(contract.clip[a].high)) continue;
    print_line("  {} is clipped to {:.6g} to {:.6g}", contract.action.axes[a].name, contract.clip[a].low,
               contract.clip[a].high);
  }
  print_line("  plays a {}", result.plays);
}

}  // namespace

void show_contract(const mercer::Contract& contract) {
  const auto show = [&contract](const char* what, const mercer::Space& space) {
    for (std::size_t d = 0; d < space.dimensions(); ++d) {
      print_line("  {} {}{}", what, space.axes[d].name, mercer::axis_facts(contract, space, d));
    }
  };
  show("observation", contract.observation);
  show("action", contract.action);
  if (contract.dt > 0) print_line("  control period: {:g} s", contract.dt);
}

void show_warnings(const mercer::InspectResult& result) {
  for (const std::string& warning : result.warnings) print_line("  warning: {}", warning);
}

void show_policy(const mercer::InspectResult& result) {
  show_head(result);
  show_network(result);
  if (result.policy) {
    show_played(result);
  } else {
    print_line("  not played: {}", result.missing);
  }
  show_warnings(result);
}
