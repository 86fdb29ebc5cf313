#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mercer/core/matrix_view.hpp"
#include "mercer/core/random.hpp"
#include "mercer/env/space.hpp"

namespace mercer {

/// What is fixed about a task: the contract that policies, embeddings and exported code are held to.
struct Task {
  std::string name;
  Space state;
  Space observation;
  Space action;
  Range reward;                  ///< of one step, for actions inside the action space
  std::uint32_t time_limit = 1;  ///< steps after which an episode is cut off; not a termination
  double gamma = 0.99;           ///< discount used when none is asked for, in [0, 1]
  double dt = 0;                 ///< seconds a step; 0 where time has no unit
};

/// A task that can be played, for many episodes at once.
///
/// An Env holds no episode: states are columns of a matrix that the caller owns (one row per state dimension, one
/// column per episode), so one const Env serves any number of threads. All randomness comes from the keys it is handed.
/// Nothing allocates.
class Env {
 public:
  virtual ~Env() = default;
  const Task& task() const { return task_; }

  /// Draws a start state for each column.
  virtual void reset(const Draws& draws, MatrixView<double> state) const = 0;

  /// What a policy sees of each state. By default all of it.
  virtual void observe(MatrixView<const double> state, MatrixView<double> observation) const;

  /// Moves each column one step on. `terminated[i]` becomes 1 when the task itself ends there; the time limit is the
  /// caller's business. Actions are taken as they come, even outside a box, as Gymnasium's tasks
  /// take them; a discrete action must be one of the action space.
  virtual void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws,
                    std::span<double> reward, std::span<std::uint8_t> terminated) const = 0;

  /// Bounds on the undiscounted return of an episode cut off after `horizon` steps, for start states and actions
  /// inside their spaces. Certificates rest on it. By default what the reward bounds alone imply, early termination
  /// included.
  virtual Range return_range(std::uint32_t horizon) const;

 protected:
  explicit Env(Task task);

 private:
  Task task_;
};

}  // namespace mercer
