#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/names.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

namespace mercer {

/// What a bound rests on.
enum class Level {
  paper,        ///< the published formulas: no guarantees
  rigorous,     ///< theorems, given the task itself or its declared bounds
  model,        ///< theorems in a model of the task that was estimated from episodes: no guarantee in the task
  exact,        ///< both policies solved on a finite model
  statistical,  ///< from episodes, with a confidence
  estimate,     ///< from episodes of a task whose range of returns is unknown: no guarantee
};
template <>
struct Names<Level> {
  static constexpr std::string_view kind = "level";
  static constexpr Spelling<Level> table[] = {
      {Level::paper, "paper"}, {Level::rigorous, "rigorous"},       {Level::model, "model"},
      {Level::exact, "exact"}, {Level::statistical, "statistical"}, {Level::estimate, "estimate"}};
};

/// What is bounded: a difference between the two policies.
enum class Quantity {
  episode_return,      ///< of an episode of the task, with the discount of the certificate
  discounted_return,   ///< |eta1 - eta2| of endless episodes
  pruning,             ///< |eta - eta_pruned|, the same by pruning alone
  stationary_l1,       ///< L1 distance of stationary distributions
  stationary_l2,       ///< Euclidean
  stationary_max,      ///< largest entry
  occupancy_l1,        ///< L1 distance of discounted occupancies
  sd_q,                ///< difference of the spreads of Q
  variance_q,          ///< variance of Q of policy 2
  mean_action,         ///< largest difference of mean actions
  h_norm,              ///< largest squared H-norm of a row of delta
  tail,                ///< the part of it after the first K functions
  reward,              ///< of one round of a bandit
  volume,              ///< of the discretisation error
  condition,           ///< 1 when it holds, else 0
  action,              ///< error of an action, in percent of its range
  return_percent,      ///< return, in percent of the teacher's |mean return|
  outside,             ///< share of episodes in which either policy's return lies outside the range it is cut to
  failures,            ///< share of episodes that fail
  roughness,           ///< mean change of the action from step to step, as a share of its range
  distance_teacher,    ///< between the actions, as a share of their range, in states that the teacher visits
  distance_embedding,  ///< the same in states that the embedding visits
  discretisation,      ///< |eta - eta_discretised| of endless episodes: by discretisation alone
  projection           ///< the same by the last step alone: basis, K and the way back to probabilities
};
/// Files of version 0.1 hold the words instead of the codes.
template <>
struct Names<Quantity> {
  static constexpr std::string_view kind = "bounded quantity";
  static constexpr Spelling<Quantity> table[] = {
      {Quantity::episode_return, "return", "return"},
      {Quantity::discounted_return, "discounted_return", "discounted return"},
      {Quantity::pruning, "pruning", "discounted return, by pruning alone"},
      {Quantity::stationary_l1, "stationary_l1", "stationary distributions, L1"},
      {Quantity::stationary_l2, "stationary_l2", "stationary distributions, Euclidean"},
      {Quantity::stationary_max, "stationary_max", "stationary distributions, largest entry"},
      {Quantity::occupancy_l1, "occupancy_l1", "discounted occupancies, L1"},
      {Quantity::sd_q, "sd_q", "spread of Q"},
      {Quantity::variance_q, "variance_q", "variance of Q"},
      {Quantity::mean_action, "mean_action", "mean action"},
      {Quantity::h_norm, "h_norm", "squared RKHS norm"},
      {Quantity::tail, "tail", "squared RKHS norm of the tail"},
      {Quantity::reward, "reward", "reward of one round"},
      {Quantity::volume, "volume", "discretisation volume"},
      {Quantity::condition, "condition", "condition: 1 holds, 0 does not"},
      {Quantity::action, "action", "action, in percent of its range"},
      {Quantity::return_percent, "return_percent", "return, in percent of the teacher's"},
      {Quantity::outside, "outside", "share of episodes with a return outside the range"},
      {Quantity::failures, "failures", "share of episodes that fail"},
      {Quantity::roughness, "roughness", "roughness: change of the action per step, share of its range"},
      {Quantity::distance_teacher, "distance_teacher",
       "distance of actions in the teacher's states, share of the range"},
      {Quantity::distance_embedding, "distance_embedding", "distance of actions in the embedding's states"},
      {Quantity::discretisation, "discretisation", "discounted return, by discretisation alone"},
      {Quantity::projection, "projection", "discounted return, by projection alone"}};
};

/// One bound on what an embedding may lose. Numbers are in units of return; what is unknown is NaN.
struct CertificateRow {
  std::string term;  ///< code of the bound, such as "paired" or "B2'_T"; docs/guide/guarantees.md lists them
  Level level = Level::statistical;
  double value = std::numeric_limits<double>::quiet_NaN();     ///< the bound
  double measured = std::numeric_limits<double>::quiet_NaN();  ///< what was measured of the same thing
  double slack = std::numeric_limits<double>::quiet_NaN();     ///< value - measured
  bool vacuous = false;                                        ///< says no more than was known without looking
  std::vector<std::string> assumptions;                        ///< under which it holds
  Quantity about = Quantity::episode_return;                   ///< what is bounded
  bool in_model = false;  ///< in a finite model of the task, estimated from episodes
  bool winner = false;    ///< the least of the rigorous bounds on the same return
};

/// One thing that is promised: on average the embedding exceeds `factor` times the teacher by at most `upper`. All
/// promises of a certificate hold together with its confidence: of q each spends (1 - confidence) / q.
struct Promise {
  Quantity about = Quantity::episode_return;
  double teacher = std::numeric_limits<double>::quiet_NaN();    ///< its mean over the certifying episodes
  double embedding = std::numeric_limits<double>::quiet_NaN();  ///< the same of the embedding
  double measured = std::numeric_limits<double>::quiet_NaN();   ///< mean of what is bounded
  double upper = std::numeric_limits<double>::quiet_NaN();      ///< promised, with all others; NaN: cannot be promised
  double alone = std::numeric_limits<double>::quiet_NaN();      ///< the same were it the only promise
  std::optional<double> budget = {};                            ///< what was allowed beforehand
  double factor = 1;                                            ///< of the teacher; 0: the embedding alone is bounded

