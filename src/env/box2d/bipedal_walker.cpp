#include <algorithm>
#include <cmath>

#include "env/box2d/robot_env.hpp"
#include "env/box2d/tasks.hpp"

namespace mercer {
namespace {

using namespace box2d;

enum : std::size_t { torque = first_own_parameter, speed };

// Metres. The origin is the left end of the ground at the height at which it starts.
constexpr double leg_width = 8 / pixels_per_metre;
constexpr double leg_length = 34 / pixels_per_metre;
constexpr double hip_height = -8 / pixels_per_metre;
constexpr double ground_step = 14 / pixels_per_metre;
constexpr std::size_t ground_points = 200;
constexpr std::size_t flat_points = 20;
constexpr double finish = (ground_points - 10) * ground_step;
constexpr float ground_friction = 2.5f;

constexpr double motor_torque = 80;
constexpr double hip_speed = 4;
constexpr double knee_speed = 6;
constexpr double start_force = 5;  // N, for one step

constexpr std::size_t rays = 10;
constexpr double ray_length = 160 / pixels_per_metre;

float to_float(double value) { return static_cast<float>(value); }

Part make_leg(const std::string& name, double width, std::size_t parent, double height_on_parent, float lower,
              float upper) {
  const float w = to_float(width / 2), h = to_float(leg_length / 2);
  return {.name = name,
          .outline = {{-w, -h}, {w, -h}, {w, h}, {-w, h}},
          .density = 1,
          .parent = parent,
          .anchor_of_parent = {0, to_float(height_on_parent)},
          .anchor = {0, h},
          .lower = lower,
          .upper = upper};
}

Robot make_walker() {
  std::vector<b2Vec2> outline;
  for (const auto& [x, y] : {std::pair{-30, 9}, {6, 9}, {34, 1}, {34, -8}, {-30, -8}}) {
    outline.push_back({to_float(x / pixels_per_metre), to_float(y / pixels_per_metre)});
  }
  const auto upper = [](const std::string& name) { return make_leg(name, leg_width, 0, hip_height, -0.8f, 1.1f); };
  const auto lower = [](const std::string& name, std::size_t parent) {
    return make_leg(name, 0.8 * leg_width, parent, -leg_length / 2, -1.6f, -0.1f);
  };
  return Robot({{.name = "hull", .outline = outline, .density = 5, .friction = 0.1f},
                upper("hip_1"),
                lower("knee_1", 1),
                upper("hip_2"),
                lower("knee_2", 3)});
}

using Ground = std::array<Edge, ground_points - 1>;

// A slope that drifts back to the starting height and is jolted at every point but a few. Terrain 0 is flat.
Ground make_ground(std::uint64_t terrain) {
  Random random({terrain, Stage::task, 0, 0});
  Ground ground;
  double y = 0, slope = 0;
  std::size_t left = flat_points;
  bool skip = false;
  b2Vec2 last{0, 0};
  for (std::size_t i = 0; i < ground_points; ++i) {
    if (!skip && terrain != 0) {
      slope = 0.8 * slope + (y < 0 ? 0.01 : y > 0 ? -0.01 : 0);
      if (i > flat_points) slope += (2 * random.uniform() - 1) / pixels_per_metre;
      y += slope;
    }
    skip = --left == 0;
    if (skip) left = 5 + static_cast<std::size_t>(5 * random.uniform());
    const b2Vec2 point{to_float(static_cast<double>(i) * ground_step), to_float(y)};
    if (i > 0) ground[i - 1] = {last, point, ground_friction};
    last = point;
  }
  return ground;
}

// Those that overlap [from, to].
std::span<const Edge> between(const Ground& ground, double from, double to) {
  const auto index = [](double x) {
    return static_cast<std::size_t>(std::clamp(x / ground_step, 0.0, static_cast<double>(ground_points - 2)));
  };
  return std::span(ground).subspan(index(from), index(to) - index(from) + 1);
}

Task walker_task(const Robot& robot, const DrawnParameters& physics) {
  constexpr Range any{-HUGE_VAL, HUGE_VAL};
  std::vector<Axis> seen{{"angle", any, "rad"},
                         {"angular_velocity", any, "25 rad/s"},
                         {"x_velocity", any, "8.33 m/s"},
                         {"y_velocity", any, "12.5 m/s"}};
  std::vector<Axis> motors;
  for (const std::string leg : {"1", "2"}) {
    seen.insert(seen.end(), {{"hip_" + leg, any, "rad"},
                             {"hip_" + leg + "_rate", any, "4 rad/s"},
                             {"knee_" + leg, any, "rad"},
                             {"knee_" + leg + "_rate", any, "6 rad/s"},
                             {"leg_" + leg + "_touches", {0, 1}}});
    motors.insert(motors.end(), {{"hip_" + leg, {-1, 1}, "80 N m"}, {"knee_" + leg, {-1, 1}, "80 N m"}});
  }
  for (std::size_t k = 0; k < rays; ++k) seen.push_back({"lidar_" + std::to_string(k), {0, 1}, "5.33 m"});
  return {"bipedal-walker",
          robot_states(robot, physics),
          Space::box(std::move(seen)),
          Space::box(std::move(motors)),
          any,
          1600,
          0.99,
          dt,
          Ending::plain};
}

Poses start_poses() {
  constexpr double x = ground_step * flat_points / 2, y = 2 * leg_length, tilt = 0.05;
  constexpr double thigh = y - leg_length / 2 - hip_height, shin = thigh - leg_length;
  return {Pose{x, y}, Pose{x, thigh, -tilt}, Pose{x, shin, -tilt}, Pose{x, thigh, tilt}, Pose{x, shin, tilt}};
}

class BipedalWalker final : public RobotEnv {
 public:
  BipedalWalker(const Robot& walker, const DrawnParameters& physics)
      : RobotEnv(walker_task(walker, physics), walker, physics, start_poses(), rays) {}

