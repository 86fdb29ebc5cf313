#include <algorithm>
#include <array>
#include <cmath>

#include "env/mujoco/mujoco_env.hpp"

namespace mercer {
namespace {

constexpr double floor_reach = 3;  // metres to each side of the robot, where it is small
constexpr double floor_radius = 0.01;
constexpr int hidden_group = 3;  // MuJoCo's own viewer shows groups 0 to 2

using Point = std::array<double, 3>;

Point along(const Point& from, const mjtNum* matrix, int axis, double length) {
  Point out = from;
  for (int k = 0; k < 3; ++k) out[static_cast<std::size_t>(k)] += length * matrix[3 * k + axis];
  return out;
}

// A geom as a stick along its longest axis.
Stick stick_of(const mjModel& model, const mjData& data, int geom) {
  const mjtNum *const position = data.geom_xpos + 3 * geom, *const matrix = data.geom_xmat + 9 * geom;
  const mjtNum* const size = model.geom_size + 3 * geom;
  const Point middle{position[0], position[1], position[2]};
  int axis = 2;
  double half = 0, radius = size[0];
  switch (model.geom_type[geom]) {
    case mjGEOM_SPHERE:
      break;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      half = size[1];
      break;
    case mjGEOM_BOX:
    case mjGEOM_ELLIPSOID: {
      axis = static_cast<int>(std::max_element(size, size + 3) - size);
      radius = std::max(size[(axis + 1) % 3], size[(axis + 2) % 3]);
      half = size[axis] - radius;
      break;
    }
    default:
      radius = model.geom_rbound[geom];
  }
  return {along(middle, matrix, axis, -half), along(middle, matrix, axis, half), radius};
}

}  // namespace

std::vector<Stick> sticks_of(const mjModel& model, const mjData& data, const Plan& plan) {
  // Bodies on the joints of a disc are goals.
  std::vector<int> goals;
  for (const Plan::Disc& disc : plan.discs) {
    for (const std::size_t velocity : disc.velocity) goals.push_back(model.dof_bodyid[velocity]);
  }
  const bool side = std::ranges::find(plan.views, Viewpoint::side) != plan.views.end();
  std::vector<Stick> sticks;
  for (int geom = 0; geom < model.ngeom; ++geom) {
    if (model.geom_group[geom] >= hidden_group || model.geom_rgba[4 * geom + 3] == 0) continue;
    const int body = model.geom_bodyid[geom];
    if (model.geom_type[geom] == mjGEOM_PLANE || model.geom_type[geom] == mjGEOM_HFIELD) {
      if (!side || model.nbody < 2) continue;  // from above it is everywhere
      const mjtNum* const root = data.xpos + 3;
      const double reach = std::max<double>(floor_reach, 3 * model.stat.extent), z = data.geom_xpos[3 * geom + 2];
      sticks.push_back({{root[0] - reach, root[1], z - floor_radius},
                        {root[0] + reach, root[1], z - floor_radius},
                        floor_radius,
                        true});
      continue;
    }
    Stick stick = stick_of(model, data, geom);
    stick.fixed = model.body_weldid[body] == 0 || std::ranges::find(goals, body) != goals.end();
    sticks.push_back(stick);
  }
  return sticks;
}

}  // namespace mercer
