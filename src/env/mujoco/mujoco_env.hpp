#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "env/drawn.hpp"
#include "env/mujoco/physics.hpp"
#include "env/mujoco/plan.hpp"

namespace mercer {

/// What a thread needs to step episodes: the simulator's data, a column before and after a step with the action behind
/// it, and the values of drawn parameters.
struct Workspace {
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data;
  std::vector<double> before, after, factors;
};

/// Workspaces of one model. Each thread borrows one while it steps, so there are as many as threads ever stepped at
/// once.
class WorkspacePool {
 public:
  WorkspacePool(ModelPointer model, std::size_t rows, std::vector<double> factors);

  /// Returned to the pool by its destructor.
  using Lease = std::unique_ptr<Workspace, std::function<void(Workspace*)>>;
  Lease take() const;

 private:
  ModelPointer model_;
  std::size_t rows_;
  std::vector<double> factors_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> free_;
};

/// A task that MuJoCo simulates.
///
/// Between steps MuJoCo's whole memory of an episode is a column: time, activations and the solver's warm start are
/// carried rows, qpos and qvel the state. A step loads a column into some mjData, runs, and stores it again, to the
/// same bits as an mjData of the episode's own. What observations and rewards read besides qpos and qvel (positions of
/// bodies, sensors, contact forces) is stored as MuJoCo left it: computed before the last integration of the step.
class MujocoEnv final : public Env {
 public:
  MujocoEnv(ModelPointer model, Plan plan, std::vector<Factor> factors, DrawnParameters drawn);

  void reset(const Draws& draws, MatrixView<double> columns) const override;
  /// Normalises quaternions of the state, too.
  void settle(MatrixView<double> columns) const override;
  void observe(MatrixView<const double> columns, MatrixView<double> observation) const override;
  void step(MatrixView<double> columns, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override;
  Figure figure(std::span<const double> state) const override;

 private:
  const mjModel& model_of(MatrixView<const double> columns, std::size_t i, Workspace& work, ModelPointer& held) const;
  void store(const mjModel& model, const mjData& data, double* column) const;
  double reward_of(const Workspace& work) const;
  bool ends(const Workspace& work) const;

  Plan plan_;
  ModelPointer base_;  // without perturbations
  DrawnParameters drawn_;
  std::vector<std::size_t> drawn_factors_;  // which factor each drawn row is
  ModelVariants variants_;
  ModelPointer fixed_;  // the model of all episodes, where nothing is drawn
  WorkspacePool pool_;
};

/// The sticks of a model in the positions of `data`.
std::vector<Stick> sticks_of(const mjModel& model, const mjData& data, const Plan& plan);

}  // namespace mercer
