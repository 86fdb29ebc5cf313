#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
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

/// Names of all objects of a kind (mjOBJ_BODY, ...). One without a name is called after its kind and number: "body4".
std::vector<std::string> object_names(const mjModel& model, mjtObj kind);
/// The name of an actuator, or of the joint that it moves where it has none.
std::vector<std::string> actuator_names(const mjModel& model);

/// Finds the quantities of a description in its model. Throws `unknown_name` and `bad_format` with file, line and the
/// nearest name.
class Resolver {
 public:
  /// Both must outlive this.
  Resolver(const mjModel& model, const Robot& robot);

  /// Rows are left to the caller.
  Signal resolve(const Quantity& quantity) const;
  /// The number of a joint with one position and one velocity.
  int single_joint(const std::string& name, std::size_t line) const;

 private:
  struct Component;
  std::size_t find(mjtObj kind, const std::string& name, std::size_t line) const;
  std::vector<Component> components(Source source, int id) const;
  std::vector<Component> chosen(const Quantity& quantity, const std::string& name,
                                const std::vector<Component>& parts) const;
  Reading origin_of(const Quantity& quantity, const Component& part) const;
  std::vector<Axis> applied(const Quantity& quantity, const std::vector<Axis>& plain) const;

  const mjModel& model_;
  const Robot& robot_;
  std::map<mjtObj, std::vector<std::string>> names_;
};

}  // namespace mercer
