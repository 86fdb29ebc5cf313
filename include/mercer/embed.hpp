#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/names.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// What the Wasserstein distance between two rows is.
enum class W1Kind {
  exact,
  marginal,  ///< the largest over action dimensions, which the distance is not below
};
template <>
struct Names<W1Kind> {
  static constexpr std::string_view kind = "kind of distance";
  static constexpr Spelling<W1Kind> table[] = {{W1Kind::exact, "exact"}, {W1Kind::marginal, "marginal"}};
};

/// How far another table of the same lattice is from its own, on average over visits.
struct LatticeDistance {
  double w1 = 0;  ///< Wasserstein distance of rows between the middles of the bins, in units of the action
  double tv = 0;  ///< total variation of rows
  W1Kind w1_kind = W1Kind::exact;
};

/// O(rows columns dimensions). For actions of several dimensions W1 is that of the dimension where the rows' marginals
/// differ most: projecting on an axis shortens every way, so it is a lower bound of the distance in any p-norm. Throws
/// `shape_mismatch`.
LatticeDistance lattice_distance(const Lattice& lattice, const PolicyTable& other);

/// How a lattice embedding is made whose table no process holds in memory.
struct LargeOptions {
  LatticeOptions lattice = best_lattice();  ///< edges by quantile, data_quantile or uniform; table by centre or mass;
                                            ///< neither `full` nor `conditional_actions`
  TruncationOptions truncation{};  ///< basis svd, centred or weighted if wanted; rows always stand by cell number
  std::size_t episodes = 1000;     ///< 1 to 10^9
  std::uint64_t seed = 0;
  std::size_t sketch = 4096;         ///< k of `QuantileSketch`, 8 to 2^24: edges are exact up to about as many steps
  std::filesystem::path scratch{};   ///< a folder with room for the table and the left factor, in single precision
  std::optional<SigningKey> sign{};  ///< signs the file
};

/// What was made. The embedding itself is in the file.
struct LargeEmbedding {
  std::string basis;
  std::size_t k = 0;
  ParameterCount parameters;
  std::size_t payload_bytes = 0;
  std::size_t cells = 0, columns = 0;  ///< of the table
  double all_cells = 0;                ///< of the lattice, visited or not
  std::size_t collapsed_bins = 0;      ///< bins that ties in the data left out
  EdgeAccuracy edges;
  LatticeDistance distance;     ///< between the table and what the file makes of it
  std::size_t empty_rows = 0;   ///< rows that have nothing positive in the file and are uniform
  std::size_t table_bytes = 0;  ///< of the whole table; each process has its share in its scratch folder
};

/// Throws `bad_value` or `out_of_range` for options that this way cannot do, `cannot_write` for a scratch folder that
/// is none: to be asked before long work.
void check_large(const Policy& teacher, const LargeOptions& options);

/// `make_lattice` and `LatticeEmbedding::make` with basis svd, for a lattice of any size, straight to a file.
///
/// Episodes are played twice, in pieces of which nothing stays: once for the edges, by sketches of each dimension, and
/// once for the visited cells. The teacher's rows go to a file in the scratch folder, `row_svd` reads them from there,
/// and the left factor goes to another. In memory are the cells (16 to 24 bytes each, up to three times that while they
/// are merged), some blocks of rows and columns^2 numbers for each chain of blocks.
///
/// Every process of the team calls it with the same options and its own scratch folder, and holds the rows of its
/// chains only; process 0 writes `out`. Sketches, cells and chains follow fixed pieces of the work: the same bytes
/// whatever the number of processes and threads. Where edges are exact the file holds what the way through memory
/// does, up to rounding to single precision. What goes wrong in one process is thrown in all of them.
///
/// O(steps) twice, O(cells columns^2). Throws what `check_large`, the teacher and the task throw.
LargeEmbedding embed_large(const Env& env, const Policy& teacher, const LargeOptions& options,
                           const std::filesystem::path& out, const EmbeddingOrigin& origin, const Team& team = {},
                           const Progress& progress = {});

/// Visited states and what the teacher does there: the data of a continuous fit.
///
/// Columns are points, targets and weights have one row for each output:
///   mean      u with squash(u) = the teacher's mean action scaled to [-1, 1], where tanh is cut to +-0.995; weight
///             1 - tanh(u)^2 + 0.03, by how much the action moves. Without squashing the action itself, weight 1
///   gaussian  mean and log_std before squashing, weights 1 / sigma^2 and 2: the squared error is twice the
///             Kullback-Leibler divergence, to second order
///   logits    of a Boltzmann policy q / T, else 1 for the action that is played and -1 for the others, less their mean
///   density   each state makes a group of points, one for each action of a grid (shifted from state to state); target
///             is the log density less its mean over the group, weight the probability there, with a floor
class Samples {
 public:
  /// Throws `bad_value` where the teacher has no such function. The teacher must outlive this.
  Samples(const Policy& teacher, Head head, bool squash);

