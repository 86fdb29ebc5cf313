#include "env/quadrotor/task.hpp"

namespace mercer {

Figure craft_figure(std::span<const double> state, const std::array<double, 3>& target) {
  constexpr double reach = 3 * nominal_craft[CraftValue::arm] * sqrt_half;  // enlarged, to be seen in a room of metres
  constexpr double blade = reach / 2;
  const std::array<double, 9> R = rotation(state[6], state[7], state[8], state[9]);
  const auto at = [&](double forward, double left) {
    return std::array{state[0] + forward * R[0] + left * R[1], state[1] + forward * R[3] + left * R[4],
                      state[2] + forward * R[6] + left * R[7]};
  };
  Figure out{{}, {Viewpoint::side, Viewpoint::above}};
  for (const double side : {-reach, reach}) out.sticks.push_back({at(reach, side), at(-reach, -side), 0.01});
  for (const double forward : {-reach, reach}) {
    for (const double left : {-reach, reach}) {  // two blades, so that a rotor is seen from any side
      out.sticks.push_back({at(forward - blade, left), at(forward + blade, left), 0.005});
      out.sticks.push_back({at(forward, left - blade), at(forward, left + blade), 0.005});
    }
  }
  for (std::size_t d = 0; d < 3; ++d) {
    Stick cross{target, target, 0.005, true};
    cross.from[d] -= 0.05;
    cross.to[d] += 0.05;
    out.sticks.push_back(cross);
  }
  return out;
}

}  // namespace mercer
