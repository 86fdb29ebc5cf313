#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/basis.hpp"
#include "mercer/certificate.hpp"
#include "mercer/env.hpp"
#include "mercer/mdp.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

namespace mercer {

/// Kernels on actions a = 0 .. m - 1.
enum class ActionKernelKind {
  identity,  ///< Fourier functions with lambda = 1, so that the norm is the Euclidean one
  sobolev,   ///< Fourier functions, lambda = (1 + k)^-2 for frequency k
  fourier,   ///< the same, lambda = 1 / (1 + 4 sin^2(pi k / m)) (Matern's kernel on the cycle)
  dct,       ///< cosines, lambda = 1 / (1 + 4 sin^2(pi k / 2m)) (on the path)
  haar,      ///< Haar's wavelets of scale j, lambda = 4^-j, for m a power of two
  svd,       ///< right singular vectors of a table, lambda = sigma^2, at least 1e-12 of the largest
  wavelet,   ///< Daubechies' wavelets (db4 unless `kernel_of_basis` says), lambda = (1 + k)^-2, the coarsest first
};
template <>
struct Names<ActionKernelKind> {
  static constexpr std::string_view kind = "kernel";
  static constexpr Spelling<ActionKernelKind> table[] = {
      {ActionKernelKind::identity, "identity"}, {ActionKernelKind::sobolev, "sobolev"},
      {ActionKernelKind::fourier, "fourier"},   {ActionKernelKind::dct, "dct"},
      {ActionKernelKind::haar, "haar"},         {ActionKernelKind::svd, "svd"},
      {ActionKernelKind::wavelet, "wavelet"}};
};

/// A kernel on m actions, by Mercer's form kappa(a, b) = sum_k lambda_k e_k(a) e_k(b) with orthonormal e_k. Functions
/// f = sum_k xi_k e_k have the norm ||f||_H^2 = sum_k xi_k^2 / lambda_k, and |f(a)| <= sqrt(kappa(a, a)) ||f||_H.
struct ActionKernel {
  ActionKernelKind kind = ActionKernelKind::identity;
  std::size_t m = 0;
  std::vector<double> e;         ///< e[k m + a], in the order in which coefficients are kept
  std::vector<double> lambda;    ///< above 0
  std::vector<double> diagonal;  ///< kappa(a, a)
  double M = 0;                  ///< the largest sqrt(kappa(a, a))
  /// Where functions are not orthonormal, and perhaps more than m: f = sum_k <f, dual_k> e_k, and the sum of
  /// xi_k^2 / lambda_k is the squared norm or above it. Empty: e itself.
  std::vector<double> dual = {};

