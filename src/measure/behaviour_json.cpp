#include "measure/behaviour_json.hpp"

#include "io/documents.hpp"
#include "measure/json_numbers.hpp"

namespace mercer {
namespace {

using json = nlohmann::json;
using ordered = nlohmann::ordered_json;

ordered to_json(const PerturbedPoint& point) {
  return {{"values", point.values},
          {"teacher_return", json_number(point.teacher_return)},
          {"loss_return", json_number(point.loss_return)},
          {"loss_percent", json_number(point.loss_percent)},
          {"upper_return", json_number(point.upper_return)},
          {"upper_percent", json_number(point.upper_percent)},
          {"motion", to_json(point.motion)},
          {"teacher_failures", json_number(point.teacher_failures)},
          {"failures", json_number(point.failures)}};
}

PerturbedPoint point_from_json(const json& document) {
  return {.values = document.at("values").get<std::vector<double>>(),
          .teacher_return = number_from(document.at("teacher_return")),
          .loss_return = number_from(document.at("loss_return")),
          .loss_percent = number_from(document.at("loss_percent")),
          .upper_return = number_from(document.at("upper_return")),
          .upper_percent = optional_from(document.at("upper_percent")),
          .motion = motion_pair_from_json(document.at("motion")),
          .teacher_failures = optional_from(document.at("teacher_failures")),
          .failures = optional_from(document.at("failures"))};
}

}  // namespace

ordered to_json(const Motion& motion) {
  return {{"roughness", json_number(motion.roughness)},
          {"saturation", json_number(motion.saturation)},
          {"effort", json_number(motion.effort)},
          {"reversals", json_number(motion.reversals)}};
}

Motion motion_from_json(const json& document) {
  return {.roughness = number_from(document.at("roughness")),
          .saturation = number_from(document.at("saturation")),
          .effort = number_from(document.at("effort")),
          .reversals = number_from(document.at("reversals"))};
}

ordered to_json(const MotionPair& pair) {
  return {{"teacher", to_json(pair.teacher)}, {"embedding", to_json(pair.embedding)}};
}

MotionPair motion_pair_from_json(const json& document) {
  return {.teacher = motion_from_json(document.at("teacher")), .embedding = motion_from_json(document.at("embedding"))};
}

ordered to_json(const PerturbedGrid& grid) {
  ordered ranges = ordered::array(), points = ordered::array();
  for (const Range& range : grid.ranges) ranges.push_back({range.low, range.high});
  for (const PerturbedPoint& point : grid.points) points.push_back(to_json(point));
  return {{"names", grid.names},
          {"ranges", std::move(ranges)},
          {"points", std::move(points)},
          {"episodes", grid.episodes},
          {"confidence", grid.confidence},
          {"worst", grid.points.empty() ? ordered(nullptr) : ordered(&grid.worst() - grid.points.data())}};
}

PerturbedGrid grid_from_json(const json& document) {
  PerturbedGrid grid;
  grid.names = document.at("names").get<std::vector<std::string>>();
  for (const json& range : document.at("ranges")) {
    grid.ranges.push_back({range.at(0).get<double>(), range.at(1).get<double>()});
  }
  for (const json& point : document.at("points")) grid.points.push_back(point_from_json(point));
  grid.episodes = count_from(document.at("episodes"));
  grid.confidence = document.at("confidence").get<double>();
  return grid;
}

}  // namespace mercer