  /// Budgets were fixed beforehand, so that they are kept together where each is kept by itself.
  bool kept() const { return !budget || alone <= *budget; }
};

/// How both policies move their actions, on average over the same episodes. Measured, not promised.
struct MotionPair {
  Motion teacher, embedding;
};

/// Teacher and embedding in one perturbed task, the same for both.
struct PerturbedPoint {
  std::vector<double> values;  ///< of the perturbed parameters
  double teacher_return = std::numeric_limits<double>::quiet_NaN();
  double loss_return = std::numeric_limits<double>::quiet_NaN();   ///< measured
  double loss_percent = std::numeric_limits<double>::quiet_NaN();  ///< measured, of |teacher's mean return| there
  double upper_return = std::numeric_limits<double>::quiet_NaN();  ///< at most this, at all points together
  std::optional<double> upper_percent = {};                        ///< the same in percent
  MotionPair motion = {};
  std::optional<double> teacher_failures = {}, failures = {};  ///< shares of episodes, measured
};

/// What an embedding loses at the points of a grid over perturbations. No promise about what lies between them.
struct PerturbedGrid {
  std::vector<std::string> names;  ///< of the perturbed parameters
  std::vector<Range> ranges;
  std::vector<PerturbedPoint>
      points;                  ///< the last parameter varies fastest; the nominal task, if it is in the box, first
  std::uint64_t episodes = 0;  ///< paired ones at each point, at most
  double confidence = 0.95;    ///< of the upper bounds of all points together

