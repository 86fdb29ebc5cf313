#include "env/box2d/scene.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace mercer::box2d {
namespace {

constexpr int32 velocity_iterations = 180;
constexpr int32 position_iterations = 60;
constexpr std::uint16_t ground_bits = 1;
constexpr std::uint16_t robot_bits = 2;   // parts of a robot pass through each other
constexpr double edge_code = 4294967296;  // a contact point is named by its edge and its 32-bit id

// Box2D keeps the impulses of a hinge to itself and to what is derived from it.
struct Impulses : b2RevoluteJoint {
  static constexpr auto anchor = &Impulses::m_impulse;
  static constexpr auto motor = &Impulses::m_motorImpulse;
  static constexpr auto lower = &Impulses::m_lowerImpulse;
  static constexpr auto upper = &Impulses::m_upperImpulse;
};

float to_float(double value) { return static_cast<float>(value); }
b2Vec2 to_vector(double x, double y) { return {to_float(x), to_float(y)}; }

// The part of the robot and the edge of a contact.
struct Meeting {
  std::size_t part, edge;
};
Meeting meeting(b2Contact& contact) {
  b2Fixture *ground = contact.GetFixtureA(), *robot = contact.GetFixtureB();
  if (ground->GetBody()->GetType() != b2_staticBody) std::swap(ground, robot);
  return {robot->GetUserData().pointer, ground->GetUserData().pointer};
}

double point_name(std::size_t edge, const b2ManifoldPoint& point) {
  return static_cast<double>(edge + 1) * edge_code + point.id.key;
}

}  // namespace

std::uint64_t terrain_number(double row) {
  return row >= 1 && row <= last_terrain ? static_cast<std::uint64_t>(row) : 0;
}

double draw_terrain(Random& random) { return 1 + std::floor(random.uniform() * last_terrain); }

bool sound(const Poses& poses, std::size_t parts) {
  constexpr double far = 1e5;
  return std::all_of(poses.begin(), poses.begin() + static_cast<std::ptrdiff_t>(parts), [](const Pose& pose) {
    const double all[] = {pose.x, pose.y, pose.angle, pose.vx, pose.vy, pose.omega};
    return std::ranges::all_of(all, [](double value) { return std::abs(value) <= far; });
  });
}

Scene::Scene(const Robot& robot, const Physics& physics, std::span<const Edge> edges, Column column, std::size_t state)
    : robot_(robot), world_({0, to_float(-physics.gravity)}) {
  world_.SetAllowSleeping(false);
  world_.Step(to_float(dt), 1, 1);  // the first step of a world drops all impulses; let it be an empty one
  const Poses poses = robot.poses(column, state);
  add_ground(physics, edges, poses);
  add_robot(physics, poses, column);
  find_contacts(column);
}

void Scene::add_ground(const Physics& physics, std::span<const Edge> edges, const Poses& poses) {
  // No part moves more than b2_maxTranslation in a step, and every corner is within `size` of its body.
  constexpr double size = 1.5;
  constexpr double margin = b2_maxTranslation + size;
  double left = HUGE_VAL, right = -HUGE_VAL, low = HUGE_VAL;
  for (std::size_t p = 0; p < robot_.parts.size(); ++p) {
    left = std::min(left, poses[p].x - margin);
    right = std::max(right, poses[p].x + margin);
    low = std::min(low, poses[p].y - margin);
  }
  const b2BodyDef still;
  b2Body* const ground = world_.CreateBody(&still);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto& [from, to, friction] = edges[e];
    if (to.x < left || from.x > right || std::max(from.y, to.y) < low) continue;
    b2EdgeShape shape;
    shape.SetTwoSided(from, to);
    b2FixtureDef def;
    def.shape = &shape;
    def.friction = to_float(friction * physics.friction);
    def.filter.categoryBits = ground_bits;
    def.userData.pointer = e;
    ground->CreateFixture(&def);
  }
}

void Scene::add_robot(const Physics& physics, const Poses& poses, Column column) {
  for (std::size_t p = 0; p < robot_.parts.size(); ++p) {
    const Part& part = robot_.parts[p];
    const Pose& pose = poses[p];
    b2BodyDef body;
    body.type = b2_dynamicBody;
    body.position = to_vector(pose.x, pose.y);
    body.angle = to_float(pose.angle);
    bodies_[p] = world_.CreateBody(&body);
    b2FixtureDef def;
    def.shape = &robot_.shapes[p];
    def.density = to_float(part.density * physics.mass);
    def.friction = to_float(part.friction * physics.friction);
    def.filter.categoryBits = robot_bits;
    def.filter.maskBits = ground_bits;
    def.userData.pointer = p;
    bodies_[p]->CreateFixture(&def);
    bodies_[p]->SetLinearVelocity(to_vector(pose.vx, pose.vy));  // after the fixture, which moves the centre of mass
    bodies_[p]->SetAngularVelocity(to_float(pose.omega));
    if (p == 0) continue;
    b2RevoluteJointDef joint;
    joint.bodyA = bodies_[part.parent];
    joint.bodyB = bodies_[p];
    joint.localAnchorA = part.anchor_of_parent;
    joint.localAnchorB = part.anchor;
    joint.enableLimit = true;
    joint.lowerAngle = part.lower;
    joint.upperAngle = part.upper;
    joint.enableMotor = true;
    b2RevoluteJoint* const hinge = static_cast<b2RevoluteJoint*>(world_.CreateJoint(&joint));
    const std::size_t row = robot_.impulse(p - 1);
    hinge->*Impulses::anchor = to_vector(column[row], column[row + 1]);
    hinge->*Impulses::motor = to_float(column[row + 2]);
    hinge->*Impulses::lower = to_float(column[row + 3]);
    hinge->*Impulses::upper = to_float(column[row + 4]);
    hinges_[p - 1] = hinge;
  }
}

