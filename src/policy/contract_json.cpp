#include "policy/contract_json.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

using json = nlohmann::json;
using ordered = nlohmann::ordered_json;

constexpr double infinity = std::numeric_limits<double>::infinity();

ordered bound(double value) { return std::isfinite(value) ? ordered(value) : ordered(nullptr); }

ordered range_to_json(const Range& range) { return ordered::array({bound(range.low), bound(range.high)}); }

Range range_from_json(const json& pair) {
  return {pair.at(0).is_null() ? -infinity : pair.at(0).get<double>(),
          pair.at(1).is_null() ? infinity : pair.at(1).get<double>()};
}

ordered space_to_json(const Space& space) {
  ordered axes = ordered::array();
  for (const Axis& axis : space.axes) {
    axes.push_back(
        {{"name", axis.name}, {"range", range_to_json(axis.range)}, {"unit", axis.unit}, {"periodic", axis.periodic}});
  }
  return {{"count", space.count}, {"axes", std::move(axes)}};
}

Space space_from_json(const json& document) {
  Space space;
  space.count = document.at("count").get<std::size_t>();
  for (const json& axis : document.at("axes")) {
    space.axes.push_back({axis.at("name").get<std::string>(), range_from_json(axis.at("range")),
                          axis.at("unit").get<std::string>(), axis.at("periodic").get<bool>()});
  }
  return space;
}

}  // namespace

ordered to_json(const Contract& contract) {
  ordered document{{"task", contract.task},
                   {"dt", contract.dt},
                   {"observation", space_to_json(contract.observation)},
                   {"action", space_to_json(contract.action)}};
  const Normalisation& normal = contract.normalisation;
  if (!normal.empty()) {
    document["normalisation"] = {
        {"mean", normal.mean}, {"variance", normal.variance}, {"epsilon", normal.epsilon}, {"clip", normal.clip}};
  }
  document["squash"] = contract.squash == Squash::tanh ? "tanh" : "none";
  document["centre"] = contract.centre;
  document["scale"] = contract.scale;
  document["clip"] = ordered::array();
  for (const Range& range : contract.clip) document["clip"].push_back(range_to_json(range));
  return document;
}

Contract contract_from_json(const json& document, const std::string& owner) {
  Contract contract;
  try {
    contract.task = document.at("task").get<std::string>();
    contract.dt = document.at("dt").get<double>();
    contract.observation = space_from_json(document.at("observation"));
    contract.action = space_from_json(document.at("action"));
    if (document.contains("normalisation")) {
      const json& normal = document.at("normalisation");
      contract.normalisation = {normal.at("mean").get<std::vector<double>>(),
                                normal.at("variance").get<std::vector<double>>(), normal.at("epsilon").get<double>(),
                                normal.at("clip").get<double>()};
    }
    const auto squash = document.at("squash").get<std::string>();
    if (squash != "tanh" && squash != "none") throw std::runtime_error(fmt::format("squash is '{}'", squash));
    contract.squash = squash == "tanh" ? Squash::tanh : Squash::none;
    contract.centre = document.at("centre").get<std::vector<double>>();
    contract.scale = document.at("scale").get<std::vector<double>>();
    for (const json& range : document.at("clip")) contract.clip.push_back(range_from_json(range));
  } catch (const std::exception& mistake) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': its contract cannot be read: {}", owner, mistake.what()),
                "Write the file again with this version of Mercer");
  }
  check_contract(contract, owner);
  return contract;
}

}  // namespace mercer
