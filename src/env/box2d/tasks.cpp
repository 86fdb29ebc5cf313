#include "env/box2d/tasks.hpp"

namespace mercer {

namespace {

std::vector<Parameter> with_own(const Parameter& first, const Parameter& second) {
  return {{"gravity", "m/s^2", 10, {0, 30}},
          {"mass", "factor on all masses", 1, {0.1, 10}},
          {"friction", "factor on the friction with the ground", 1, {0, 10}},
          first,
          second};
}

}  // namespace

std::vector<Parameter> lander_parameters() {
  return with_own({"main_engine", "factor on the thrust of the main engine", 1, {0, 5}},
                  {"side_engine", "factor on the thrust of the side engines", 1, {0, 5}});
}

std::vector<Parameter> walker_parameters() {
  return with_own({"torque", "factor on the largest torque of the motors", 1, {0, 5}},
                  {"speed", "factor on the speed of the motors", 1, {0, 5}});
}

std::vector<EnvEntry> box2d_entries() {
  return {{"lunar-lander", "land on a pad with three engines, on or off (Gymnasium LunarLander-v3)", "",
           [](Params& params) { return make_lunar_lander(params, false); }, lander_parameters()},
          {"lunar-lander-continuous", "the same with throttles (Gymnasium LunarLanderContinuous-v3)", "",
           [](Params& params) { return make_lunar_lander(params, true); }, lander_parameters()},
          {"bipedal-walker", "walk over uneven ground on two legs (Gymnasium BipedalWalker-v3)", "",
           make_bipedal_walker, walker_parameters()}};
}

}  // namespace mercer
