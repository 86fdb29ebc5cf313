#include <cmath>

#include <fmt/format.h>

#include "io/documents.hpp"
#include "io/ordinary.hpp"
#include "io/safetensors.hpp"
#include "mercer/error.hpp"
#include "policy/files.hpp"
#include "policy/from_network.hpp"
#include "policy/graph/graph.hpp"

namespace mercer {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why), "Give a snapshot that 'mercer train' wrote");
}

nlohmann::json read_manifest(const Safetensors& file, const std::string& where) {
  const auto found = file.metadata.find("mercer");
  if (found == file.metadata.end()) {
    const bool checkpoint = file.tensors.contains("run.step");
    refuse(where,
           checkpoint ? "it is the checkpoint of a training, not a snapshot" : "it has no manifest: no snapshot");
  }
  nlohmann::json manifest;
  try {
    manifest = parse_strict_json<nlohmann::json>(found->second, where);
  } catch (const nlohmann::json::exception&) {
    refuse(where, "its manifest cannot be read");
  }
  if (!manifest.is_object() || !manifest.contains("format") || !manifest.contains("kind") ||
      !manifest.contains("contract")) {
    refuse(where, "its manifest cannot be read");
  }
  if (manifest["format"] != 1) {
    refuse(where, fmt::format("format {}; this version reads 1", manifest["format"].dump()));
  }
  if (manifest.contains("activation") && manifest["activation"] != "relu") {
    refuse(where, fmt::format("activation {}; this version knows relu", manifest["activation"].dump()));
  }
  return manifest;
}

// Adds the layers "name.0", "name.1", ... that the file holds between values `in` and `out`, with ReLU between them.
class Layers {
 public:
  Layers(GraphBuilder& builder, const Arrays& tensors, const std::string& where)
      : builder_(builder), tensors_(tensors), where_(where) {}

  void add(const std::string& name, const std::string& in, const std::string& out) {
    std::size_t count = 0;
    while (tensors_.contains(fmt::format("{}.{}.weight", name, count))) ++count;
    if (count == 0) refuse(where_, fmt::format("tensor '{}.0.weight' is missing", name));
    std::string from = in;
    for (std::size_t layer = 0; layer < count; ++layer) {
      const std::string weight = fmt::format("{}.{}.weight", name, layer),
                        bias = fmt::format("{}.{}.bias", name, layer);
      add_constant(weight);
      add_constant(bias);
      const bool last = layer + 1 == count;
      const std::string to = last ? out : fmt::format("{}.{}", name, layer);
      builder_.add_node({"Gemm", weight, {from, weight, bias}, {to}, {{"transB", {1}}}});
      from = to + ".relu";
      if (!last) builder_.add_node({"Relu", from, {to}, {from}});
    }
  }

 private:
  void add_constant(const std::string& name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) refuse(where_, fmt::format("tensor '{}' is missing", name));
    Tensor tensor{found->second.shape, found->second.as_doubles()};
    for (const double number : tensor.data) {
      if (std::isfinite(number)) continue;
      throw Error(ErrorCode::not_finite, fmt::format("'{}': tensor '{}' holds {}", where_, name, number),
                  "The training diverged; take an earlier snapshot");
    }
    builder_.add_constant(name, std::move(tensor));
  }

  GraphBuilder& builder_;
  const Arrays& tensors_;
  const std::string& where_;
};

Range log_std_range(const nlohmann::json& manifest, const std::string& where) {
  const nlohmann::json range = manifest.value("log_std_range", nlohmann::json::array({-20, 2}));
  const bool numbers = range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number();
  if (!numbers || !(range[0].get<double>() <= range[1].get<double>())) {
    refuse(where, fmt::format("its log_std_range is {}; legal: two numbers, the lower one first", range.dump()));
  }
  return {range[0].get<double>(), range[1].get<double>()};
}