  std::size_t size() const { return lambda.size(); }
};

/// `rows` is the table of `svd` (rows of m). Throws `shape_mismatch` for a table or m that does not fit. O(m^2), for
/// svd O(n m^2).
ActionKernel make_action_kernel(ActionKernelKind kind, std::size_t m, std::span<const double> rows = {});

/// The same functions with other eigenvalues, which must be positive (`out_of_range`).
ActionKernel with_eigenvalues(ActionKernel kernel, std::vector<double> lambda);

/// The kernel along the actions that belongs to a basis of tables: `fourier`, `dct`, `svd` of `rows`, or `wavelet` with
/// the basis' filter, depth and padding. Nothing for mixtures and draws, which are no functions of one space. Throws as
/// `make_action_kernel`.
std::optional<ActionKernel> kernel_of_basis(const BasisSpec& basis, std::size_t m, std::span<const double> rows = {});
/// (1 + k)^-2: of the k-th wavelet from 0, the coarsest first.
double wavelet_eigenvalue(std::size_t k);

/// xi[s D + k] = <row s, e_k> (or dual_k), D functions, O(n m D).
std::vector<double> kernel_coefficients(const ActionKernel& kernel, std::span<const double> rows);

/// sum over k in [begin, end) of xi_k^2 / lambda_k for each row of coefficients.
std::vector<double> squared_norms(const ActionKernel& kernel, std::span<const double> xi, std::size_t begin,
                                  std::size_t end);

/// The geometric tail lemma: |xi_k| <= eps^k sqrt(lambda_k) for k > K (counted from 1) gives a tail of squared norms of
/// at most E_K = eps^(2 (K + 1)) / (1 - eps^2), for eps < 1 only.
struct GeometricTail {
  double tail = 0;      ///< the largest over the rows
  double eps = 0;       ///< eps*, the smallest that all rows allow
  double bound = 0;     ///< E_K as printed; below zero or infinite where eps >= 1
  double bound_finite;  ///< with the sum over k <= m alone
};
GeometricTail geometric_tail(std::span<const double> xi, std::span<const double> lambda, std::size_t K);
/// E_K for a given eps, as printed, and with D functions in all.
double geometric_bound(double eps, std::size_t K);
double geometric_bound(double eps, std::size_t K, std::size_t D);

struct ComparisonOptions {
  TabularOptions solver;
  bool long_run = true;  ///< also what needs the fundamental matrix, where it exists and n is at most 3000
};

/// Two policies in the same finite process, and all that the bounds on their difference are made of.
struct TabularComparison {
  SparseMdp mdp;
  std::vector<double> pi1, pi2;      ///< the reference and the approximation, n x m
  std::vector<double> delta;         ///< pi2 - pi1; zero where episodes have ended, since nothing is played there
  std::vector<double> TV;            ///< half of the L1 norm of each row of delta
  double alpha = 0;                  ///< the largest of them
  double delta_r = 0;                ///< largest reward minus smallest
  double r_M = 0;                    ///< largest |reward|
  TabularSolution policy1, policy2;  ///< values, critics, occupancies
  std::vector<double> coupled;       ///< min(pi1, pi2): what maximally coupled policies do together
  double E_gamma_tau = 0;            ///< mu (I - g K)^-1 TV, tau the first step where coupled actions differ
  LongRun long_run1, long_run2;
  std::vector<double> E_row_l1;        ///< sum over s' of |P2 - P1| in each state
  std::vector<double> rho2_E, rho1_E;  ///< rows rho2 (P2 - P1) and rho1 (P1 - P2)
  double E_spectral = 0;               ///< largest singular value of P2 - P1
  SchattenNorms delta_norms;           ///< of delta as a matrix
  double T3_frobenius = 0;             ///< Schatten norms of the third unfolding of P, n x (m n)
  double T3_spectral = 0;

  double difference() const { return policy1.eta - policy2.eta; }
  /// Nobody knows the difference better than this.
  double difference_error() const { return policy1.eta_error + policy2.eta_error; }
  bool long_run_applicable() const { return long_run1.applicable && long_run2.applicable; }
};

/// Only what compares the tables row by row: delta, TV, alpha, coupled and the rewards' range. Nothing is solved, so
/// any discount will do.
TabularComparison compare_rows(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2);

/// Solves for both policies. About 0.4 ms for 20 states, 0.06 without the long run; O(n^3). Throws `shape_mismatch`,
/// `bad_distribution`, and `out_of_range` for gamma = 1.
TabularComparison compare(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options = {});
TabularComparison compare(const TabularMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options = {});

/// One inequality, evaluated.
struct Bound {
  std::string id;  ///< "B2'", "C1", "paper_trunc_inf"; "B2/d1A2" is one of the forms whose least is "B2"
  Level level = Level::rigorous;
  Quantity quantity = Quantity::discounted_return;  ///< what it bounds
  double value = 0;                                 ///< no meaning where it is not applicable
  bool applicable = true;
  bool vacuous = false;            ///< no better than what is known without looking at the policies
  std::string needs;               ///< assumptions and inputs in plain words, or why it is not applicable
  std::optional<double> measured;  ///< the true value of the bounded quantity, where it is known
};

/// What the bounds need beside the comparison. Everything but the kernel may be left out: rows that need it are then
/// not applicable, and say so.
struct BoundInputs {
  ActionKernel kernel = {};  ///< over the actions; of m functions
  std::size_t K = 0;         ///< functions of the kernel that are kept, 0 to m; 0: all
  std::span<const double> kept_difference =
      {};                            ///< the part of delta in the kept span, where it is not the first K, n x m
  std::span<const double> raw = {};  ///< the truncated table before it was made a policy again, n x m
  /// Values of the actions along each dimension, rising; the actions are their products, the last dimension fastest.
  std::span<const std::vector<double>> atoms = {};
  std::span<const double> joint_TV = {};  ///< at least TV of each state, by a kernel on the whole table
  std::size_t T = 0;                      ///< horizon of the finite-horizon rows; 0: none
  double horizon_gamma = 1;               ///< their discount
  double confidence_delta = 0.05;         ///< what may fail of rows that hold with high probability, 0 to 1

