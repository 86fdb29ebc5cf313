#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/certify.hpp"
#include "mercer/critics.hpp"
#include "mercer/embed.hpp"
#include "mercer/embedding.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// What is promised about the embedding that is chosen, and on how many episodes that rests.
struct SelectionOptions {
  std::optional<double> max_loss = 0.01;    ///< allowed loss as a fraction of the teacher's |return|
  std::optional<double> max_loss_return;    ///< allowed loss in units of return
  std::optional<std::size_t> max_bytes;     ///< largest payload; smaller is preferred anyway
  Keeps keeps = keeps_of(Keep::behaviour);  ///< what else must be kept
  double confidence = 0.95;                 ///< of the certificate, in (0, 1)
  std::size_t select_episodes = 4000;       ///< on which candidates are compared, 2 or more
  std::size_t certify_episodes = 100000;    ///< at most, to certify the winner: no choice sees them, 2 or more
  double certify_seconds = 0;               ///< time for that, by how fast the teacher plays; 0: no limit
  bool all_episodes = false;                ///< play all of those, even where fewer decide the budget
  std::size_t glance = 0;  ///< so many show who clearly loses four budgets, six times as many who may pass; 0: all play
  LossMethod method = LossMethod::betting;
  std::size_t attempts = 5;  ///< candidates that may fail their certificate before giving up, 1 or more
  Act act = Act::mean;       ///< what is compared: mean actions, or drawn ones
  std::uint64_t seed = 0;
  /// Other tasks in which candidates must keep the same budget of loss, as measured: the points of a grid. A mean over
  /// a box could hide a loss at one of them behind gains at others.
  std::vector<std::shared_ptr<const Player>> points{};
};

/// A policy that could be chosen, and what it lost on the selection episodes.
struct MeasuredPolicy {
  const Policy* policy = nullptr;
  std::size_t bytes = 0;
  double loss = 0;    ///< mean, in units of return
  double spread = 0;  ///< standard deviation of the paired difference
  Range returns{};    ///< the least and the largest of both policies
  Behaviour behaviour{};
  double excess = 0;  ///< how far its worst kept quantity is expected to be above its limit, in units of the limit
  std::size_t episodes = 0;  ///< that were played
};

/// What a search on return minimises: the loss, in units of what is allowed, and for each kept quantity above its limit
/// ten times the share by which it is above. A candidate is then worth ten budgets of return less where it moves twice
/// as roughly as it may: no gain in return pays for that.
struct Aim {
  double teacher_return = 0;
  double budget = 1;                                          ///< allowed loss in units of return, above 0
  std::optional<double> roughness{}, failures{}, distance{};  ///< the largest means that are allowed, above 0
  const Policy* teacher = nullptr;                            ///< what `distance` is measured from

  /// Another task in which the loss is limited.
  struct Point {
    std::shared_ptr<const Player> player;
    Episodes episodes;
    std::vector<double> teacher_returns;  ///< on these
    double budget = 1;                    ///< allowed loss there, above 0
    /// Mean loss of a policy on the episodes, and the standard deviation of the paired difference.
    std::pair<double, double> loss(const Policy& policy, const Progress& progress = {}) const;
  };
  std::vector<Point> points{};  ///< the one where the loss is farthest above its budget counts like a limit

  bool return_alone() const { return !roughness && !failures && !distance && points.empty(); }
  /// Of `episodes` episodes of a policy; without limits minus the mean return.
  double cost(const Player& player, const Policy& policy, std::size_t episodes, std::uint64_t seed, Act act) const;
  /// The same of episodes that were played, with what the limits need (`playing`); other tasks are played here.
  double cost(std::span<const Outcome> outcomes, const Task& task, const Policy& policy) const;
  /// How episodes are played for it.
  Episodes playing(std::size_t episodes, std::uint64_t seed, Act act) const;
};

/// Compares candidates with a teacher on one set of episodes and certifies the winner on another.
///
/// Whoever looks best among many on some episodes is partly just lucky on them. So what is promised is measured again,
/// on episodes that had no part in any choice; and candidate j of those that are certified in turn spends
/// (1 - confidence) / (j (j + 1)), so that the promise holds although several may be tried.
class Selection {
 public:
  /// Plays the teacher on the selection episodes. Player and teacher must outlive this. Throws `missing_option` without
  /// any budget, and where the only one is a share of a mean return that may be 0 by Student's interval of these
  /// episodes; `out_of_range`, and what the player throws.
  Selection(const Player& player, const Policy& teacher, const SelectionOptions& options,
            const Progress& progress = {});

