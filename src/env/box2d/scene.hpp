#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <box2d/box2d.h>

#include "env/box2d/robot.hpp"

namespace mercer::box2d {

/// A straight piece of ground.
struct Edge {
  b2Vec2 from, to;
  float friction;
};

/// Ground is made from a number, 1 to `last_terrain`, which is a row of the state. 0 is flat ground; so is what is not
/// such a number.
inline constexpr double last_terrain = 4294967295;
std::uint64_t terrain_number(double row);
double draw_terrain(Random& random);

/// What a world is made with. `mass` and `friction` are factors.
struct Physics {
  double gravity = 10;
  double mass = 1;
  double friction = 1;
};

/// A Box2D world that lives for one step: made from a column, stepped, and written back.
///
/// A world that goes on from step to step would remember contacts and impulses that a column does not show. This one
/// starts from what the column holds, so a result depends on nothing else. Box2D computes in 32-bit floats.
class Scene final : private b2ContactListener {
 public:
  /// `edges` are numbered; only those near the robot enter the world. The robot's state begins in row `state`. Finds
  /// what touches the ground.
  Scene(const Robot& robot, const Physics& physics, std::span<const Edge> edges, Column column, std::size_t state);

  b2Body& part(std::size_t index) { return *bodies_[index]; }
  b2RevoluteJoint& hinge(std::size_t index) { return *hinges_[index]; }

  /// Steps the world with the iterations of Gymnasium's tasks: 180 for velocities, 60 for positions.
  void step();

  /// Writes bodies, impulses and contacts. False, and the column is as before, if a number is no longer finite.
  bool write(Column column, std::size_t state);
  /// Writes what touches the ground, and with which impulses.
  void write_contacts(Column column);

  /// The first part has met the ground.
  bool first_part_hit() const { return first_part_hit_; }
  /// All parts move slower than what Box2D takes for rest.
  bool at_rest() const;

 private:
  void BeginContact(b2Contact* contact) override { change(*contact, true); }
  void EndContact(b2Contact* contact) override { change(*contact, false); }
  void change(b2Contact& contact, bool touches);
  void add_ground(const Physics& physics, std::span<const Edge> edges, const Poses& poses);
  void add_robot(const Physics& physics, const Poses& poses, Column column);
  void find_contacts(Column column);

  const Robot& robot_;
  b2World world_;
  std::array<b2Body*, max_parts> bodies_{};
  std::array<b2RevoluteJoint*, max_parts> hinges_{};
  std::array<bool, max_parts> touches_{};
  bool first_part_hit_ = false;
};

/// How far a ray gets before it meets an edge: a share of its length, 1 if it meets none.
double ray(std::span<const Edge> edges, double x, double y, double dx, double dy);

/// True if a world can be made of these poses: finite, and not so far away that floats no longer resolve a centimetre.
bool sound(const Poses& poses, std::size_t parts);

}  // namespace mercer::box2d
