#pragma once

#include <memory>
#include <span>
#include <vector>

#include "distil/ridge_actor.hpp"
#include "mercer/embedding.hpp"
#include "mercer/functions.hpp"
#include "mercer/policy.hpp"

namespace mercer::distil {

/// How observations become inputs: `reach` times a coordinate in [-1, 1].
struct InputScale {
  Coordinates coordinates;
  std::vector<float> reach;   ///< powers of two, one for each observation
  std::vector<float> centre;  ///< mean of the inputs over visited states: where ridges begin to bend

  float apply(std::size_t d, double observation) const {
    return reach[d] * static_cast<float>(coordinates[d].apply(observation));
  }
};
/// Coordinates by `power_coordinates`, and the reach that brings the standard deviation of visited states (columns)
/// nearest to 1; from 1 to 256.
InputScale input_scale(const Space& space, MatrixView<const double> states);

/// A ridge actor on observations as the task gives them. On a box its outputs are actions scaled to [-1, 1], among
/// discrete actions one score for each.
struct Student {
  RidgeShape shape;
  InputScale scale;
  Vector<float> numbers;
};

/// `initial_numbers` with biases that put the middle of each ridge near the mean input.
Student initial_student(const RidgeShape& shape, const InputScale& scale, std::uint64_t seed);

/// How a student should limit its actions: by tanh where the teacher's contract does. Where it leaves that to the
/// network, the actions that were `played` (steps x dimensions) decide: tanh if they come near a bound, beyond 0.9 of
/// the half range, and never reach one.
Squash squash_like(Squash teacher, const Task& task, std::span<const double> played);

/// The shape of a student for a task, whose actions on a box are squashed by tanh or cut off.
RidgeShape shape_for(const Task& task, std::size_t ridges, bool linear, Squash squash = Squash::tanh);

/// Actions of the task's box as numbers in [-1, 1], and back.
double to_unit(const Axis& axis, double action);
double from_unit(const Axis& axis, double unit);

/// The student as a policy of a task. On a box `sample` adds normal noise of this standard deviation in half ranges,
/// and limits the action to the box.
std::unique_ptr<Policy> policy_of(Student student, const Task& task, double noise = 0);
/// The mean action of any policy of a box with such noise. The policy must outlive it.
std::unique_ptr<Policy> noisy(const Policy& policy, const Task& task, double noise);

/// How many bits integers have: see `Rounding`.
struct RidgeGrid {
  unsigned ridge_bits = 0;        ///< 3 to 8; 0: not rounded
  unsigned coefficient_bits = 0;  ///< 4 to 8; 0: not rounded

  bool rounds() const { return ridge_bits > 0 && coefficient_bits > 0; }
  bool operator==(const RidgeGrid&) const = default;
};

/// How numbers are rounded, as a payload holds them: ridges are integers times a unit that is halved for each ridge,
/// coefficients integers times a scale for each output and part. Integers stop at the largest that their bits hold.
struct Rounding {
  RidgeGrid grid{};
  std::uint8_t unit = 0;                 ///< of ridges, 2^((code - 192) / 8)
  std::vector<std::uint8_t> halvings{};  ///< of it, for each ridge
  std::vector<std::uint8_t> scales{};  ///< for each output: of offset and linear part, then of ridges if there are any

  /// The unit of each number, as the payload counts them.
  std::vector<double> units(const RidgeShape& shape) const;
};

/// What each number of a student is multiplied with to become what a payload stores: directions are by coordinates, the
/// linear part by orthonormal functions, sqrt(3) times a coordinate.
Vector<float> stored_factors(const Student& student);

/// Each group of numbers gets the unit with the least sum of squared errors.
Rounding fitting_rounding(const Student& student, const RidgeGrid& grid);
/// The same for the ridges alone, given the unit that all of them share.
std::vector<std::uint8_t> fitting_halvings(const Student& student, const Rounding& rounding);

/// The integers nearest to a student's numbers, in their order.
std::vector<int> integers_of(const Student& student, const Rounding& rounding);
/// A student's numbers as they are played: those themselves where nothing is rounded.
Vector<float> rounded(const Student& student, const Rounding& rounding);

/// The rounded student as what an embedding stores.
ContinuousCode code_of(const Student& student, const Task& task, const Rounding& rounding);

}  // namespace mercer::distil