  double teacher_return() const { return teacher_mean_; }
  double budget() const { return budget_; }  ///< allowed loss in units of return, by the selection episodes
  const Behaviour& teacher_behaviour() const { return teacher_behaviour_; }
  Aim aim() const;  ///< what a search should minimise so that its result passes
  /// Plays a candidate on the selection episodes.
  MeasuredPolicy measure(const Policy& policy, std::size_t bytes, const Progress& progress = {}) const;
  bool fits(std::size_t bytes) const { return !options_.max_bytes || bytes <= *options_.max_bytes; }
  /// What the certificate should say: the loss, how well it is known, and the width that betting leaves where the range
  /// of returns is known.
  double expected_upper(const MeasuredPolicy& one) const;
  /// Should keep all that must be kept besides the return.
  bool admissible(const MeasuredPolicy& one) const { return one.excess <= 0; }
  /// Small enough, and its certificate should keep the budget and all else.
  bool promising(const MeasuredPolicy& one) const {
    return fits(one.bytes) && admissible(one) && expected_upper(one) <= budget_;
  }

  /// How far from passing: the loss or the worst of the limits, whichever is farther above what is allowed.
  double short_of(const MeasuredPolicy& one) const;

  struct Verdict {
    std::size_t chosen = 0;   ///< of those given
    Certificate certificate;  ///< `met` tells whether the budget is kept
  };
  /// Certifies the promising ones from the smallest upwards until one keeps the budget; then, while attempts are left,
  /// whoever came nearest, and time: after `certify_seconds` no other is begun. If none does, the one with the least
  /// upper bound, of equals the smaller. The teacher is played once.
  Verdict certify(std::span<const MeasuredPolicy> policies, const Progress& progress = {}) const;

 private:
  Episodes playing(std::uint64_t purpose, std::size_t episodes) const;
  std::vector<std::size_t> in_turn(std::span<const MeasuredPolicy> policies) const;
  double expected(double mean, double spread, double width, std::size_t selected) const;
  bool hopeless(std::span<const Outcome> outcomes) const;
  std::size_t fitting_episodes(double episode_seconds) const;
  double excess(std::span<const Outcome> outcomes, std::span<const Outcome> on_teacher) const;
  std::vector<Aim::Point> points_on(std::uint64_t purpose, std::size_t episodes, const Progress& progress) const;

  const Player& player_;
  const Policy& teacher_;
  SelectionOptions options_;
  std::vector<Outcome> of_teacher_;
  std::vector<double> teacher_returns_;
  Behaviour teacher_behaviour_;
  double teacher_mean_ = 0;
  double budget_ = 0;
  std::vector<Aim::Point> points_;  // on selection episodes
  std::vector<Aim::Point> aimed_;   // on those of a search
};

/// Minimises a function of which only values are known, and those perhaps with noise: evolution strategy with
/// covariance matrix adaptation (CMA-ES), for up to a few hundred numbers.
///
///     Evolution search(start, 0.3, seed);
///     for (int g = 0; g < 100; ++g) {
///       const auto tried = search.ask();          // a column for each candidate
///       search.tell(losses_of(tried));            // only their order matters
///     }
///     search.mean();                              // the answer: less noisy than the best candidate
///
/// Draws are keyed by (seed, Stage::search, item, generation). A generation costs O(population n^2), every few of them
/// an eigendecomposition, O(n^3).
class Evolution {
 public:
  /// From `start`, with steps of about `step` (above 0) in every direction. `population` candidates a generation, 4 or
  /// more; 0: 4 + 3 ln n.
  Evolution(std::span<const double> start, double step, std::uint64_t seed, std::uint64_t item = 0,
            std::size_t population = 0);
  ~Evolution();
  Evolution(Evolution&&) noexcept;
  Evolution& operator=(Evolution&&) noexcept;

