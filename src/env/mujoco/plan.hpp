#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "env/mujoco/signal.hpp"

namespace mercer {

/// A column of a task: time, activations, the solver's warm start, numbers that MuJoCo computed in its last step; then
/// the state, qpos and qvel; then what is drawn for an episode.
struct ColumnRows {
  std::size_t activation = 1, warm_start, captured, qpos, qvel, drawn;
};

/// A description that has met its model: names are rows.
struct Plan {
  struct Term {
    Signal signal;
    double weight = 1;
    bool rate = false, before = false;
  };
  struct End {
    Signal signal;
    EndRule rule;
  };
  struct Disc {
    std::array<std::size_t, 2> position, velocity;  ///< of qpos and qvel
    double radius = 0;
  };

  Task task;  ///< without drawn parameters
  std::size_t frame_skip = 1;
  ColumnRows rows{};
  std::vector<Reading> captured;
  bool contact_forces = false;  ///< captured: they need mj_rnePostConstraint
  std::vector<Signal> observed;
  std::vector<Term> reward;
  std::vector<End> ends;
  std::vector<double> pose;  ///< qpos of a start without noise
  StartNoise position_noise, velocity_noise;
  std::vector<Disc> discs;
  std::vector<Viewpoint> views;
};

/// Throws `unknown_name` and `bad_format` with file, line and the nearest name. `name` is the task's.
Plan make_plan(const mjModel& model, const Robot& robot, const std::string& name);

}  // namespace mercer
