#include <algorithm>
#include <cmath>

#include "env/box2d/robot_env.hpp"
#include "env/box2d/tasks.hpp"

namespace mercer {
namespace {

using namespace box2d;

enum : std::size_t { main_engine = first_own_parameter, side_engine };

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
constexpr double side_engine_shift = 17 / pixels_per_metre;
constexpr float leg_torque = 40;
constexpr float leg_speed = 0.3f;
constexpr double start_force = 1000;  // N, for one step
constexpr float ground_friction = 0.1f;

constexpr double right = -1, left = 1;  // signs that Gymnasium gives the legs; the right one comes first

Part make_leg(const std::string& name, double sign) {
  constexpr float w = 2 / 30.0f, h = 8 / 30.0f;
  return {.name = name,
          .outline = {{-w, -h}, {w, -h}, {w, h}, {-w, h}},
          .density = 1,
          .anchor = {static_cast<float>(sign * leg_away), static_cast<float>(leg_down)},
          .lower = sign == right ? 0.4f : -0.9f,
          .upper = sign == right ? 0.9f : -0.4f};
}

Robot make_lander() {
  std::vector<b2Vec2> outline;
  for (const auto& [x, y] : {std::pair{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}) {
    outline.push_back({static_cast<float>(x / pixels_per_metre), static_cast<float>(y / pixels_per_metre)});
  }
  return Robot({{.name = "hull", .outline = outline, .density = 5, .friction = 0.1f},
                make_leg("right_leg", right),
                make_leg("left_leg", left)});
}

using Ground = std::array<Edge, 11>;

// The bottom and ten edges whose heights are running means of random ones. Terrain 0 is flat.
Ground make_ground(std::uint64_t terrain) {
  constexpr std::size_t points = 11, middle = points / 2;
  std::array<double, points + 1> rough;
  Random random({terrain, Stage::task, 0, 0});
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
  const Space seen = Space::box({{"x", any, "10 m"},
                                 {"y", any, "6.67 m"},
                                 {"x_velocity", any, "5 m/s"},
                                 {"y_velocity", any, "7.5 m/s"},
                                 {"angle", any, "rad"},
                                 {"angular_velocity", any, "2.5 rad/s"},
                                 {"right_leg_touches", {0, 1}},
                                 {"left_leg_touches", {0, 1}}});
  const Space action =
      continuous ? Space::box({{"main_engine", {-1, 1}}, {"side_engine", {-1, 1}}}) : Space::discrete("engine", 4);
  return {continuous ? "lunar-lander-continuous" : "lunar-lander",
          robot_states(robot, physics),
          seen,
          action,
          any,
          1000,
          0.99,
          dt,
          Ending::plain};
}

// The legs start beside the hull instead of on their hinges; the first steps pull them there.
Poses start_poses() {
  constexpr double top = height - pad_height, tilt = 0.05;
  return {Pose{0, top}, Pose{-right * leg_away, top, right * tilt}, Pose{-left * leg_away, top, left * tilt}};
}

constexpr std::size_t own_rows = 1;   // steps for which the lander has been at rest
constexpr double steps_to_land = 25;  // half a second, after which Box2D puts bodies to sleep

class LunarLander final : public RobotEnv {
 public:
  LunarLander(const Robot& lander, const DrawnParameters& physics, bool continuous)
      : RobotEnv(lander_task(lander, physics, continuous), lander, physics, start_poses(), own_rows) {}

  void observe(MatrixView<const double> columns, MatrixView<double> observation) const override {
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      const Seen all = seen([&](std::size_t row) { return columns(row, i); });
      for (std::size_t d = 0; d < all.size(); ++d) observation(d, i) = all[d];
    }
  }

  void step(MatrixView<double> columns, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < columns.cols(); ++i) {
      reward[i] = 0;
      terminated[i] = StepEnd::broken;
      if (has_nan(action, i)) continue;
      const Throttle of = task().action.is_discrete() ? throttle(action(0, i)) : throttle(action(0, i), action(1, i));
      terminated[i] = step_one(columns, i, of, draws.random(i), reward[i]);
    }
  }

  Figure figure(std::span<const double> state) const override {
    return draw(state, make_ground(terrain_number(state[robot().states()])));
  }

 private:
  void begin(MatrixView<double> columns, std::size_t i, Random& random) const override {
    const double fx = start_force * (2 * random.uniform() - 1), fy = start_force * (2 * random.uniform() - 1);
    const Column column(columns, i);
    Scene scene = make_scene(columns, i, make_ground(terrain(column)));
    scene.part(0).ApplyForceToCenter({static_cast<float>(fx), static_cast<float>(fy)}, true);
    move(scene, column);
  }

  void settle_one(MatrixView<double> columns, std::size_t i) const override {
    const Column column(columns, i);
    make_scene(columns, i, make_ground(terrain(column))).write_contacts(column);
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
            row(robot().touch(0)),
            row(robot().touch(1))};
  }

  // The legs' motors press outwards, as springs.
  bool move(Scene& scene, Column column) const {
    for (const auto& [h, sign] : {std::pair{0, right}, {1, left}}) {
      scene.hinge(h).SetMaxMotorTorque(leg_torque);
      scene.hinge(h).SetMotorSpeed(static_cast<float>(leg_speed * sign));
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
      // The two heights differ in Gymnasium: the engines shift as the hull turns.
      push(x, y, side_power * side_force * std::abs(throttle.side), x - sine * side_engine_shift,
           y + cosine * side_engine_height);
    }
  }

  std::uint8_t step_one(MatrixView<double> columns, std::size_t i, const Throttle& throttle, Random random,
                        double& reward) const {
    const Column column(columns, i);
    const auto row = [&](std::size_t r) { return column[r]; };
    const double before = shaping(seen(row));
    if (!sound(column)) return StepEnd::broken;
    Scene scene = make_scene(columns, i, make_ground(terrain(column)));
    fire(scene.part(0), throttle, parameter(main_engine, columns, i), parameter(side_engine, columns, i), random);
    if (!move(scene, column)) return StepEnd::broken;
    double& rest = column[own()];
    rest = scene.at_rest() ? rest + 1 : 0;
    const Seen now = seen(row);
    reward = shaping(now) - before - 0.30 * throttle.main - 0.03 * std::abs(throttle.side);
    const bool lost = scene.first_part_hit() || std::abs(now[0]) >= 1;
    const bool landed = rest >= steps_to_land;
    if (lost) reward = -100;
    if (landed) reward = 100;
    return lost || landed ? StepEnd::task : StepEnd::none;
  }
};

}  // namespace

std::unique_ptr<Env> make_lunar_lander(Params& params, bool continuous) {
  const Robot robot = make_lander();
  return std::make_unique<LunarLander>(robot, read_robot_physics(lander_parameters(), params, robot, own_rows),
                                       continuous);
}

}  // namespace mercer
