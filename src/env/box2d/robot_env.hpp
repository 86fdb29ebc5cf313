#pragma once

#include <span>

#include "env/box2d/scene.hpp"
#include "env/drawn.hpp"

namespace mercer::box2d {

/// Physics that every robot has; a task's own parameters come behind them.
enum : std::size_t { gravity, mass, friction, first_own_parameter };

/// A task with one robot on ground that a number stands for. A column holds what the robot carries, what the task
/// carries, the state of the robot, the number of the terrain, and drawn parameters.
class RobotEnv : public Env {
 public:
  void reset(const Draws& draws, MatrixView<double> columns) const override;
  void settle(MatrixView<double> columns) const override;

 protected:
  /// `start` is where episodes begin; `own_rows` is what the task carries.
  RobotEnv(Task task, const Robot& robot, DrawnParameters physics, const Poses& start, std::size_t own_rows);

  /// Goes on from the start to where the first action is asked for.
  virtual void begin(MatrixView<double> columns, std::size_t i, Random& random) const = 0;
  /// Fills carried rows, which are zero, from the state.
  virtual void settle_one(MatrixView<double> columns, std::size_t i) const = 0;

  const Robot& robot() const { return robot_; }
  /// First row that the task carries.
  std::size_t own() const { return robot_.carried(); }
  std::uint64_t terrain(Column column) const { return terrain_number(column[terrain_row()]); }
  double parameter(std::size_t which, MatrixView<double> columns, std::size_t i) const {
    return physics_.of(which, columns)[i];
  }
  /// False where no world can be made of a column.
  bool sound(Column column) const;
  Scene make_scene(MatrixView<double> columns, std::size_t i, std::span<const Edge> ground) const;
  /// The robot and some ground, from the side.
  Figure draw(std::span<const double> state, std::span<const Edge> ground) const;

 private:
  std::size_t terrain_row() const { return carried() + robot_.states(); }

  Robot robot_;
  DrawnParameters physics_;
  Poses start_;
};

/// An action that is no number would make Box2D abort.
bool has_nan(MatrixView<const double> action, std::size_t column);
/// The states of a task with such columns.
Space robot_states(const Robot& robot, const DrawnParameters& physics);
/// The parameters as settings give them.
DrawnParameters read_robot_physics(const std::vector<Parameter>& parameters, Params& params, const Robot& robot,
                                   std::size_t own_rows);

}  // namespace mercer::box2d
