#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "env/mujoco/model.hpp"
#include "env/mujoco/robot.hpp"

namespace mercer {

/// An array of mjData that quantities are read from.
enum class Field { nothing, qpos, qvel, action, body, site, upright, sensor, force, contact };

/// One number of mjData.
struct Reading {
  Field field = Field::nothing;
  std::size_t index = 0;
  bool operator==(const Reading&) const = default;
};

/// A quantity of a model: each of its numbers is a row of a column, minus another row. Actions follow the state.
class Signal {
 public:
  struct Number {
    Reading reading, origin{};
    std::size_t row = 0, origin_row = 0;
  };
  std::vector<Number> numbers;
  double target = 0;
  Range limits{-HUGE_VAL, HUGE_VAL};
  Apply apply = Apply::none;
  std::vector<Axis> axes;  ///< of what `value` gives

  /// Value `k` of axes.size(), with read(row) for the numbers of a column.
  template <class Read>
  double value(std::size_t k, const Read& read) const {
    switch (apply) {
      case Apply::none:
        return one(numbers[k], read);
      case Apply::sin:
        return std::sin(one(numbers[k], read));
      case Apply::cos:
        return std::cos(one(numbers[k], read));
      case Apply::squares:
        return squares(read);
      case Apply::length:
        return std::sqrt(squares(read));
    }
    return 0;
  }

 private:
  template <class Read>
  double one(const Number& number, const Read& read) const {
    double value = -target;
    if (number.reading.field != Field::nothing) value += read(number.row);
    if (number.origin.field != Field::nothing) value -= read(number.origin_row);
    return std::min(std::max(value, limits.low), limits.high);
  }
  template <class Read>
  double squares(const Read& read) const {
    double sum = 0;
    for (const Number& number : numbers) {
      const double value = one(number, read);
      sum += value * value;
    }
    return sum;
  }
};

/// A column of a task: time, activations, the solver's warm start, numbers that MuJoCo computed in its last step; then
/// the state, qpos and qvel; then what is drawn for an episode.
struct ColumnRows {
  std::size_t activation = 1, warm_start, captured, qpos, qvel, drawn;
};

/// A description that has met its model: names are rows.
struct Plan {
  struct Term {
    Signal signal;
    double weight = 1;
    bool rate = false, before = false;
  };
  struct End {
    Signal signal;
    EndRule rule;
  };
  struct Disc {
    std::array<std::size_t, 2> position, velocity;  ///< of qpos and qvel
    double radius = 0;
  };

  Task task;  ///< without drawn parameters
  std::size_t frame_skip = 1;
  ColumnRows rows{};
  std::vector<Reading> captured;
  bool contact_forces = false;  ///< captured: they need mj_rnePostConstraint
  std::vector<Signal> observed;
  std::vector<Term> reward;
  std::vector<End> ends;
  std::vector<double> pose;  ///< qpos of a start without noise
  StartNoise position_noise, velocity_noise;
  std::vector<Disc> discs;
  std::vector<Viewpoint> views;
};

/// Throws `unknown_name` and `bad_format` with file, line and the nearest name. `name` is the task's.
Plan make_plan(const mjModel& model, const Robot& robot, const std::string& name);

/// Names of all objects of a kind (mjOBJ_BODY, ...). One without a name is called after its kind and number: "body4".
std::vector<std::string> object_names(const mjModel& model, mjtObj kind);
/// The name of an actuator, or of the joint that it moves where it has none.
std::vector<std::string> actuator_names(const mjModel& model);

}  // namespace mercer
