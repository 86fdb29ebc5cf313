#pragma once

#include <cstddef>
#include <span>

#include <nlohmann/json.hpp>

#include "mercer/env.hpp"

namespace answers {

/// Sticks that the task draws in a state; 0 where it draws none.
std::size_t sticks_of(const mercer::Env& env, std::span<const double> state);

/// The figures of some states, one after the other, packed:
///
///   views        "side", "above"
///   coordinates  "xz" seen from the side alone, "xy" from above alone, else "xyz"
///   unit         metres; lengths in `first`, `changes` and `ends` are integers of it, about a thousandth of the robot
///   radii        of the robot's sticks, in metres
///   first        both ends of each in the first state
///   changes      for each later state: both ends of each, as differences from the state before
///   fixed        ground, walls and goals, each once: `ends`, `radii`, and `frames`, the first and the last state that
///                shows it
///
/// Null where there is no robot. Throws `bad_value` for a robot with another number of sticks in another state.
nlohmann::ordered_json figures_json(const mercer::Env& env, std::span<const double> states);

}  // namespace answers