  /// Asks the teacher about more states (columns). States that policies visit count as often as they are added.
  void add(MatrixView<const double> states);

  Head head() const { return head_; }
  bool squash() const { return squash_; }
  std::size_t size() const { return columns_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t group() const { return group_; }  ///< points of one state: 1 but for a density
  MatrixView<const double> points() const { return {points_.data(), dimensions_, columns_}; }
  MatrixView<const double> targets() const { return {targets_.data(), outputs_, columns_}; }
  MatrixView<const double> weights() const { return {weights_.data(), outputs_, columns_}; }
  /// mean: the action scaled to [-1, 1]; logits and density: probabilities; gaussian: none.
  MatrixView<const double> played() const { return {played_.data(), played_.empty() ? 0 : outputs_, columns_}; }
  const Policy& teacher() const { return teacher_; }

 private:
  void ask_mean(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                MatrixView<double> played) const;
  void ask_gaussian(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight) const;
  void ask_logits(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                  MatrixView<double> played) const;
  void ask_density(MatrixView<const double> points, MatrixView<double> target, MatrixView<double> weight,
                   MatrixView<double> played) const;
  std::vector<double> expanded(MatrixView<const double> states) const;

  const Policy& teacher_;
  Contract contract_;  // that the embedding will act by
  Head head_;
  bool squash_;
  std::size_t dimensions_, outputs_, group_ = 1, columns_ = 0;
  std::vector<double> points_, targets_, weights_, played_;
};

/// The head that suits a teacher: `mean` or greedy `logits` where only the action that it plays without drawing is
/// embedded, else its whole distribution.
Head head_for(const Policy& teacher, bool whole_distribution);

/// Values of terms at samples: one row for each term. For a density each row is centred over the points of a state, so
/// that what depends on the state alone, which changes no distribution, counts as nothing.
struct Features {
  std::size_t terms = 0, columns = 0;
  std::vector<double> values;

  std::span<const double> row(std::size_t term) const { return std::span(values).subspan(term * columns, columns); }
};

/// Numbers that `Features` may hold, at most.
inline constexpr std::size_t most_features = std::size_t{1} << 28;

/// O(terms columns), on all threads. Throws `too_large` beyond `most_features`: take fewer states or terms.
Features evaluate_features(const Terms& terms, const Coordinates& coordinates, const Samples& samples,
                           const Progress& progress = {});
/// Some of the rows, in the order given.
Features select_rows(const Features& features, std::span<const std::size_t> chosen);

/// Terms in the order in which they were chosen: the first K are the choice for K.
struct TermPath {
  std::vector<std::size_t> chosen;
  std::vector<double> error;  ///< weighted squared error that is left after each, as a fraction of all
};

/// Orthogonal least squares in the inner product <f, h> = sum over samples of w f h: adds the term that lowers the
/// error most, given those before, score_j = <r, phi_j - Q Q' phi_j>^2 / |phi_j - Q Q' phi_j|^2 summed over outputs
/// (each as a fraction of its own size). Terms of which less than `reject` (of their squared norm) is new are left out:
/// on a circle cos^2 + sin^2 = 1, so such terms exist. Ties go to the first. Stops early when nothing is left. `begin`
/// is taken as given, in that order. O(N D K outputs), parallel over terms.
TermPath choose_terms(const Features& features, const Samples& samples, std::size_t most,
                      std::span<const std::size_t> begin = {}, double reject = 1e-6, const Progress& progress = {});

/// The same, one term at a time. Features and samples must outlive it and stay where they are.
class TermChooser {
 public:
  TermChooser(const Features& features, const Samples& samples, double reject = 1e-6, const Progress& progress = {});
  ~TermChooser();
  TermChooser(TermChooser&&) noexcept;
  TermChooser& operator=(TermChooser&&) noexcept;