// A step of no time finds contacts and moves nothing. Gymnasium's tasks note the last change of contact: a leg that
// leaves one of two edges counts as lifted though it still stands on the other.
void Scene::find_contacts(Column column) {
  world_.Step(0, 0, 0);
  for (std::size_t h = 0; h < robot_.hinges(); ++h) touches_[h] = column[robot_.touch(h)] != 0;
  std::array<std::array<bool, max_points>, max_parts> lasts{};
  for (b2Contact* contact = world_.GetContactList(); contact != nullptr; contact = contact->GetNext()) {
    if (!contact->IsTouching()) continue;
    const auto [part, edge] = meeting(*contact);
    if (part == 0) {
      first_part_hit_ = true;
      continue;
    }
    bool known = false;
    for (std::size_t k = 0; k < max_points; ++k) {
      const std::size_t row = robot_.point(part - 1, k);
      if (std::floor(column[row] / edge_code) != static_cast<double>(edge + 1)) continue;
      known = lasts[part - 1][k] = true;
      b2Manifold& manifold = *contact->GetManifold();
      for (b2ManifoldPoint& point : std::span(manifold.points).first(manifold.pointCount)) {
        if (point_name(edge, point) != column[row]) continue;
        point.normalImpulse = to_float(column[row + 1]);
        point.tangentImpulse = to_float(column[row + 2]);
      }
    }
    if (!known) touches_[part - 1] = true;
  }
  for (std::size_t h = 0; h < robot_.hinges(); ++h) {
    for (std::size_t k = 0; k < max_points; ++k) {
      if (column[robot_.point(h, k)] != 0 && !lasts[h][k]) touches_[h] = false;
    }
  }
  world_.SetContactListener(this);
}

void Scene::change(b2Contact& contact, bool touches) {
  const std::size_t part = meeting(contact).part;
  if (part > 0) touches_[part - 1] = touches;
  if (part == 0 && touches) first_part_hit_ = true;
}

void Scene::step() { world_.Step(to_float(dt), velocity_iterations, position_iterations); }

bool Scene::write(Column column, std::size_t state) {
  Poses poses;
  for (std::size_t p = 0; p < robot_.parts.size(); ++p) {
    const b2Body& body = *bodies_[p];
    const b2Vec2 at = body.GetPosition(), velocity = body.GetLinearVelocity();
    poses[p] = {at.x, at.y, body.GetAngle(), velocity.x, velocity.y, body.GetAngularVelocity()};
  }
  if (!sound(poses, robot_.parts.size())) return false;
  robot_.write(poses, column, state);
  write_contacts(column);
  for (std::size_t h = 0; h < robot_.hinges(); ++h) {
    const b2RevoluteJoint& hinge = *hinges_[h];
    const std::size_t row = robot_.impulse(h);
    column[row] = (hinge.*Impulses::anchor).x;
    column[row + 1] = (hinge.*Impulses::anchor).y;
    column[row + 2] = hinge.*Impulses::motor;
    column[row + 3] = hinge.*Impulses::lower;
    column[row + 4] = hinge.*Impulses::upper;
  }
  return true;
}

void Scene::write_contacts(Column column) {
  std::array<std::size_t, max_parts> count{};
  for (std::size_t h = 0; h < robot_.hinges(); ++h) {
    column[robot_.touch(h)] = touches_[h];
    for (std::size_t row = robot_.point(h, 0); row < robot_.point(h + 1, 0); ++row) column[row] = 0;
  }
  for (b2Contact* contact = world_.GetContactList(); contact != nullptr; contact = contact->GetNext()) {
    const auto [part, edge] = meeting(*contact);
    if (!contact->IsTouching() || part == 0) continue;
    const b2Manifold& manifold = *contact->GetManifold();
    for (const b2ManifoldPoint& point : std::span(manifold.points).first(manifold.pointCount)) {
      if (count[part - 1] == max_points) break;
      const std::size_t row = robot_.point(part - 1, count[part - 1]++);
      column[row] = point_name(edge, point);
      column[row + 1] = point.normalImpulse;
      column[row + 2] = point.tangentImpulse;
    }
  }
}

bool Scene::at_rest() const {
  return std::all_of(bodies_.begin(), bodies_.begin() + static_cast<std::ptrdiff_t>(robot_.parts.size()),
                     [](const b2Body* body) {
                       return body->GetLinearVelocity().Length() <= b2_linearSleepTolerance &&
                              std::abs(body->GetAngularVelocity()) <= b2_angularSleepTolerance;
                     });
}

double ray(std::span<const Edge> edges, double x, double y, double dx, double dy) {
  double nearest = 1;
  for (const auto& [from, to, friction] : edges) {
    const double ex = to.x - from.x, ey = to.y - from.y, ax = from.x - x, ay = from.y - y;
    const double cross = dx * ey - dy * ex;
    if (cross == 0) continue;  // parallel
    const double along_ray = (ax * ey - ay * ex) / cross, along_edge = (ax * dy - ay * dx) / cross;
    if (along_ray >= 0 && along_edge >= 0 && along_edge <= 1) nearest = std::min(nearest, along_ray);
  }
  return nearest;
}

}  // namespace mercer::box2d
