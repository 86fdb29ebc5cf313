#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "env/mujoco/model.hpp"
#include "mercer/env.hpp"

namespace mercer {

/// Factors on the physics of a model.
enum class Physics { mass, friction, gear, damping, gravity };

/// What a factor scales: all of a model, or one body, geom, actuator or joint.
struct Factor {
  Parameter parameter;
  Physics physics;
  int object = -1;  ///< -1 for all
};

/// The factors that every model has: mass, friction, gear, damping, gravity.
std::vector<Factor> whole_factors();
/// The factors on parts of a model, such as "mass.torso", "friction.foot_geom", "gear.knee", "damping.knee": the first
/// 1,000 with a name.
std::vector<Factor> part_factors(const mjModel& model);

/// A copy of a model with its physics scaled, equal to one compiled from a file with the scaled numbers: inertias go
/// with masses, and what follows from both is computed anew. The factors are values[i] for factors[i].
ModelPointer scaled_model(const mjModel& model, std::span<const Factor> factors, std::span<const double> values);

/// Scaled copies of a model by the values of its factors. Keeps some of them, and makes the others again: what it
/// returns depends on the values alone. Any number of threads may ask.
class ModelVariants {
 public:
  /// Keeps at most `most` models, and at most 256 MB of them.
  ModelVariants(ModelPointer base, std::vector<Factor> factors, std::size_t most = 4096);

  ModelPointer at(const std::vector<double>& values) const;

 private:
  ModelPointer base_;
  std::vector<Factor> factors_;
  std::size_t most_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<double>, ModelPointer> kept_;
};

}  // namespace mercer