  std::size_t population() const;
  /// Candidates, one column each, until the next call.
  MatrixView<const double> ask();
  /// Their values, the smaller the better; NaN counts as worst. Throws `shape_mismatch` unless there is one for each.
  void tell(std::span<const double> values);
  /// Centre of the search.
  std::span<const double> mean() const;
  /// Size of the steps now.
  double step() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How coefficients are improved on the return itself.
struct ReturnPolish {
  std::size_t generations = 60;  ///< 0 to 10^5
  std::size_t episodes = 256;    ///< that each candidate of a generation plays, fresh ones every generation
  std::size_t population = 0;    ///< candidates a generation; 0: 4 + 3 ln K
  double step = 0.15;            ///< first steps, as root mean square change of the function over the samples
  Act act = Act::mean;
  Aim aim{};
  std::uint64_t seed = 0;
  std::uint64_t item = 0;  ///< tells searches of one seed apart
};

/// Asked between generations; true ends the polish with what it has.
using EnoughTime = std::function<bool()>;

/// Lowers the cost (`Aim`) of the policy that `function` makes, over its coefficients: an evolution strategy whose
/// candidates of one generation all play the same episodes, new ones in each generation, so that it follows the task
/// and not a set of start states. Coordinates are whitened by the Gram matrix of `features`: a step moves the function
/// by as much in every direction. Returns the centre of the search. On all threads where the player allows it, the same
/// for any number of them.
std::vector<double> polish_on_return(const Player& player, const ContinuousCode& shape, const Contract& contract,
                                     const TermFunction& function, const Features& features,
                                     std::vector<double> coefficients, const ReturnPolish& options,
                                     const EnoughTime& enough = {}, const Progress& progress = {});

/// The same for coefficients that are integers: moves one after the other by one unit and keeps what costs less on
/// `options.episodes` fixed episodes, `sweeps` times over all of them. Never raises the cost on those episodes.
ContinuousEmbedding polish_rounded(const Player& player, const ContinuousEmbedding& embedding,
                                   const ReturnPolish& options, std::size_t sweeps = 2, const EnoughTime& enough = {},
                                   const Progress& progress = {});

/// What coefficients are improved on after they were fitted.
enum class PolishBy {
  none,     ///< least squares alone
  action,   ///< squared error of the action that is played: most like the teacher
  returned  ///< the return in the task: loses least, and may act unlike the teacher where that pays
};
template <>
struct Names<PolishBy> {
  static constexpr std::string_view kind = "way to polish";
  static constexpr Spelling<PolishBy> table[] = {
      {PolishBy::none, "none"}, {PolishBy::action, "action"}, {PolishBy::returned, "return"}};
};

/// How hard students with shared ridges are searched for. Turns are rounds of tuning: steps are played, then critics
/// and student are updated.
struct RidgeOptions {
  std::size_t imitation_rounds = 16;     ///< in each the student plays and the teacher labels, 1 or more
  std::size_t imitation_updates = 1000;  ///< of Adam a round
  std::size_t imitation_steps = 16'000;  ///< that the student plays a round, in whole episodes
  std::size_t evolve_generations = 60;   ///< of students of few numbers, or of discrete actions
  std::size_t first_steps = 64'000;      ///< played by teacher and student before critics learn; five times as many
                                         ///< where the teacher has no critics
  std::size_t critic_turns = 32;         ///< of critics alone; five times as many where the teacher has none
  std::size_t first_turns = 280;         ///< of the first student, unrounded
  std::size_t later_turns = 96;          ///< after its size changed, and rounded
  std::size_t turn_steps = 2'000;
  std::size_t turn_updates = 312;
  std::size_t most_ridges = 96;
};

/// What is searched for, and how hard. Defaults take seconds to a minute for a small control task of the library; see
/// `usual_options`.
struct CompressOptions {
  SelectionOptions judge{};    ///< budgets, episodes, seed, what is played
  bool continuous = true;      ///< search the continuous route
  bool lattice = true;         ///< and the lattice route, where the teacher has a lattice
  bool shared_ridges = false;  ///< search students with shared ridges: for more than a few observations
  std::shared_ptr<const DenseCritics> critics{};  ///< of the teacher, to tune them with; null: they are learned first
  RidgeOptions ridges{};
  /// Where the search among them stores how far it is, so that the same search goes on after it was killed.
  struct Resume {
    std::filesystem::path file{};  ///< empty: nothing is stored
    std::string hash{};            ///< of all that decides what the search finds: a file with another one is not taken
    double interval = 30;          ///< seconds between two writes, at least; 0: after every step
  } resume{};
  PolishBy polish = PolishBy::returned;
  bool coarse = false;          ///< sizes grow by a third until one should pass: for players slower than fits
  bool then_on_return = false;  ///< if coarse: polish on return where nothing else should pass
  std::vector<DictionaryOptions> dictionaries;  ///< continuous ones to search; empty: `default_dictionaries`
  std::vector<NumberFormat> formats{NumberFormat::int8, NumberFormat::int6, NumberFormat::int4};
  std::size_t most_terms = 20;       ///< K is searched from 1 up to this, 1 to 256
  ReturnPolish search{};             ///< of every K
  std::size_t visit_episodes = 200;  ///< of the teacher and of early fits, whose states are fitted to, 1 or more
  double seconds = 0;  ///< for all: a search stops `judge.certify_seconds` before, with what is there; 0: no limit
};

/// One embedding that was tried.
struct Candidate {
  Embedding embedding;
  NumberFormat format = NumberFormat::float32;  ///< of its numbers
  double loss = 0;                              ///< mean over the selection episodes, in units of return
  double spread = 0;                            ///< standard deviation of the paired difference
  double loss_percent = 0;                      ///< of the teacher's |mean return|
  double action_distance = 0;  ///< from the teacher's mean action: root mean square over states that the teacher visits
  Behaviour behaviour{};       ///< on the selection episodes
  bool admissible = true;      ///< should keep all that must be kept besides the return
  std::size_t payload_bytes() const { return embedding.payload().size(); }
};

struct Compressed {
  std::vector<Candidate> tried;    ///< in the order they were
  std::vector<std::size_t> front;  ///< of the admissible ones in `tried`, or of all where none is: none smaller loses
                                   ///< less; by rising bytes
  Behaviour teacher{};             ///< on the selection episodes
  std::size_t chosen = 0;          ///< of `tried`
  std::optional<Certificate> certificate;  ///< of the chosen; `within_budget` says whether its budget is kept
  double seconds = 0;
  bool cut_short = false;  ///< the time ran out before the search was done
  bool on_return = false;  ///< coefficients were polished on return