  const TermPath& path() const;  ///< so far
  void take(std::size_t term, const Progress& progress = {});
  /// Takes the term that lowers the error most; false where nothing is left.
  bool next(const Progress& progress = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Weighted least squares: a row of coefficients for each output. `ridge` (relative) keeps near-duplicates in bounds.
std::vector<double> least_squares(const Features& features, const Samples& samples, double ridge = 1e-10);

/// What the played policy is judged by, per sample:
///   mean      (squash(f) - squash(g))^2, where squash is tanh or the cut to [-1, 1]
///   gaussian  the weighted squared error
///   logits, density   Kullback-Leibler divergence from the teacher
double objective(const Features& features, const Samples& samples, std::span<const double> coefficients);

struct Polish {
  std::size_t steps = 20;   ///< at most, 0 to 1000
  double tolerance = 1e-6;  ///< stops when a step gains less, relatively
  /// mean: share of the weighted squared error before squashing that is added, 0 to 1. A teacher that always saturates
  /// would otherwise drive coefficients to infinity, where nothing survives rounding.
  double hold = 1e-4;
  std::size_t ridge_steps = 0;  ///< of `move_ridges`, 0 to 1000; 0: ridges stay as they were chosen
};
/// Lowers `objective` from where least squares stopped: Levenberg-Marquardt (mean), Newton (density), majorisation
/// (logits). Never raises it. O(steps N K^2).
std::vector<double> polish(const Features& features, const Samples& samples, std::vector<double> coefficients,
                           const Polish& options = {}, const Progress& progress = {});

/// Lowers `objective` by moving the ridges themselves: `ridge_steps` of Levenberg-Marquardt over coefficients,
/// directions and biases together, then an eighth of the ridges after the other goes onto a grid of the terms' bits,
/// whose unit is chosen, while the rest takes up what that did. Large slopes and coefficients are held back a little.
/// For logits nothing moves. Coefficients follow; polish them afterwards. O(steps N (K outputs + R (d + 1))^2) for R
/// ridges, and N (2 K + d + 1) numbers of memory.
Terms move_ridges(Terms terms, const Coordinates& coordinates, const Samples& samples,
                  std::vector<double>& coefficients, const Polish& options);

/// Rounds to the code's format so that the objective suffers least: one coefficient after the other, each time the rest
/// takes up what rounding did, by the objective's second derivatives, and then single units where that helps (up to 64
/// terms). Returns the code with scales and coefficients filled in. Floats are rounded each for itself; where some are
/// beyond float16, all are fitted again by least squares with the ridge that serves best once rounded.
ContinuousCode round_coefficients(ContinuousCode code, const Features& features, const Samples& samples,
                                  std::span<const double> coefficients);

/// What the functions of a dictionary are.
enum class DictionaryKind {
  tensor,    ///< products of one-dimensional functions of a `Family`
  ridge,     ///< functions of one direction each
  mixed,     ///< Chebyshev products, ridges and RBFs
  kernel,    ///< a `Kernel` at landmarks
  features,  ///< random Fourier features of a `Kernel`
};

/// The functions of a dictionary. From a text: a family ("legendre", "chebyshev", "cosine", "hermite", "fourier"),
/// "ridge", "mixed", "kernel:KERNEL", "rff" or "rff:KERNEL", with KERNEL gaussian, matern32 or matern52.
struct DictionaryBasis {
  DictionaryKind kind = DictionaryKind::tensor;
  Family family = Family::chebyshev;  ///< of `tensor`
  Kernel kernel = Kernel::matern52;   ///< of `kernel` and `features`

  DictionaryBasis() = default;
  DictionaryBasis(std::string_view text);  ///< throws `unknown_name`
  DictionaryBasis(const std::string& text) : DictionaryBasis(std::string_view(text)) {}
  DictionaryBasis(const char* text) : DictionaryBasis(std::string_view(text)) {}
};

/// The texts that `DictionaryBasis` takes.
const std::vector<std::string>& known_continuous_bases();

/// Which functions a continuous embedding may choose from.
struct DictionaryOptions {
  DictionaryBasis basis{};
  std::size_t degree = 5;    ///< of tensor products, 0 to 16
  bool lower_degree = true;  ///< where that makes more functions than fit: otherwise they are refused
  IndexRule rule = IndexRule::total;
  std::vector<std::uint8_t> limits{};  ///< of the degree along each axis; empty: none
  std::size_t knots = 0;               ///< bends in each axis, 0 to 15, by where visited states are
  double temper = 0.5;                 ///< how far they follow the states, 0 to 1
  std::size_t candidates = 400;        ///< ridges, centres and random features to choose from, 1 to 65536
  unsigned bits = 4;                   ///< of a ridge's numbers, 3 to 8; centres have one more
  double length = 0;                   ///< of kernels, in units of half the range; 0: chosen
};

struct ContinuousOptions {
  DictionaryOptions dictionary{};
  std::size_t k = 6;  ///< terms, 1 to 4096
  NumberFormat format = NumberFormat::int8;
  Act act = Act::mean;         ///< what is embedded: the mean action, or the whole distribution
  bool squash = true;          ///< mean actions through tanh; otherwise through the cut to the box
  std::size_t episodes = 200;  ///< of the teacher, and of every candidate
  std::size_t states = 5000;   ///< of the teacher's that the fit sees, 1 to 10^6
  std::size_t rounds = 5;      ///< fits; after each, states that the candidate visits are added
  std::uint64_t seed = 0;
  Polish polish{};
};

/// Throws what is wrong with the options before any work is done.
void check_options(const ContinuousOptions& options, const Policy& teacher);

/// Coordinates for a teacher: its observation box where that is finite, else ranges from visited states.
Coordinates choose_coordinates(const Policy& teacher, Head head, const DictionaryOptions& options,
                               MatrixView<const double> states, StoredRanges& ranges);
/// The dictionary that the options describe. `states` (columns) are where bumps may be.
Terms make_dictionary(const DictionaryOptions& options, const Coordinates& coordinates, MatrixView<const double> points,
                      std::uint64_t seed);

/// States (columns) picked evenly from rollouts with steps: at most `most`.
struct StateMatrix {
  std::size_t dimensions = 0;
  std::vector<double> values;
  MatrixView<const double> view() const { return {values.data(), dimensions, values.size() / dimensions}; }
};
StateMatrix pick_states(const Rollouts& rollouts, std::size_t most);

/// E[(1 - pi2(a|s) / pi1(a|s))^+], a drawn from pi1: the mean over states (columns) of the total variation between two
/// policies that have densities, without bias. The spread of the estimate is below 1 / sqrt(states).
double mean_total_variation(const Policy& first, const Policy& second, MatrixView<const double> states,
                            std::uint64_t seed);

/// A fit of K terms of a dictionary to samples: choice, least squares, polish, rounding.
ContinuousEmbedding fit_embedding(const ContinuousCode& shape, const Terms& dictionary, const Samples& samples,
                                  std::size_t k, const Polish& options, const std::string& name,
                                  const Progress& progress = {});

/// One fit of the route and what it earned in `episodes` episodes.
struct ContinuousRound {
  ContinuousEmbedding embedding;
  double objective = 0;  ///< per sample, on the states it was fitted to
  double loss = 0;       ///< mean return of the teacher less its own, same starts
};
/// Plays the teacher, fits, adds the states that the candidate visits, and fits again; the candidate that lost least
/// comes first. With `Act::sample` all that is played is drawn.
std::vector<ContinuousRound> make_continuous(const Env& env, const Policy& teacher, const ContinuousOptions& options,
                                             const Progress& progress = {});

/// Something that an embedding keeps or leaves out as one: a function, a coefficient, a conjugate pair, a rank.
struct KeptTerm {
  std::string name;        ///< "T1(speed) T2(cos_theta)", "coefficient (3, 5)", "rank 2"
  double energy = 0;       ///< what it adds to the mean square of the function, or to the squares of the table
  double coefficient = 0;  ///< NaN where it has several
  std::size_t count = 1;   ///< what it counts towards K
};

/// The terms of an embedding by falling energy, and the embedding with fewer of them.
///
/// What is left is not fitted again: coefficients stay as they are, to the bit. The payload of a smaller embedding is
/// encoded anew, so that its bytes count only what it keeps. Mixtures and draws take rows alone and have no terms: they
/// can only be had whole.
class TermChoice {
 public:
  /// `observations` (columns, may be none) are where a continuous embedding's energies are averaged; without them, and
  /// for a density, squared coefficients rank.
  explicit TermChoice(const Embedding& embedding, MatrixView<const double> observations = {});
  ~TermChoice();
  TermChoice(TermChoice&&) noexcept;

  const std::vector<KeptTerm>& terms() const { return terms_; }
  std::size_t k() const { return k_; }  ///< of all terms
  /// How many of the first terms fit into K.
  std::size_t terms_within(std::size_t k) const;
  /// At most `most` legal K, rising, about evenly spaced in their logarithm; the last is k().
  std::vector<std::size_t> sizes(std::size_t most) const;

  /// The first terms that fit into K (1 to k()), without those numbered in `off`. Throws `out_of_range` for another K
  /// or number, `bad_value` if nothing is left.
  Embedding keep(std::size_t k, std::span<const std::size_t> off = {}) const;

  /// Does the work for one route.
  class Route;

 private:
  Embedding whole_;
  std::vector<KeptTerm> terms_;
  std::unique_ptr<Route> route_;
  std::size_t k_ = 0;
};

}  // namespace mercer
