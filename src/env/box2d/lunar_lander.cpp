#include <algorithm>
#include <cmath>

#include "env/box2d/scene.hpp"
#include "env/box2d/tasks.hpp"
#include "env/drawn.hpp"

namespace mercer {
namespace {

using namespace box2d;

// Metres. The origin is the middle of the pad at the height that observations are counted from.
constexpr double width = 600 / pixels_per_metre;
constexpr double height = 400 / pixels_per_metre;
constexpr double pad_height = height / 4;  // above the bottom
constexpr double leg_away = 20 / pixels_per_metre;
constexpr double leg_down = 18 / pixels_per_metre;

constexpr double main_power = 13;
constexpr double side_power = 0.6;
constexpr double side_engine_away = 12 / pixels_per_metre;
constexpr double side_engine_height = 14 / pixels_per_metre;
constexpr float leg_torque = 40;
constexpr float leg_speed = 0.3f;
constexpr double start_force = 1000;  // N, for one step
constexpr float ground_friction = 0.1f;

constexpr double left = -1, right = 1;  // Gymnasium's signs of the legs; the first is named left

Part make_leg(const std::string& name, double side) {
  constexpr float w = 2 / 30.0f, h = 8 / 30.0f;
  const bool first = side == left;
  return {.name = name,
          .outline = {{-w, -h}, {w, -h}, {w, h}, {-w, h}},
          .density = 1,
          .anchor = {static_cast<float>(side * leg_away), static_cast<float>(leg_down)},
          .lower = first ? 0.4f : -0.9f,
          .upper = first ? 0.9f : -0.4f};
}

Robot make_lander() {
  std::vector<b2Vec2> outline;
  for (const auto& [x, y] : {std::pair{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}) {
    outline.push_back({static_cast<float>(x / pixels_per_metre), static_cast<float>(y / pixels_per_metre)});
  }
  return Robot({{.name = "hull", .outline = outline, .density = 5, .friction = 0.1f},
                make_leg("left_leg", left),
                make_leg("right_leg", right)});
}

using Ground = std::array<Edge, 11>;

// The bottom and ten edges whose heights are running means of random ones. Terrain 0 is flat.
Ground make_ground(double terrain) {
  constexpr std::size_t points = 11, middle = points / 2;
  std::array<double, points + 1> rough;
  Random random({static_cast<std::uint64_t>(terrain), Stage::task, 0, 0});
  for (double& one : rough) one = terrain == 0 ? pad_height : random.uniform() * height / 2;
  std::fill_n(rough.begin() + middle - 2, 5, pad_height);
  const auto point = [&](std::size_t i) -> b2Vec2 {
    const double before = rough[i == 0 ? points : i - 1];  // as Python's index -1
    return {static_cast<float>(width / (points - 1) * static_cast<double>(i) - width / 2),
            static_cast<float>(0.33 * (before + rough[i] + rough[i + 1]) - pad_height)};
  };
  Ground ground;
  constexpr auto half = static_cast<float>(width / 2), bottom = static_cast<float>(-pad_height);
  ground[0] = {{-half, bottom}, {half, bottom}, 0.2f};
  for (std::size_t i = 0; i + 1 < points; ++i) ground[i + 1] = {point(i), point(i + 1), ground_friction};
  return ground;
}

using Seen = std::array<double, 8>;

// What Gymnasium adds up in its rewards: a reward is how much this grew.
double shaping(const Seen& seen) {
  return -100 * std::sqrt(seen[0] * seen[0] + seen[1] * seen[1]) -
         100 * std::sqrt(seen[2] * seen[2] + seen[3] * seen[3]) - 100 * std::abs(seen[4]) + 10 * seen[6] + 10 * seen[7];
}

struct Throttle {
  double main = 0;  // 0 for off
  double side = 0;  // negative for the left engine
};

Throttle throttle(double action) { return {action == 2 ? 1.0 : 0.0, action == 1 ? -1.0 : action == 3 ? 1.0 : 0.0}; }
Throttle throttle(double main, double side) {
  const double size = std::min(std::abs(side), 1.0);
  return {main > 0 ? (std::min(main, 1.0) + 1) / 2 : 0, size > 0.5 ? std::copysign(size, side) : 0};
}

Task lander_task(const Robot& robot, const DrawnParameters& physics, bool continuous) {
  constexpr Range any{-HUGE_VAL, HUGE_VAL};
  std::vector<Axis> axes = robot.axes();
  axes.push_back({"terrain", {0, 4294967295.0}});
  const Space seen = Space::box({{"x", any, "10 m"},
                                 {"y", any, "6.67 m"},
                                 {"x_velocity", any, "5 m/s"},
                                 {"y_velocity", any, "7.5 m/s"},
                                 {"angle", any, "rad"},
                                 {"angular_velocity", any, "2.5 rad/s"},
                                 {"left_leg_touches", {0, 1}},
                                 {"right_leg_touches", {0, 1}}});
  const Space action =
      continuous ? Space::box({{"main_engine", {-1, 1}}, {"side_engine", {-1, 1}}}) : Space::discrete("engine", 4);
  return {continuous ? "lunar-lander-continuous" : "lunar-lander",
          physics.extended(Space::box(std::move(axes))),
          seen,
          action,
          any,
          1000,
          0.99,
          dt,
          Ending::plain};
}

class LunarLander final : public Env {
 public:
  LunarLander(const Robot& robot, DrawnParameters physics, bool continuous)
      : Env(lander_task(robot, physics, continuous), robot.carried() + 1), robot_(robot), physics_(std::move(physics)) {
    // Box2D sets up its tables with the first contact, without a lock: let that be here.
    std::vector<double> column(rows());
    settle({column.data(), column.size(), 1});
  }

  void reset(const Draws& draws, MatrixView<double> columns) const override {
    physics_.draw(draws, columns);
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      const Column column(columns, i);
      Random random = draws.random(i);
      for (std::size_t row = 0; row <= terrain(); ++row) column[row] = 0;
      column[terrain()] = 1 + std::floor(random.uniform() * 4294967295.0);
      // The legs start beside the hull instead of on their hinges; the first steps pull them there.
      constexpr double top = height - pad_height, tilt = 0.05;
      robot_.write({Pose{0, top}, Pose{-left * leg_away, top, left * tilt}, Pose{-right * leg_away, top, right * tilt}},
                   column, carried());
      const double fx = start_force * (2 * random.uniform() - 1), fy = start_force * (2 * random.uniform() - 1);
      Scene scene = make_scene(columns, i);
      b2Body& hull = scene.part(0);
      hull.ApplyForceToCenter({static_cast<float>(fx), static_cast<float>(fy)}, true);
      move(scene, column);
    }
  }

  void settle(MatrixView<double> columns) const override {
    for (std::size_t row = 0; row < carried(); ++row) std::ranges::fill(columns.row(row), 0.0);
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      const Column column(columns, i);
      if (sound(robot_.poses(column, carried()), robot_.parts.size())) make_scene(columns, i).write_contacts(column);
    }
  }

