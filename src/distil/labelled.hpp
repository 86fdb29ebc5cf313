#pragma once

#include <functional>
#include <vector>

#include "distil/action_costs.hpp"
#include "distil/student.hpp"
#include "learn/run_folder.hpp"
#include "mercer/embed.hpp"
#include "mercer/rollout.hpp"

namespace mercer::distil {

/// States that were visited, and what the teacher does there.
class Labelled {
 public:
  /// Beyond `most` states new ones replace others, drawn at random.
  Labelled(const Policy& teacher, const Task& task, std::size_t most, std::uint64_t seed);

  /// Another such limit, not below the one before.
  void keep(std::size_t most) { most_ = most; }
  /// Asks the teacher in every state of the rollouts.
  void add(const Rollouts& rollouts);
  /// Forgets all states; how labels are weighed stays.
  void clear();
  /// Gives each label a weight, now and when states are added: what its error costs (`action_costs`) relative to the
  /// mean over the states there are. Costs that are not finite weigh one. Actions must be a bounded box.
  void weigh(CriticNetworks critics);

  std::size_t size() const { return states_.size() / observations_; }
  /// As doubles in columns.
  StateMatrix states() const;

  /// Columns `chosen`: inputs of a student, and what it should do, scaled to [-1, 1] on a box, else 1 for the action
  /// that is chosen and 0 for the others.
  void gather(std::span<const std::size_t> chosen, const InputScale& scale, Matrix<float>& input,
              Matrix<float>& label) const;

  /// Of the same columns: 0.1 to 10, or 1 where nothing was weighed.
  void gather_weights(std::span<const std::size_t> chosen, Matrix<float>& weight) const;

  void exchange(learn::Archive& archive);

 private:
  Matrix<float> costs_at(std::span<const std::size_t> places) const;
  void set_weights(std::span<const std::size_t> places, const Matrix<float>& costs);

  const Policy& teacher_;
  const Space& action_;
  std::size_t most_, observations_, labels_;
  std::uint64_t seed_;
  std::uint64_t seen_ = 0;
  std::vector<float> states_, wanted_, weights_;  // one row for each state
  std::optional<CriticNetworks> critics_;
  double usual_cost_ = 0;
};

/// Plays episodes until they have had about `steps` steps, and hands them over as they are played; `number` tells calls
/// of one seed apart. `steps_an_episode` is what to expect, and becomes what was seen.
void play_steps(const Player& player, const Policy& policy, std::size_t steps, Act act, std::uint64_t seed,
                std::uint64_t number, double& steps_an_episode, const std::function<void(const Rollouts&)>& take,
                const Progress& progress);

/// The teacher's mean actions, one column for each state, on all threads.
std::vector<double> mean_actions(const Policy& teacher, MatrixView<const double> states);

/// States in columns, from rollouts that have them in rows.
StateMatrix columns_of(std::span<const double> rows, std::size_t dimensions);

}  // namespace mercer::distil
