#pragma once

#include <array>

#include "distil/critic_units.hpp"
#include "distil/labelled.hpp"
#include "learn/learner.hpp"
#include "learn/sac.hpp"

namespace mercer::distil {

struct TuneOptions {
  std::size_t batch = 512;
  double critic_rate = 3e-4, actor_rate = 3e-4;
  double tau = 0.005, gamma = 0.99;
  double smoothing = 0.1;    ///< standard deviation of noise on the target's actions, cut at twice that
  double exploration = 0.1;  ///< of the noise that the student is played with, in half ranges
  std::size_t every = 2;     ///< updates of critics for one of the actor
  std::size_t buffer = 600'000;
  std::size_t steps = 8'000;         ///< played a turn, in whole episodes
  std::size_t updates = 1'250;       ///< of critics a turn
  std::size_t first_steps = 64'000;  ///< of teacher and student before the first update
  std::uint64_t seed = 0;
};

/// What the student's loss has besides the critics' value.
struct TunePull {
  double imitation = 0;   ///< weight of the squared distance to the teacher's action
  double smoothness = 0;  ///< weight of the squared change of the action from a state to the next
};

/// Deterministic actor-critic on a student's numbers: twin critics with slow targets, which start from those of the
/// teacher where there are any, and replayed steps of student and teacher. Ridges that are rounded already stay, and
/// the rest learns to make up for them. Gradients straight through rounding let numbers flip between neighbours: a
/// half-cheetah's student of 5 bits went from 6.4% lost to 14% in one attempt and to 3.2% in another; rounded in parts,
/// the second one reached 2.4%.
///
/// The student's loss is -mean min(Q1, Q2) / mean |min(Q1, Q2)| and what pulls it. Everything random is keyed by
/// counters, so that what `exchange` writes is all there is to remember. The same on any number of threads.
class Tuner {
 public:
  enum class Of { student, teacher };

  /// Plays `first_steps` of teacher and student, each with noise of several sizes. Player and teacher must outlive
  /// this; actions must be a bounded box.
  Tuner(const Player& player, const Policy& teacher, Student start, const CriticNetworks* critics,
        const TuneOptions& options, const Progress& progress = {});

  /// One turn of critics alone, on the steps there are: of the student's values, or of the teacher's.
  void learn_critics(Of whose, const Progress& progress = {});
  /// The share of the variance of G that Q leaves unexplained, that of Q - G over that of G, on fresh episodes of the
  /// teacher: G is the discounted sum of up to 300 rewards, at most half an episode's, and the value after them. What
  /// all values have in common does not count: no gradient sees it, and a teacher's own critics have it, too. Those of
  /// a half-cheetah by SAC are 24% below G, for their entropy, and leave 8% unexplained.
  double critic_error(const Progress& progress = {});
  CriticNetworks critics() const { return {network_, {critics_[0].weights, critics_[1].weights}, units_.observations}; }
  /// Plays and updates; `share` times the actor's rate.
  void turn(double share, const TunePull& pull, const Progress& progress = {});

  /// False once a number stopped being finite: nothing more can be learned.
  bool healthy() const { return healthy_; }
  const Student& student() const { return student_; }
  const Rounding& rounding() const { return rounding_; }
  /// The leading ridges that stay as they are.
  Index held() const { return held_; }
  /// Goes on with another student, perhaps of another shape. Its first `held` ridges are on the grid of `rounding`, and
  /// only the other numbers move. Critics and steps stay.
  void restart(Student student, Rounding rounding = {}, Index held = 0);

  std::uint64_t updates() const { return count_; }
  /// Of the smaller critic on the student's actions, over the last minibatch.
  double mean_value() const { return mean_value_; }

  void exchange(learn::Archive& archive);

 private:
  void play(const Policy& policy, std::size_t steps, const Progress& progress);
  void remember(const Rollouts& rollouts);
  void draw();
  void choose_next(Of whose, Columns columns);
  void update_critics(Of whose);
  Vector<float> values_of(const Rollouts& rollouts) const;
  void update_actor(double share, const TunePull& pull);
  void make_room();

  const Player& player_;
  const Policy& teacher_;
  TuneOptions options_;
  Student student_;
  Rounding rounding_{};
  Index held_ = 0;
  Index batch_;
  learn::Network network_;
  std::array<learn::Critic<float>, 2> critics_;
  CriticUnits units_;
  learn::Replay replay_;
  learn::Moments<float> moments_;
  Vector<float> target_;
  std::array<Vector<float>, 2> gradients_;
  // What critics see: steps as they were played, after them, and as the student would act.
  Matrix<float> data_, next_, now_;
  // What the student sees, and what the teacher would do.
  Matrix<float> seen_, seen_next_, label_, next_label_;
  Vector<float> reward_, goals_, continues_;
  RidgePass pass_, next_pass_;
  std::vector<std::size_t> chosen_;
  std::uint64_t count_ = 0, actor_count_ = 0, played_ = 0;
  double steps_an_episode_ = 0;
  double mean_value_ = 0;
  bool healthy_ = true;
};

}  // namespace mercer::distil