  void observe(MatrixView<const double> columns, MatrixView<double> observation) const override {
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      const Seen all = seen([&](std::size_t row) { return columns(row, i); });
      for (std::size_t d = 0; d < all.size(); ++d) observation(d, i) = all[d];
    }
  }

  void step(MatrixView<double> columns, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      const Throttle of = task().action.is_discrete() ? throttle(action(0, i)) : throttle(action(0, i), action(1, i));
      terminated[i] = step_one(columns, i, of, draws.random(i), reward[i]);
    }
  }

  Figure figure(std::span<const double> state) const override {
    Figure figure{{}, {Viewpoint::side}};
    robot_.draw(state.first(robot_.states()), figure);
    for (const auto& [from, to, friction] : make_ground(state[robot_.states()])) {
      figure.sticks.push_back({{from.x, 0, from.y}, {to.x, 0, to.y}, 0.02, true});
    }
    return figure;
  }

 private:
  std::size_t rest() const { return robot_.carried(); }  // seconds for which the lander has been at rest
  std::size_t terrain() const { return carried() + robot_.states(); }

  double physics(LanderPhysics which, MatrixView<double> columns, std::size_t i) const {
    return physics_.of(static_cast<std::size_t>(which), columns)[i];
  }

  Scene make_scene(MatrixView<double> columns, std::size_t i) const {
    using enum LanderPhysics;
    const Column column(columns, i);
    const Physics of{physics(gravity, columns, i), physics(mass, columns, i), physics(friction, columns, i)};
    return Scene(robot_, of, make_ground(column[terrain()]), column, carried());
  }

  template <class Row>
  Seen seen(Row row) const {
    const std::size_t s = carried();
    return {row(s) / (width / 2),
            (row(s + 1) - leg_down) / (height / 2),
            row(s + 3) * (width / 2) * dt,
            row(s + 4) * (height / 2) * dt,
            row(s + 2),
            20 * row(s + 5) * dt,
            row(robot_.touch(0)),
            row(robot_.touch(1))};
  }

  // Moves the legs as springs do, and everything else as it moves.
  bool move(Scene& scene, Column column) const {
    for (const auto& [h, side] : {std::pair{0, left}, {1, right}}) {
      scene.hinge(h).SetMaxMotorTorque(leg_torque);
      scene.hinge(h).SetMotorSpeed(static_cast<float>(leg_speed * side));
    }
    scene.step();
    return scene.write(column, carried());
  }

  // Engines push where they are, which jitters.
  static void fire(b2Body& hull, const Throttle& throttle, double main_force, double side_force, Random random) {
    const double sine = std::sin(hull.GetAngle()), cosine = std::cos(hull.GetAngle());
    const double along = (2 * random.uniform() - 1) / pixels_per_metre;
    const double across = (2 * random.uniform() - 1) / pixels_per_metre;
    const b2Vec2 at = hull.GetPosition();
    const auto push = [&](double x, double y, double power, double px, double py) {
      hull.ApplyLinearImpulse({static_cast<float>(-x * power), static_cast<float>(-y * power)},
                              {static_cast<float>(at.x + px), static_cast<float>(at.y + py)}, true);
    };
    if (throttle.main > 0) {
      const double down = 4 / pixels_per_metre + 2 * along;
      const double x = sine * down - cosine * across, y = -cosine * down - sine * across;
      push(x, y, main_power * main_force * throttle.main, x, y);
    }
    if (throttle.side != 0) {
      const double out = 3 * across + std::copysign(side_engine_away, throttle.side);
      const double x = sine * along - cosine * out, y = -cosine * along - sine * out;
      // 17 and 14 pixels: the engines of the original do not sit straight, and policies know it.
      push(x, y, side_power * side_force * std::abs(throttle.side), x - sine * 17 / pixels_per_metre,
           y + cosine * side_engine_height);
    }
  }

  std::uint8_t step_one(MatrixView<double> columns, std::size_t i, const Throttle& throttle, Random random,
                        double& reward) const {
    const Column column(columns, i);
    const auto row = [&](std::size_t r) { return column[r]; };
    const double before = shaping(seen(row));
    reward = 0;
    if (!sound(robot_.poses(column, carried()), robot_.parts.size())) return StepEnd::broken;
    Scene scene = make_scene(columns, i);
    fire(scene.part(0), throttle, physics(LanderPhysics::main_engine, columns, i),
         physics(LanderPhysics::side_engine, columns, i), random);
    if (!move(scene, column)) return StepEnd::broken;
    column[rest()] = scene.at_rest() ? column[rest()] + dt : 0;
    const Seen now = seen(row);
    reward = shaping(now) - before - 0.30 * throttle.main - 0.03 * std::abs(throttle.side);
    const bool lost = scene.first_part_hit() || std::abs(now[0]) >= 1;
    const bool landed = column[rest()] >= b2_timeToSleep;  // as Box2D puts bodies to sleep
    if (lost) reward = -100;
    if (landed) reward = 100;
    return lost || landed ? StepEnd::task : StepEnd::none;
  }

  Robot robot_;
  DrawnParameters physics_;
};

}  // namespace

std::unique_ptr<Env> make_lunar_lander(Params& params, bool continuous) {
  const Robot robot = make_lander();
  return std::make_unique<LunarLander>(
      robot, read_physics(lander_parameters(), params, robot.carried() + 1 + robot.states() + 1), continuous);
}

}  // namespace mercer