  void observe(MatrixView<const double> columns, MatrixView<double> observation) const override {
    const MatrixView<const double> state = states_of(columns);
    const auto copy = [&](std::size_t to, std::span<const double> from, double factor, double shift = 0) {
      for (std::size_t i = 0; i < from.size(); ++i) observation(to, i) = from[i] * factor + shift;
    };
    copy(0, state.row(2), 1);
    copy(1, state.row(5), 2 * dt);
    copy(2, state.row(3), 0.3 * (600 / pixels_per_metre) * dt);
    copy(3, state.row(4), 0.3 * (400 / pixels_per_metre) * dt);
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const std::size_t angle = 6 + 2 * leg, rate = angle + motors, to = 4 + 5 * leg;
      copy(to, state.row(angle), 1);
      copy(to + 1, state.row(rate), 1 / hip_speed);
      copy(to + 2, state.row(angle + 1), 1, 1);
      copy(to + 3, state.row(rate + 1), 1 / knee_speed);
      copy(to + 4, columns.row(robot().touch(2 * leg + 1)), 1);
    }
    for (std::size_t k = 0; k < rays; ++k) copy(14 + k, columns.row(own() + k), 1);
  }

  void step(MatrixView<double> columns, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < columns.cols(); ++i) terminated[i] = step_one(columns, i, action, reward[i]);
  }

  Figure figure(std::span<const double> state) const override {
    constexpr double in_sight = 10;
    const Ground ground = make_ground(terrain_number(state[robot().states()]));
    return draw(state, between(ground, state[0] - in_sight, state[0] + in_sight));
  }

 private:
  static constexpr std::size_t motors = 4;

  void begin(MatrixView<double> columns, std::size_t i, Random& random) const override {
    const Column column(columns, i);
    const Ground ground = make_ground(terrain(column));
    Scene scene = make_scene(columns, i, ground);
    scene.part(0).ApplyForceToCenter({to_float(start_force * (2 * random.uniform() - 1)), 0}, true);
    for (std::size_t h = 0; h < motors; ++h) drive(scene, h, 0, columns, i);
    scene.step();
    scene.write(column, carried());
    scan(ground, column);
  }

  void settle_one(MatrixView<double> columns, std::size_t i) const override {
    const Column column(columns, i);
    const Ground ground = make_ground(terrain(column));
    make_scene(columns, i, ground).write_contacts(column);
    scan(ground, column);
  }

  // An action sets a motor's largest torque; its sign the direction of full speed.
  void drive(Scene& scene, std::size_t h, double action, MatrixView<double> columns, std::size_t i) const {
    const double direction = action > 0 ? 1 : action < 0 ? -1 : 0;
    const double top_speed = (h % 2 == 0 ? hip_speed : knee_speed) * parameter(speed, columns, i);
    const double top_torque = motor_torque * parameter(torque, columns, i);
    scene.hinge(h).SetMotorSpeed(to_float(top_speed * direction));
    scene.hinge(h).SetMaxMotorTorque(to_float(top_torque * std::min(std::abs(action), 1.0)));
  }

  void scan(const Ground& ground, Column column) const {
    const double x = column[carried()], y = column[carried() + 1];
    const std::span<const Edge> ahead = between(ground, x, x + ray_length);
    for (std::size_t k = 0; k < rays; ++k) {
      const double angle = 1.5 * static_cast<double>(k) / rays;
      column[own() + k] = ray(ahead, x, y, std::sin(angle) * ray_length, -std::cos(angle) * ray_length);
    }
  }

  double shaping(Column column) const {
    return 130 * column[carried()] / pixels_per_metre - 5 * std::abs(column[carried() + 2]);
  }

  std::uint8_t step_one(MatrixView<double> columns, std::size_t i, MatrixView<const double> action,
                        double& reward) const {
    const Column column(columns, i);
    const double before = shaping(column);
    reward = 0;
    if (has_nan(action, i) || !sound(column)) return StepEnd::broken;
    const Ground ground = make_ground(terrain(column));
    Scene scene = make_scene(columns, i, ground);
    for (std::size_t h = 0; h < motors; ++h) drive(scene, h, action(h, i), columns, i);
    scene.step();
    if (!scene.write(column, carried())) return StepEnd::broken;
    scan(ground, column);
    const double x = column[carried()];
    const bool fell = scene.first_part_hit() || x < 0;
    reward = shaping(column) - before;
    for (std::size_t h = 0; h < motors; ++h) reward -= 0.00035 * motor_torque * std::min(std::abs(action(h, i)), 1.0);
    if (fell) reward = -100;
    return fell || x > finish ? StepEnd::task : StepEnd::none;
  }
};

}  // namespace

std::unique_ptr<Env> make_bipedal_walker(Params& params) {
  const Robot robot = make_walker();
  return std::make_unique<BipedalWalker>(robot, read_robot_physics(walker_parameters(), params, robot, rays));
}

}  // namespace mercer
