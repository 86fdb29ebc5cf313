#include "env/box2d/robot_env.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::box2d {

RobotEnv::RobotEnv(Task task, const Robot& robot, DrawnParameters physics, const Poses& start, std::size_t own_rows)
    : Env(std::move(task), robot.carried() + own_rows), robot_(robot), physics_(std::move(physics)), start_(start) {
  // Box2D fills a table with the first contact of a process, without a lock: let that be here.
  std::vector<double> column(rows());
  const Edge edge{{-1, 0}, {1, 0}, 0};
  Scene(robot_, {}, {&edge, 1}, Column({column.data(), column.size(), 1}, 0), carried());
}

void RobotEnv::reset(const Draws& draws, MatrixView<double> columns) const {
  physics_.draw(draws, columns);
  for (std::size_t row = 0; row < carried(); ++row) std::ranges::fill(columns.row(row), 0.0);
  for (std::size_t i = 0; i < columns.cols(); ++i) {
    const Column column(columns, i);
    Random random = draws.random(i);
    column[terrain_row()] = draw_terrain(random);
    robot_.write(start_, column, carried());
    begin(columns, i, random);
  }
}

void RobotEnv::settle(MatrixView<double> columns) const {
  for (std::size_t row = 0; row < carried(); ++row) std::ranges::fill(columns.row(row), 0.0);
  for (std::size_t i = 0; i < columns.cols(); ++i) {
    if (sound(Column(columns, i))) settle_one(columns, i);
  }
}

bool RobotEnv::sound(Column column) const { return box2d::sound(robot_.poses(column, carried()), robot_.parts.size()); }

Scene RobotEnv::make_scene(MatrixView<double> columns, std::size_t i, std::span<const Edge> ground) const {
  const Physics of{parameter(gravity, columns, i), parameter(mass, columns, i), parameter(friction, columns, i)};
  return Scene(robot_, of, ground, Column(columns, i), carried());
}

Figure RobotEnv::draw(std::span<const double> state, std::span<const Edge> ground) const {
  Figure figure{{}, {Viewpoint::side}};
  robot_.draw(state.first(robot_.states()), figure);
  for (const auto& [from, to, rough] : ground) {
    figure.sticks.push_back({{from.x, 0, from.y}, {to.x, 0, to.y}, line_radius, true});
  }
  return figure;
}

bool has_nan(MatrixView<const double> action, std::size_t column) {
  for (std::size_t d = 0; d < action.rows(); ++d) {
    if (std::isnan(action(d, column))) return true;
  }
  return false;
}

Space robot_states(const Robot& robot, const DrawnParameters& physics) {
  std::vector<Axis> axes = robot.axes();
  axes.push_back({"terrain", {0, last_terrain}});
  return physics.extended(Space::box(std::move(axes)));
}

DrawnParameters read_robot_physics(const std::vector<Parameter>& parameters, Params& params, const Robot& robot,
                                   std::size_t own_rows) {
  return read_physics(parameters, params, robot.carried() + own_rows + robot.states() + 1);
}

}  // namespace mercer::box2d
