#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "io/documents.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

void check_size(const std::string& owner, std::string_view what, std::size_t given, std::size_t wanted) {
  if (given == wanted) return;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("policy '{}': {} numbers for the {}; it needs {}", owner, given, what, wanted),
              "Give one for each dimension, or leave them out");
}

void check_finite(const std::string& owner, std::string_view what, const std::vector<double>& numbers) {
  for (const double number : numbers) {
    if (std::isfinite(number)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("policy '{}': {} is {}", owner, what, number),
                "Give finite numbers");
  }
}

}  // namespace

double Normalisation::apply(std::size_t dimension, double observation) const {
  const double scaled = (observation - mean[dimension]) / std::sqrt(variance[dimension] + epsilon);
  return std::min(std::max(scaled, -clip), clip);
}

Contract contract_of(const Task& task) {
  Contract contract{task.name, task.observation, task.action, task.dt};
  if (task.action.is_discrete()) return contract;
  contract.centre.assign(task.action.dimensions(), 0);
  contract.scale.assign(task.action.dimensions(), 1);
  for (const Axis& axis : task.action.axes) contract.clip.push_back(axis.range);
  return contract;
}

void check_contract(const Contract& contract, const std::string& owner) {
  const Normalisation& normal = contract.normalisation;
  if (!normal.empty() || !normal.variance.empty()) {
    check_size(owner, "observation mean", normal.mean.size(), contract.observation.dimensions());
    check_size(owner, "observation variance", normal.variance.size(), contract.observation.dimensions());
    check_finite(owner, "an observation mean", normal.mean);
    for (const double variance : normal.variance) {
      require_in_range(fmt::format("policy '{}': an observation variance", owner), variance, 0, 1e300,
                       "Give variances, not standard deviations");
      require_in_range(fmt::format("policy '{}': observation variance + epsilon", owner), variance + normal.epsilon,
                       1e-300, 1e300, "Give a variance or an epsilon above 0");
    }
    require_in_range(fmt::format("policy '{}': the observation epsilon", owner), normal.epsilon, 0, 1,
                     "Stable-Baselines3 uses 1e-8");
    require_in_range(fmt::format("policy '{}': the observation clip", owner), normal.clip, 1e-300, 1e300,
                     "Stable-Baselines3 uses 10");
  }
  const std::size_t actions = contract.action.is_discrete() ? 0 : contract.action.dimensions();
  check_size(owner, "action centre", contract.centre.size(), actions);
  check_size(owner, "action scale", contract.scale.size(), actions);
  check_finite(owner, "an action centre", contract.centre);
  check_finite(owner, "an action scale", contract.scale);
  for (const double scale : contract.scale) {
    require_in_range(fmt::format("policy '{}': the size of an action scale", owner), std::abs(scale), 1e-300, 1e300,
                     "Give a scale other than 0");
  }
  if (!contract.clip.empty()) check_size(owner, "action clip", contract.clip.size(), actions);
  for (const auto& [low, high] : contract.clip) {
    if (low <= high) continue;
    throw Error(ErrorCode::out_of_range,
                fmt::format("policy '{}': actions are to be clipped to {} .. {}", owner, low, high),
                "Give a lower end that is not above the upper one");
  }
}

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
  space.count = count_from(document.at("count"));
  for (const json& axis : document.at("axes")) {
    space.axes.push_back({printable(axis.at("name").get<std::string>()), range_from_json(axis.at("range")),
                          printable(axis.at("unit").get<std::string>()), axis.at("periodic").get<bool>()});
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
  document["squash"] = name(contract.squash);
  document["centre"] = contract.centre;
  document["scale"] = contract.scale;
  document["clip"] = ordered::array();
  for (const Range& range : contract.clip) document["clip"].push_back(range_to_json(range));
  return document;
}

Contract contract_from_json(const json& document, const std::string& owner) {
  Contract contract;
  try {
    contract.task = printable(document.at("task").get<std::string>());
    contract.dt = document.at("dt").get<double>();
    contract.observation = space_from_json(document.at("observation"));
    contract.action = space_from_json(document.at("action"));
    if (document.contains("normalisation")) {
      const json& normal = document.at("normalisation");
      contract.normalisation = {normal.at("mean").get<std::vector<double>>(),
                                normal.at("variance").get<std::vector<double>>(), normal.at("epsilon").get<double>(),
                                normal.at("clip").get<double>()};
    }
    contract.squash = parse<Squash>(document.at("squash").get<std::string>());
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
