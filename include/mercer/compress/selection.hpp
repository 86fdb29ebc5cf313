#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/certify/certify.hpp"

namespace mercer {

/// What is promised about the embedding that is chosen, and on how many episodes that rests.
struct SelectionOptions {
  std::optional<double> max_loss = 0.01;  ///< allowed loss as a fraction of the teacher's |return|
  std::optional<double> max_loss_return;  ///< allowed loss in units of return
  std::optional<std::size_t> max_bytes;   ///< largest payload; smaller is preferred anyway
  double confidence = 0.95;               ///< of the certificate, in (0, 1)
  std::size_t select_episodes = 4000;     ///< on which candidates are compared, 2 or more
  std::size_t certify_episodes = 100000;  ///< on which the winner is certified: no choice sees them, 2 or more
  std::size_t attempts = 5;               ///< candidates that may fail their certificate before giving up, 1 or more
  Act act = Act::mean;                    ///< what is compared: mean actions, or drawn ones
  std::uint64_t seed = 0;
};

/// A policy that could be chosen, and what it lost on the selection episodes.
struct Contender {
  const Policy* policy = nullptr;
  std::size_t bytes = 0;
  double loss = 0;    ///< mean, in units of return
  double spread = 0;  ///< standard deviation of the paired difference
};

/// Compares candidates with a teacher on one set of episodes and certifies the winner on another.
///
/// Whoever looks best among many on some episodes is partly just lucky on them. So what is promised is measured again,
/// on episodes that had no part in any choice; and candidate j of those that are certified in turn spends
/// (1 - confidence) / (j (j + 1)), so that the promise holds although several may be tried.
class Selection {
 public:
  /// Plays the teacher on the selection episodes. Env and teacher must outlive this. Throws `missing_option` without
  /// any budget, `out_of_range`, and what `rollout` throws.
  Selection(const Env& env, const Policy& teacher, const SelectionOptions& options, const Progress& progress = {});

  double teacher_return() const { return teacher_mean_; }
  double budget() const { return budget_; }  ///< allowed loss in units of return, by the selection episodes
  /// Plays a candidate on the selection episodes.
  Contender measure(const Policy& policy, std::size_t bytes, const Progress& progress = {}) const;
  bool fits(std::size_t bytes) const { return !options_.max_bytes || bytes <= *options_.max_bytes; }
  /// What the certificate should say: the loss, how well it is known, and the width that betting leaves.
  double expected_upper(const Contender& one) const;
  /// Small enough, and its certificate should keep the budget.
  bool promising(const Contender& one) const { return fits(one.bytes) && expected_upper(one) <= budget_; }

  struct Verdict {
    std::size_t chosen = 0;   ///< of those given
    Certificate certificate;  ///< `met` tells whether the budget is kept
  };
  /// Certifies the promising ones from the smallest upwards until one keeps the budget; then, while attempts are left,
  /// whoever came nearest. If none does, the one with the least upper bound, of equals the smaller. The teacher is
  /// played once.
  Verdict certify(std::span<const Contender> contenders, const Progress& progress = {}) const;

 private:
  RolloutOptions playing(std::uint64_t purpose, std::size_t episodes) const;
  std::vector<std::size_t> in_turn(std::span<const Contender> contenders) const;

  const Env& env_;
  const Policy& teacher_;
  SelectionOptions options_;
  std::vector<double> teacher_returns_;
  double teacher_mean_ = 0;
  double budget_ = 0;
};

}  // namespace mercer
