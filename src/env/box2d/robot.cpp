#include "env/box2d/robot.hpp"

#include <cmath>

namespace mercer::box2d {
namespace {

struct Vector {
  double x, y;
};
Vector turned(b2Vec2 v, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  return {c * v.x - s * v.y, s * v.x + c * v.y};
}

// A part whose hinge has no gap: its own angle and angular velocity are known.
Pose hung(const Part& part, b2Vec2 centre, const Pose& parent, b2Vec2 centre_of_parent, double angle, double omega) {
  const Vector down = turned(part.anchor_of_parent, parent.angle), up = turned(part.anchor, angle);
  // From the centre of mass of the parent to the anchor, and from there to that of the part.
  const Vector arm = turned(part.anchor_of_parent - centre_of_parent, parent.angle);
  const Vector own = turned(centre - part.anchor, angle);
  return {parent.x + down.x - up.x,
          parent.y + down.y - up.y,
          angle,
          parent.vx - parent.omega * arm.y - omega * own.y,
          parent.vy + parent.omega * arm.x + omega * own.x,
          omega};
}

}  // namespace

Robot::Robot(std::vector<Part> all) : parts(std::move(all)) {
  for (const Part& part : parts) {
    b2PolygonShape shape;
    shape.Set(part.outline.data(), static_cast<int32>(part.outline.size()));
    b2MassData mass;
    shape.ComputeMass(&mass, part.density);
    shapes.push_back(shape);
    centres.push_back(mass.center);
  }
}

std::vector<Axis> Robot::axes() const {
  constexpr Range any{-HUGE_VAL, HUGE_VAL};
  std::vector<Axis> axes{{"x", any, "m"},
                         {"y", any, "m"},
                         {"angle", any, "rad"},
                         {"x_velocity", any, "m/s"},
                         {"y_velocity", any, "m/s"},
                         {"angular_velocity", any, "rad/s"}};
  for (std::size_t p = 1; p < parts.size(); ++p) axes.push_back({parts[p].name, any, "rad"});
  for (std::size_t p = 1; p < parts.size(); ++p) axes.push_back({parts[p].name + "_rate", any, "rad/s"});
  return axes;
}

Poses Robot::poses(Column column, std::size_t state) const {
  Poses all;
  all[0] = {column[state],     column[state + 1], column[state + 2],
            column[state + 3], column[state + 4], column[state + 5]};
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const Part& part = parts[p];
    const Pose& parent = all[part.parent];
    const double angle = parent.angle + column[state + 5 + p];
    const double omega = parent.omega + column[state + 5 + hinges() + p];
    Pose pose = hung(part, centres[p], parent, centres[part.parent], angle, omega);
    const std::size_t row = gap(p - 1);
    pose.x += column[row];
    pose.y += column[row + 1];
    pose.vx += column[row + 2];
    pose.vy += column[row + 3];
    all[p] = pose;
  }
  return all;
}

void Robot::write(const Poses& poses, Column column, std::size_t state) const {
  const Pose& first = poses[0];
  const double own[] = {first.x, first.y, first.angle, first.vx, first.vy, first.omega};
  for (std::size_t d = 0; d < 6; ++d) column[state + d] = own[d];
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const Part& part = parts[p];
    const Pose& parent = poses[part.parent];
    column[state + 5 + p] = poses[p].angle - parent.angle;
    column[state + 5 + hinges() + p] = poses[p].omega - parent.omega;
    const Pose closed = hung(part, centres[p], parent, centres[part.parent], poses[p].angle, poses[p].omega);
    const std::size_t row = gap(p - 1);
    column[row] = poses[p].x - closed.x;
    column[row + 1] = poses[p].y - closed.y;
    column[row + 2] = poses[p].vx - closed.vx;
    column[row + 3] = poses[p].vy - closed.vy;
  }
}

void Robot::draw(std::span<const double> state, Figure& figure) const {
  std::vector<double> column(carried() + state.size());
  std::ranges::copy(state, column.begin() + static_cast<std::ptrdiff_t>(carried()));
  const Poses all = poses(Column({column.data(), column.size(), 1}, 0), carried());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::vector<b2Vec2>& outline = parts[p].outline;
    const auto corner = [&](std::size_t k) -> std::array<double, 3> {
      const Vector at = turned(outline[k % outline.size()], all[p].angle);
      return {all[p].x + at.x, 0, all[p].y + at.y};
    };
    for (std::size_t k = 0; k < outline.size(); ++k)
      figure.sticks.push_back({corner(k), corner(k + 1), line_radius, false});
  }
}

}  // namespace mercer::box2d