  /// For the discretisation volume: a row for each dimension, a column for each step, and bins of each dimension.
  MatrixView<const double> state_samples = {}, action_samples = {};
  std::vector<std::size_t> state_bins = {}, action_bins = {};

  std::size_t trajectories = 0;         ///< N of the pruning theorem: rollouts that decided which states are kept
  double r_M = 0;                       ///< its largest |reward|, as the task declares it; 0: that of the process
  std::size_t full_states = 0;          ///< states before pruning; 0: n
  std::size_t held_out = 0;             ///< fresh trajectories, of T steps, and
  std::size_t hits = 0;                 ///< how many of them touched a pruned state
  std::span<const double> counts = {};  ///< N(s, a), n x m, where policy 2 is N(s, a) / N(s)
};

/// Bounds that hold: B0 to B9 on the return, L1 and L2 by logarithms of probabilities, C1 to C4 on distributions, D1 by
/// Wasserstein distance (the distance of actions is the sum over dimensions), P1 and P2 for pruning, V1 on the spread
/// of Q, and `_T` forms for T steps. O(n m^2), and O(T transitions) for the horizon.
std::vector<Bound> rigorous_bounds(const TabularComparison& comparison, const BoundInputs& inputs);

/// The `_T` rows alone, for processes without discount.
std::vector<Bound> horizon_bounds(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                  std::size_t T, double gamma = 1);

/// Every printed statement, as printed. None is a guarantee; `measured` shows where one fails.
std::vector<Bound> paper_bounds(const TabularComparison& comparison, const BoundInputs& inputs);

/// The least of the applicable bounds on a quantity, or null. The first of equals.
const Bound* best_bound(std::span<const Bound> bounds, Quantity quantity = Quantity::discounted_return);
/// By id, or null.
const Bound* find_bound(std::span<const Bound> bounds, std::string_view id);

/// What is known of a quantity without looking at the policies: the bound at or above which a bound is vacuous.
double trivial_bound(const TabularComparison& comparison, Quantity quantity, const BoundInputs& inputs);

/// The embedding's mean may be at most `factor` times the teacher's, plus `plus`.
struct Limit {
  double factor = 0;
  double plus = 0;
};

/// What an embedding must keep besides the return. What is not set is measured and bounded, but has no budget.
struct Keeps {
  std::optional<Limit> roughness = {};  ///< see `Motion`
  std::optional<Limit> failures = {};   ///< share of episodes, in tasks whose end means something
  std::optional<double> distance = {};  ///< of actions, in the teacher's states and in the embedding's
  bool any() const { return roughness || failures || distance; }
};

enum class Keep {
  behaviour,  ///< roughness at most 1.25 times the teacher's + 0.5% of the range, failures the teacher's + 1%
  returned,   ///< the return alone
};
template <>
struct Names<Keep> {
  static constexpr std::string_view kind = "what to keep";
  static constexpr Spelling<Keep> table[] = {{Keep::behaviour, "behaviour"}, {Keep::returned, "return"}};
};
Keeps keeps_of(Keep keep);

/// Lipschitz constants of the teacher's Q in the action, for the discretisation theorem in the task.
struct LipschitzOptions {
  std::optional<double> constant = {};  ///< given, in units of return for one unit of action; otherwise estimated:
  std::size_t states = 100;             ///< at so many visits of each policy,
  std::size_t points = 9;               ///< from so many actions along each dimension, 2 or more,
  std::size_t repeats = 4;              ///< each followed by so many episodes of the teacher
};

struct CertifyOptions {
  std::size_t episodes = 10000;  ///< paired ones, 2 to 10^9; fewer where they decide the budget
  std::size_t coupled = 1000;    ///< of these, how many are played with their steps, 1 or more
  std::uint64_t seed = 0;        ///< must differ from the seeds that the embedding was made or chosen with
  double confidence = 0.95;      ///< in (0, 1); of all promises and statistical rows together
  std::size_t attempt = 0;  ///< j from 1: candidate of a search, spends (1 - confidence) / (j (j + 1)); 0: the only one
  LossMethod method = LossMethod::betting;
  Act act = Act::sample;
  double gamma = 1;                      ///< below 1: of the discounted return; 0 to 1
  std::optional<std::uint32_t> horizon;  ///< by default the task's
  std::set<Level> levels{Level::paper, Level::rigorous, Level::model, Level::exact,
                         Level::statistical};  ///< not `estimate`
  bool model = true;                           ///< also rows that stand on a finite process
  std::optional<double> max_loss;              ///< allowed loss as a fraction of the teacher's |return|
  std::optional<double> max_loss_return;       ///< allowed loss in units of return
  Keeps keeps = {};                            ///< what else has a budget
  bool all_episodes = false;                   ///< play all, even where fewer decide the budget (betting)
  std::size_t pilot = 100;           ///< episodes of another seed that choose the cut of unknown returns, 2 or more
  std::optional<Range> cut;          ///< where the range of returns is unknown: chosen already, on other episodes
  std::size_t pruning_rollouts = 0;  ///< rollouts that decided which cells a lattice keeps; 0: not known
  std::optional<LipschitzOptions> lipschitz = {};  ///< of a lattice: also the rows `lipschitz`; level estimate, with a
                                                   ///< given constant statistical
};

/// What the student may lose against the teacher: plays both on the same episodes, bounds the loss, and fills a row for
/// each bound of the levels that were asked for. The student is whatever acts: for an embedding the policy that was
/// decoded from its bytes, so that rounding, projection and truncation are all in it.
///
/// Where the range of returns is unknown, returns are cut to one that is fixed before the certifying episodes: the
/// promise is about the mean of the cut return, and another bounds how often a return lies outside. The method
/// `student_t` gives an estimate instead: the level of the certificate is then "estimate". Rows besides the paired one
/// need the task itself (`Player::env`).
///
/// Throws what the player and `certify_loss` throw. `within_budget` says whether the budget is kept; a loss above it,
/// or a percentage that cannot be promised, is no error.
Certificate certify(const Player& player, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                    const Progress& progress = {});

/// Outcomes of a policy on the first of some episodes, played when they are asked for and kept. Player, policy and
/// progress must outlive this.
class PlayedOutcomes {
 public:
  /// The first `compared` of them also measure the distance from `with`.
  PlayedOutcomes(const Player& player, const Policy& policy, const Episodes& episodes, const Progress& progress,
                 const Policy* with = nullptr, std::size_t compared = 0);
  /// Of `count` episodes from the first one on. Throws what the player throws, and `shape_mismatch` unless it reports
  /// an outcome for each.
  std::span<const Outcome> first(std::size_t count);