  /// The point with the largest upper bound, as a share of the teacher's return there.
  const PerturbedPoint& worst() const;
};

/// How the returns of single episodes are distributed, for both policies on the same episodes: at returns[i] the share
/// of episodes with a return of at most that. With `confidence` both true distribution functions lie within `band` of
/// the measured ones at every return, listed or not.
struct ReturnDistribution {
  std::vector<double> returns;             ///< rising
  std::vector<double> teacher, embedding;  ///< shares, measured
  double band = 1;
  double confidence = 0.95;  ///< of the band alone: promises have theirs
  std::uint64_t episodes = 0;
};

/// Bounds the distribution functions of both policies' returns, over independent episodes. Each band is Dvoretzky,
/// Kiefer and Wolfowitz's with half of `delta`; it needs no range. `look` j above 0: the j-th time that one looks at a
/// growing sample, which spends delta / (j (j + 1)). Sets no confidence. Throws `shape_mismatch`, `out_of_range`.
ReturnDistribution return_distribution(std::span<const double> teacher, std::span<const double> embedding, double delta,
                                       std::size_t look = 0);

/// What an embedding may lose against its teacher, and on what grounds. Plain data, stored in the embedding's file.
struct Certificate {
  std::vector<CertificateRow> rows;
  double teacher_return = std::numeric_limits<double>::quiet_NaN();  ///< mean over the episodes
  double loss_return = std::numeric_limits<double>::quiet_NaN();     ///< measured, in units of return
  double loss_percent = std::numeric_limits<double>::quiet_NaN();    ///< measured, of |teacher's mean return|
  double upper_return = std::numeric_limits<double>::quiet_NaN();    ///< at most this, at the confidence
  std::optional<double> upper_percent;                               ///< at most this, at the confidence
  double confidence = 0.95;
  Level level = Level::statistical;           ///< of the upper bounds
  LossMethod method = LossMethod::betting;    ///< of the statistical level
  double gamma = 1;                           ///< discount of the returns; 1: none
  Quantity about = Quantity::episode_return;  ///< what may be lost: the return, or `action`
  Act act = Act::sample;                      ///< how both were played
  std::string env;
  std::string teacher;
  std::uint64_t episodes = 0;
  std::uint64_t seed = 0;
  std::uint64_t attempt = 0;               ///< j-th candidate of a search; 0: the only one
  std::optional<double> budget_percent;    ///< what was allowed, if anything
  std::optional<double> budget_return;     ///< the same in units of return
  bool within_budget = true;               ///< all budgets that were given are kept
  std::vector<std::string> not_covered{};  ///< sentences: what this certificate says nothing about
  std::vector<Promise> promises{};         ///< everything that is promised; the upper bounds above are two of them
  std::optional<Range> cut{};              ///< returns outside are moved to it: the promise is about the mean of those
  bool sequential = false;                 ///< episodes were played until the budget was decided
  std::optional<double> drawing_cost{};    ///< teacher's mean return with drawn actions, less that with mean actions
  std::optional<MotionPair> motion{};      ///< of both, where it was measured
  std::optional<PerturbedGrid> grid{};     ///< where the task was perturbed
  std::optional<ReturnDistribution> distribution{};  ///< of the returns, uncut
};

/// A row on the return with its slack and, given the width of the range of returns, whether it is vacuous.
CertificateRow certificate_row(std::string term, Level level, double value, double measured, double range_width,
                               std::vector<std::string> assumptions);

/// Marks the least of the rigorous rows on the same return, for each return that has any. Rows in an estimated model
/// never win.
void mark_winners(std::vector<CertificateRow>& rows);

/// Decides `within_budget`: every promise keeps its budget.
void judge(Certificate& certificate);

/// "guaranteed", "estimated (no guarantee)", ...: what a level amounts to, in words that every face uses.
std::string_view words(Level level);

/// What is promised, in sentences that can stand alone in a header, a report or a terminal: quantity, level, confidence
/// and conditions; then what was measured.
std::vector<std::string> promise_sentences(const Certificate& certificate);

/// A page for people: the promise in a sentence, a table of the rows, assumptions, what is not covered.
std::string certificate_page(const Certificate& certificate);

/// One JSON object: rows, loss_percent, upper_percent, met and everything else; NaN is null. Enums are their codes;
/// `about` of a row in a model has "_in_model" behind it.
std::string certificate_json(const Certificate& certificate);
/// Reads it back, and what version 0.1 wrote. Throws `bad_format` naming `owner` and what is missing, of the wrong type
/// or a code that is not known.
Certificate certificate_from_json(const std::string& text, const std::string& owner);

}  // namespace mercer
