#pragma once

#include <nlohmann/json.hpp>

#include "mercer/certificate.hpp"

namespace mercer {

/// {"roughness", "saturation", "effort", "reversals"}
nlohmann::ordered_json to_json(const Motion& motion);
Motion motion_from_json(const nlohmann::json& document);

/// {"teacher", "embedding"}
nlohmann::ordered_json to_json(const MotionPair& pair);
MotionPair motion_pair_from_json(const nlohmann::json& document);

/// {"names", "ranges", "points", "episodes", "confidence", "worst"}, the last the number of a point. NaN is null.
nlohmann::ordered_json to_json(const PerturbedGrid& grid);
PerturbedGrid grid_from_json(const nlohmann::json& document);

/// {"confidence", "band", "episodes", "returns", "teacher", "embedding"}, the last three of equal length.
nlohmann::ordered_json to_json(const ReturnDistribution& distribution);
ReturnDistribution distribution_from_json(const nlohmann::json& document);

}  // namespace mercer