 private:
  const Player& player_;
  const Policy& policy_;
  Episodes episodes_;
  const Progress& progress_;
  const Policy* with_;
  std::size_t compared_;
  std::vector<Outcome> played_;
};

/// The episodes that `certify` plays.
Episodes certifying_episodes(const Player& player, const CertifyOptions& options);

/// The same against a teacher whose outcomes on `certifying_episodes` are shared: for a search that certifies several
/// students.
Certificate certify_paired(const Player& player, const Policy& teacher, const Policy& student,
                           PlayedOutcomes& of_teacher, const CertifyOptions& options, const Progress& progress = {});

/// How many rows of level statistical `certify_levels` can add. They share the confidence with the promises.
std::size_t statistical_rows(const Policy& student, const CertifyOptions& options);

/// Rows of all bounds that can be had of one student, and sentences about those that cannot.
struct LevelRows {
  std::vector<CertificateRow> rows;
  std::vector<std::string> not_covered;
};

/// The rows of the ladder besides the paired one, for the levels in `options`. `measured` is the |loss| that was
/// measured.
///
/// Rows of levels paper and exact, and most of rigorous, stand on a finite process: the task itself where it is one
/// (`TabularEnv`), otherwise a model on the lattice of an embedding, estimated from `coupled` episodes of the teacher.
/// In such a model the theorems are rows of level model, not rigorous. Of the rigorous rows about the same return the
/// least is the `winner`.
LevelRows certify_levels(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                         double measured, const Progress& progress = {});

/// By what K is chosen.
enum class KRule {
  episodes,  ///< the loss that paired episodes of teacher and embedding promise
  bound,     ///< the least theorem on the loss against the lattice before truncation, in the task where it is finite,
             ///< else in a model from the teacher's episodes: the embedding is not played
  energy,    ///< a share of the energy of all coefficients: no budget decides
};
template <>
struct Names<KRule> {
  static constexpr std::string_view kind = "rule for K";
  static constexpr Spelling<KRule> table[] = {
      {KRule::episodes, "episodes"}, {KRule::bound, "bound"}, {KRule::energy, "energy"}};
};

/// One K that was tried on split 1. By bound: what was solved and bounded in the finite process.
struct KPoint {
  std::size_t k = 0;
  double loss_percent = 0;              ///< measured
  std::optional<double> upper_percent;  ///< promised, were it the only one tried
  double upper_return = 0;
  bool within_budget = false;
  std::string bound = {};  ///< by bound: which theorem it is
};

struct KChoice {
  KRule rule = KRule::episodes;
  std::uint64_t episodes = 0;  ///< that were played to choose, of both policies
  std::vector<KPoint> curve;   ///< by rising K, split 1: what was tried
  std::size_t k = 0;           ///< chosen
  bool within_budget = false;  ///< its certificate keeps the budget
  Certificate certificate;     ///< of the chosen K, on split 2; where nothing met, of the best that was tried
};

/// Makes the student with K coefficients: what will act, decoded.
using StudentOfK = std::function<std::shared_ptr<const Policy>(std::size_t k)>;

/// The smallest K in [least, most] whose certified loss keeps the budget of `options` (`max_loss` or
/// `max_loss_return`).
///
/// Split 1 (seed `options.seed`) finds it: the certified loss at `most`, then halving on a scale of ratios between a K
/// that fails and one that keeps, then the last four values one by one, since losses need not fall with K. Split 2
/// (the seed after it) certifies the K found; should it fail there, a K larger by a seventh is tried, up to `attempts`
/// times, the j-th of them spending (1 - confidence) / (j (j + 1)). So the certificate holds although K was
/// chosen by data. The teacher is played once on each split.
///
/// `rule` bound compares on split 1 the least theorem on the return of an episode (B2'_T and the others) with the
/// budget, where the percentage is of the teacher's mean return in its `coupled` episodes: what K adds to the loss of
/// the lattice. It chooses; the certificate on split 2 promises. `rule` energy certifies `most`, and tries nothing.
///
/// Throws `missing_option` without a budget, and by bound `bad_value` or `too_large` with why there is no finite
/// process to bound the loss in.
KChoice choose_k(const Player& player, const Policy& teacher, const StudentOfK& student, std::size_t least,
                 std::size_t most, const CertifyOptions& options, std::size_t attempts = 3,
                 const Progress& progress = {}, KRule rule = KRule::episodes);

}  // namespace mercer
