#pragma once

#include <memory>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

/// The tasks that Box2D simulates. They are listed in every build; without Box2D making one throws.
std::vector<EnvEntry> box2d_entries();

/// Gymnasium's LunarLander-v3. An episode ends plainly: with a landing as with a crash.
std::unique_ptr<Env> make_lunar_lander(Params& params, bool continuous);
/// Gymnasium's BipedalWalker-v3. An episode ends plainly: with a fall as at the far end of the ground.
std::unique_ptr<Env> make_bipedal_walker(Params& params);

/// Gravity, mass and friction come first.
std::vector<Parameter> lander_parameters();
std::vector<Parameter> walker_parameters();

}  // namespace mercer
