#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "compress/evolve_student.hpp"
#include "distil/imitate.hpp"
#include "distil/round_to_data.hpp"
#include "distil/tuner.hpp"
#include "mercer/compress.hpp"

namespace mercer {

/// What became of an embedding that was tried.
struct Tried {
  bool fits = false;       ///< it has no more bytes than are allowed; otherwise it was not played
  bool promising = false;  ///< small enough, and its certificate should keep all budgets
  double lost_share = 0;   ///< of the teacher's |return|
};
using TryEmbedding = std::function<Tried(ContinuousEmbedding)>;

/// Searches among students with ridges that all actions share, for tasks of more than a few observations.
///
/// First a linear student and students of growing size imitate the teacher, until one is near enough to be tuned. If
/// one passes at once, smaller ones are tried. It is tuned by actor-critic, at first unrounded. Once it is near, ever
/// more of its ridges are rounded and the rest is tuned on; checkpoints play fresh episodes and the best ones are
/// raced. A student that should pass gives away a quarter of its ridges and is tuned again, one that should not is
/// tuned longer, then grows. Critics and replayed steps are kept all the while. Students of discrete actions, and small
/// ones, are polished by evolution instead.
///
/// The search is cut into steps that depend on nothing but what `exchange` writes: a search that was stopped anywhere
/// goes on as if it had not been.
class RidgeSearch {
 public:
  /// All that is referred to must outlive this.
  RidgeSearch(const Player& player, const Policy& teacher, const CompressOptions& options, TryEmbedding attempt,
              EnoughTime enough, const Progress& progress);

  /// One step; false when the search is done.
  bool advance();
  void exchange(learn::Archive& archive);
  /// Turns of tuning that are still to come, as far as one can see; none while nothing is tuned.
  std::optional<double> turns_left() const;

 private:
  static constexpr std::size_t check_episodes = 16;
  /// A student that costs so many budgets is near enough to try coarser grids.
  static constexpr double near_budgets = 2;
  enum class Stage : std::uint64_t { linear, sizes, critics, free, rounded, judge, done };
  /// A student that was seen to do well, and its cost.
  struct Checked {
    distil::Vector<float> numbers;
    double cost = 0;
  };

  void try_linear();
  void try_size();
  void end_sizes();
  void begin_tuning();
  void make_tuner(bool play);
  void give_up_critics();
  /// Whether the size that is to be tuned should pass once it has imitated for longer.
  bool imitates_longer(std::string_view how);
  bool falls() const;
  /// With the teacher's critics, where students do not fall: without a term of imitation.
  bool tunes_boldly() const;
  /// The weight of the imitation error in tuning.
  double pull() const;
  void tune(bool rounding);
  void judge();
  void round_some(distil::Student best);
  std::uint64_t rounded_turns() const;
  std::string held_words() const;
  std::vector<distil::Index> by_weight(const distil::Student& student) const;
  void shrink();
  void grow();

  void gather_states(const distil::Student* student);
  distil::RidgeShape shape_of(std::size_t ridges, bool linear) const;
  /// `longer`: so many times the usual rounds.
  distil::Student imitated(std::size_t ridges, bool linear, std::uint64_t attempt = 0, std::size_t longer = 1);
  distil::Student best_imitated(std::size_t ridges, std::size_t longer = 1);
  double cost_of(std::span<const Outcome> outcomes, const Policy& policy, const distil::Student& student) const;
  void check(const distil::Student& student);
  std::pair<distil::Student, double> best_checked();
  void begin_turns(Stage stage, std::uint64_t turns);
  Tried try_rounded(const distil::RoundedStudent& one);
  Tried try_student(const distil::Student& student, const distil::RidgeGrid& grid);
  std::pair<Tried, bool> try_grids(const distil::Student& student);
  bool near(const Tried& one) const;
  bool evolve_in(unsigned bits, const distil::Student& student);
  bool evolve(const distil::Student& student);
  bool fits(std::size_t ridges, const distil::RidgeGrid& grid) const;
  distil::RidgeGrid parts_grid(std::size_t ridges) const;
  std::vector<std::size_t> sizes() const;
  std::uint64_t fresh_seed();
  void note(const std::string& sentence) const;

  const Player& player_;
  const Policy& teacher_;
  const CompressOptions& options_;
  TryEmbedding attempt_;
  EnoughTime enough_;
  const Progress& progress_;
  bool discrete_;
  std::uint64_t seeds_ = 0;
  const Rollouts visited_;  // by the teacher
  const Squash squash_;     // of its students
  distil::Labelled data_;
  distil::InputScale scale_;

  Stage stage_ = Stage::linear;
  std::uint64_t turn_ = 0, turns_ = 0;  // of a stage of tuning, and how many it has
  std::uint64_t settled_ = 0;           // whether a checkpoint of it earned what the teacher does
  std::uint64_t size_ = 0;              // place in `sizes`
  std::uint64_t too_small_ = 0;         // ridges of the largest student that did not pass after imitation
  std::uint64_t imitates_ = 0;          // ridges of the smallest one that did; 0: none
  std::uint64_t failed_ = 0;            // attempts at this size that did not pass
  std::uint64_t passed_ = 0;            // ridges of the smallest student that should pass, before this size; 0: none
  std::uint64_t passed_here_ = 0;       // whether one of this size should
  std::uint64_t with_linear_ = 0;       // whether ridges come beside a linear part: where that alone is near
  std::uint64_t trusted_;               // whether the teacher's critics are used
  std::uint64_t learned_ = 0;           // whether those that were learned instead are trusted to weigh errors
  double smoothness_ = 0;
  double least_lost_ = HUGE_VAL;   // of the sizes that were tried
  double least_tuned_ = HUGE_VAL;  // of this size, tuned
  std::string said_;               // of the last checkpoint, for progress
  distil::Student student_;        // of `size_`, before it is tuned
  std::vector<Checked> checked_;
  std::optional<distil::Tuner> tuner_;
};

}  // namespace mercer