void add_actor(GraphBuilder& builder, Layers& layers, Range log_std, std::size_t actions) {
  layers.add("actor", "obs", "parameters");
  const auto half = static_cast<double>(actions);
  builder.add_node({"Split", "", {"parameters"}, {"mean", "any log_std"}, {{"axis", {1}}, {"split", {half, half}}}});
  builder.add_node({"Clip", "", {"any log_std"}, {"log_std"}, {{"min", {log_std.low}}, {"max", {log_std.high}}}});
  builder.add_output("mean");
  builder.add_output("log_std");
}

bool has_critics(const Arrays& tensors) { return tensors.contains("q1.0.weight") && tensors.contains("q2.0.weight"); }

// Critics value what their own actor plays: those of another step, or of another run in the same folder, do not fit.
bool same_actor(const Arrays& mine, const Arrays& other) {
  for (const auto& [name, array] : mine) {
    const auto found = other.find(name);
    if (!name.starts_with("actor.")) continue;
    if (found == other.end() || found->second.shape != array.shape || found->second.data != array.data) return false;
  }
  return true;
}

}  // namespace

SnapshotCritics read_snapshot_critics(const std::filesystem::path& path) {
  const std::string where = path.string();
  Safetensors file = read_safetensors(path);
  const nlohmann::json manifest = read_manifest(file, where);
  if (manifest["kind"] != "sac") {
    refuse(where, fmt::format("{} has no critics of an observation and an action", manifest["kind"].dump()));
  }
  const nlohmann::json::json_pointer place("/options/gamma");
  std::optional<double> gamma;
  if (manifest.contains(place) && manifest.at(place).is_number()) gamma = manifest.at(place).get<double>();
  if (has_critics(file.tensors)) return {std::move(file.tensors), gamma};
  const auto step = manifest.find("step");
  if (step == manifest.end() || !step->is_number_unsigned()) refuse(where, "it holds no critics");
  const std::filesystem::path beside =
      path.parent_path() / fmt::format("snapshot_{:06}.safetensors", step->get<std::uint64_t>());
  if (!is_ordinary_file(beside)) {
    refuse(where, fmt::format("it holds no critics, and there is no '{}' with them", beside.string()));
  }
  Safetensors other = read_safetensors(beside);
  if (!has_critics(other.tensors) || !same_actor(file.tensors, other.tensors)) {
    refuse(where, fmt::format("it holds no critics, and '{}' is of another actor", beside.string()));
  }
  return {std::move(other.tensors), gamma};
}

SnapshotNetwork read_snapshot(const std::filesystem::path& path, bool critics) {
  const std::string where = path.string();
  const Safetensors file = read_safetensors(path);
  const nlohmann::json manifest = read_manifest(file, where);
  Contract contract = contract_from_json(manifest["contract"], where);
  GraphBuilder builder(where, 17);
  Layers layers(builder, file.tensors, where);
  builder.add_input("obs", {contract.observation.dimensions()});
  if (manifest["kind"] == "dqn") {
    layers.add("q", "obs", "q");
    builder.add_output("q");
  } else if (manifest["kind"] == "ars") {
    if (critics) refuse(where, "it was trained by ars and has no critics");
    layers.add("actor", "obs", "action");
    builder.add_output("action");
  } else if (manifest["kind"] != "sac") {
    refuse(where, fmt::format("its kind is {}; legal: sac, dqn, ars", manifest["kind"].dump()));
  } else if (critics) {
    builder.add_input("action", {contract.action.dimensions()});
    builder.add_node({"Concat", "", {"obs", "action"}, {"both"}, {{"axis", {1}}}});
    for (const char* const critic : {"q1", "q2"}) {
      layers.add(critic, "both", critic);
      builder.add_output(critic);
    }
  } else {
    add_actor(builder, layers, log_std_range(manifest, where), contract.action.dimensions());
  }
  return {Network(builder.finish()), std::move(contract)};
}

}  // namespace mercer
