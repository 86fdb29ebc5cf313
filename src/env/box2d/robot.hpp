#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <box2d/box2d.h>

#include "mercer/env.hpp"

namespace mercer::box2d {

inline constexpr double steps_per_second = 50;
inline constexpr double dt = 1 / steps_per_second;
inline constexpr double pixels_per_metre = 30;  ///< Gymnasium gives lengths in pixels

/// One episode's column of a matrix.
class Column {
 public:
  explicit Column(MatrixView<double> columns, std::size_t index)
      : first_(&columns(0, index)), stride_(columns.stride()) {}
  double& operator[](std::size_t row) const { return first_[row * stride_]; }

 private:
  double* first_;
  std::size_t stride_;
};

/// A rigid body that hangs on an earlier one by a hinge with a motor and limits. The first part of a robot is free.
struct Part {
  std::string name;
  std::vector<b2Vec2> outline;  ///< convex, metres
  float density = 1;
  float friction = 0.2f;
  std::size_t parent = 0;
  b2Vec2 anchor_of_parent{0, 0};
  b2Vec2 anchor{0, 0};
  float lower = 0;  ///< limits of the hinge, radians
  float upper = 0;
};

/// Where a body is and how it moves. The velocity is that of its centre of mass.
struct Pose {
  double x = 0, y = 0, angle = 0, vx = 0, vy = 0, omega = 0;
};

inline constexpr double line_radius = 0.02;  ///< of the lines of a figure
inline constexpr std::size_t max_parts = 5;
inline constexpr std::size_t max_points = 4;  ///< contact points of a part that are remembered
using Poses = std::array<Pose, max_parts>;

/// A planar robot and the rows that describe it.
///
/// State: x, y, angle of the first part, its velocities, then the angle of each hinge and its rate. Carried: how far
/// the two anchors of each hinge are apart and how fast they part (a solver never closes them entirely), the impulses
/// of each hinge, the impulses at contact points of each part, and whether it touches the ground. So a column holds all
/// that a Box2D world remembers between two steps, and hinges whose anchors coincide need no carried rows.
struct Robot {
  std::vector<Part> parts;
  std::vector<b2PolygonShape> shapes;  ///< of the outlines
  std::vector<b2Vec2> centres;         ///< of mass

  explicit Robot(std::vector<Part> parts);

  std::size_t hinges() const { return parts.size() - 1; }
  std::size_t carried() const { return hinges() * (4 + 5 + 3 * max_points + 1); }
  std::size_t states() const { return 6 + 2 * hinges(); }
  std::vector<Axis> axes() const;

  // Carried rows; `hinge` counts from 0.
  std::size_t gap(std::size_t hinge) const { return 4 * hinge; }
  std::size_t impulse(std::size_t hinge) const { return 4 * hinges() + 5 * hinge; }
  std::size_t point(std::size_t hinge, std::size_t k) const { return 9 * hinges() + 3 * (hinge * max_points + k); }
  std::size_t touch(std::size_t hinge) const { return (9 + 3 * max_points) * hinges() + hinge; }

  /// Poses of all parts, from a column whose state begins in row `state`.
  Poses poses(Column column, std::size_t state) const;
  /// Writes state and gaps.
  void write(const Poses& poses, Column column, std::size_t state) const;
  /// The outlines of all parts as sticks.
  void draw(std::span<const double> state, Figure& figure) const;
};

}  // namespace mercer::box2d