  const Candidate& winner() const { return tried[chosen]; }
};

/// Whether students with shared ridges can take this task: bounded or discrete actions, no periodic observation.
bool takes_shared_ridges(const Task& task);

/// Chebyshev polynomials, ridges, and both with bumps.
std::vector<DictionaryOptions> default_dictionaries();

/// The defaults for a player. One that plays a single policy at a time is taken to be slow: two minutes in all, 25
/// episodes to visit, 20 for each candidate of a generation, 400 to select, at most 4,000 to certify, no lattices, and
/// polish on the action, then on return where that finds nothing.
CompressOptions usual_options(const Player& player);

/// Told every candidate once it was measured, and whether it is on the front so far.
using CandidateSink = std::function<void(const Candidate&, bool on_front)>;

/// Searches for the smallest embedding of a teacher whose certified loss keeps the budget.
///
/// Each dictionary is followed from one term upwards: greedy choice, fit in action space to states that teacher and
/// candidates visit, then polish on return, started from the better of the fit and of what K - 1 terms had become.
/// Candidates in every number format meet the teacher on the same episodes; a dictionary is left when its next
/// candidate would be larger than one that should pass. `Selection` certifies on episodes that nothing else has seen.
/// If none passes, the one that came nearest is chosen, and its certificate is not `within_budget`.
///
/// A coarse search is for slow players, whose episodes cost more than fits to the action: sizes grow by a third until
/// one should pass, then those below it are tried; polish on return comes last, on what came nearest.
///
/// The same for any number of threads, unless `seconds` cuts it short. Throws what `Selection`, the player and the fits
/// throw.
Compressed compress(const Player& player, const Policy& teacher, const CompressOptions& options,
                    const CandidateSink& sink = {}, const Progress& progress = {});

/// What is promised where no task can be played.
struct StatesOptions {
  double max_error = 0.01;               ///< allowed mean error of the action, as a fraction of its range; above 0
  std::optional<std::size_t> max_bytes;  ///< largest payload
  double confidence = 0.95;              ///< in (0, 1)
  std::size_t most_terms = 32;           ///< 1 to 256
  std::size_t attempts = 5;              ///< candidates that may fail before giving up
  std::vector<DictionaryOptions> dictionaries;
  std::vector<NumberFormat> formats{NumberFormat::int8, NumberFormat::int6};
  std::uint64_t seed = 0;
};

/// Observations of a log, episode after episode: columns offsets[e] .. offsets[e + 1] - 1 of `states` are episode e.
/// States that were drawn independently are episodes of one state each.
struct LoggedStates {
  StateMatrix states;
  std::vector<std::int64_t> offsets;  ///< episodes + 1 numbers from 0 to the number of states, never falling
};
/// All steps of rollouts. Throws `missing_option` for rollouts without steps.
LoggedStates logged_states(const Rollouts& rollouts);

/// Logs of fewer episodes than this are not certified: 10 to fit on, 10 to choose on and 10 to certify on.
inline constexpr std::size_t least_logged_episodes = 30;

/// The smallest continuous embedding whose mean action stays close to the teacher's on logged states, where nothing can
/// be played: fitted on every third episode, compared on another third, certified on the last. Steps of one episode
/// depend on each other, so that an episode is never split.
///
/// The error in a state is the largest over action dimensions of |difference| / width of the range. An episode counts
/// once, by the mean error of its states. The certificate bounds the mean of that over episodes, and says that no
/// return is certified; its losses and budgets are percent of the range. A candidate's `loss` is that mean, its
/// `loss_percent` the same in percent. Episodes without states are left out. With fewer than `least_logged_episodes`
/// every second state is fitted to, the others choose, and there is no certificate.
///
/// Throws `shape_mismatch` for fewer than 30 states, states of another size or offsets that do not fit them,
/// `bad_value` for a teacher whose actions have no bounds or are discrete.
Compressed compress_states(const Policy& teacher, const LoggedStates& log, const StatesOptions& options,
                           const CandidateSink& sink = {}, const Progress& progress = {});

}  // namespace mercer
