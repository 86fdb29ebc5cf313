#include "export/kit/plants.hpp"

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

// The equations and constants of src/env/classic, which are Gymnasium's. tests/export/kit.cpp compares them step by
// step.
constexpr const char* pendulum = R"(/* state: angle from upright (rad, not wrapped), speed (rad/s) */
static void task_observe(const double state[2], double obs[3])
{
  obs[0] = cos(state[0]);
  obs[1] = sin(state[0]);
  obs[2] = state[1];
}

static double task_step(double state[2], const double act[1], int *ended)
{
  const double pi = 3.14159265358979323846;
  const double u = act[0] < -2.0 ? -2.0 : act[0] > 2.0 ? 2.0 : act[0];
  const double angle = state[0] - 2.0 * pi * floor((state[0] + pi) / (2.0 * pi));
  const double reward = -(angle * angle + 0.1 * state[1] * state[1] + 0.001 * u * u);
  double speed = state[1] + (15.0 * sin(state[0]) + 3.0 * u) * 0.05;
  speed = speed < -8.0 ? -8.0 : speed > 8.0 ? 8.0 : speed;
  state[0] += 0.05 * speed;
  state[1] = speed;
  *ended = 0;
  return reward;
}
)";

constexpr const char* cart_pole = R"(/* state: position (m), velocity, angle (rad), angular velocity */
static void task_observe(const double state[4], double obs[4])
{
  int i;
  for (i = 0; i < 4; i++) obs[i] = state[i];
}

static double task_step(double state[4], const double act[1], int *ended)
{
  const double sine = sin(state[2]), cosine = cos(state[2]);
  const double pull = ((act[0] > 0.5 ? 10.0 : -10.0) + 0.05 * state[3] * state[3] * sine) / 1.1;
  const double angular = (9.8 * sine - cosine * pull) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
  const double linear = pull - 0.05 * angular * cosine / 1.1;
  state[0] += 0.02 * state[1];
  state[1] += 0.02 * linear;
  state[2] += 0.02 * state[3];
  state[3] += 0.02 * angular;
  *ended = fabs(state[0]) > 2.4 || fabs(state[2]) > 0.20943951023931953;
  return 1.0;
}
)";

constexpr const char* car = R"(/* state: position, speed */
static void task_observe(const double state[2], double obs[2])
{
  obs[0] = state[0];
  obs[1] = state[1];
}

static void move(double state[2], double push)
{
  double v = state[1] + push, x;
  v = v < -0.07 ? -0.07 : v > 0.07 ? 0.07 : v;
  x = state[0] + v;
  x = x < -1.2 ? -1.2 : x > 0.6 ? 0.6 : x;
  state[0] = x;
  state[1] = x <= -1.2 && v < 0.0 ? 0.0 : v;
}

)";

constexpr const char* continuous_step = R"(static double task_step(double state[2], const double act[1], int *ended)
{
  const double push = act[0] < -1.0 ? -1.0 : act[0] > 1.0 ? 1.0 : act[0];
  move(state, 0.0015 * push - 0.0025 * cos(3.0 * state[0]));
  *ended = state[0] >= 0.45 && state[1] >= 0.0;
  state[0] = (double)(float)state[0];
  state[1] = (double)(float)state[1];
  return (*ended ? 100.0 : 0.0) - 0.1 * act[0] * act[0];
}
)";

constexpr const char* discrete_step = R"(static double task_step(double state[2], const double act[1], int *ended)
{
  move(state, 0.001 * (act[0] - 1.0) - 0.0025 * cos(3.0 * state[0]));
  *ended = state[0] >= 0.5 && state[1] >= 0.0;
  return -1.0;
}
)";

}  // namespace

const Plant* plant_of(const std::string& task) {
  static const std::vector<Plant> all{{"pendulum", 2, pendulum},
                                      {"cart-pole", 4, cart_pole},
                                      {"continuous-mountain-car", 2, std::string(car) + continuous_step},
                                      {"mountain-car", 2, std::string(car) + discrete_step}};
  const auto found = std::ranges::find(all, task, &Plant::task);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace mercer
