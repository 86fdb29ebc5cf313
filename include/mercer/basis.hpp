#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// A table of doubles with any number of axes, row-major: the last axis is contiguous. A *row* is the last axis (the
/// actions) at one index of all axes before it (the states); rows are counted in row-major order.
struct Table {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  std::size_t columns() const { return shape.back(); }
  std::size_t rows() const { return values.size() / shape.back(); }
  MatrixView<double> matrix() { return {values.data(), rows(), columns()}; }
  MatrixView<const double> matrix() const { return {values.data(), rows(), columns()}; }
};

/// Number of entries of a table of this shape. Throws `shape_mismatch` for no axes, an empty axis or more than 8 axes,
/// `too_large` beyond 2^40 entries.
std::size_t table_size(std::span<const std::size_t> shape);

/// Throws `shape_mismatch` unless the shape is legal and has as many entries as there are values, and `not_finite` for
/// NaN and infinity. `what` names the table in the message.
void check_table(std::string_view what, std::span<const std::size_t> shape, std::span<const double> values);

/// Throws `shape_mismatch` unless there are `needed` values.
void check_count(std::string_view what, std::size_t given, std::size_t needed);

/// Throws `not_finite` for NaN and infinity, naming the first.
void check_finite(std::string_view what, std::span<const double> values);

/// Coefficients that are kept or dropped together: a single one, or both of a conjugate pair (`second` differs then).
struct Term {
  std::size_t first = 0;
  std::size_t second = 0;
  double energy = 0;      ///< what dropping the term adds to the squared L2 error, for an orthonormal basis
  std::size_t count = 1;  ///< what it counts towards K: 1, or 2 for a pair
  bool mean = false;      ///< the constant function, without which rows lose mass

  friend bool operator==(const Term&, const Term&) = default;
};

/// How many real numbers K terms cost, beside the set of their indices.
struct ParameterCount {
  std::size_t published = 0;  ///< as the published work counts
  std::size_t stored = 0;     ///< the real numbers that must be stored

  friend bool operator==(const ParameterCount&, const ParameterCount&) = default;
};

/// Values of a table from its kept coefficients alone, without rebuilding the table. Const: any number of threads share
/// one. Nothing allocates per call once a thread has made its first.
class RowEvaluator {
 public:
  virtual ~RowEvaluator() = default;

  /// All columns of one row, before any projection to the simplex. `out` has one place per column.
  virtual void row(std::size_t row, std::span<double> out) const = 0;
  virtual double entry(std::size_t row, std::size_t column) const = 0;
};

/// A way to write a table as coefficients: train once, then apply and reverse.
///
///     auto basis = make_basis("fourier");
///     basis->train(table);
///     std::vector<double> coefficients = basis->apply(table.values);
///     Truncation truncation(basis->terms(coefficients));
///     std::vector<double> smaller = keep_only(coefficients, truncation.kept(500));
///     Table approximation{table.shape, basis->reverse(smaller)};
///
/// Coefficients are real, and for an orthonormal basis their squares sum to the table's.
class Basis {
 public:
  virtual ~Basis() = default;

  /// The text that makes this basis again.
  virtual std::string name() const = 0;

  /// Fixes the shape and, where the basis depends on data, learns from the table. `row_weights` (how often each row is
  /// visited; empty: all the same) matter only to bases that say so.
  virtual void train(const Table& table, std::span<const double> row_weights = {}) = 0;

  /// Coefficients of a table of the trained shape: `size()` numbers.
  virtual std::vector<double> apply(std::span<const double> table) const = 0;
  /// The table of these coefficients, zeros for those that were dropped.
  virtual std::vector<double> reverse(std::span<const double> coefficients) const = 0;

  /// Which coefficients belong together and what each group weighs, by rising index.
  virtual std::vector<Term> terms(std::span<const double> coefficients) const = 0;
  /// The cost of keeping `k` (for the SVD a rank, otherwise coefficients).
  virtual ParameterCount parameters(std::size_t k) const { return {k, k}; }

  /// Evaluates from the coefficients at `kept` (indices, each once, in any order); the others count as zero.
  virtual std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                                  std::span<const std::size_t> kept) const = 0;

  /// Whether sums of rows have coefficients of their own: where all rows sum to one, all of these but the mean's are 0.
  virtual bool splits_row_sums() const { return false; }

  /// Whether energies of dropped terms add up to the squared error (for a weighted SVD: to the weighted one).
  virtual bool orthonormal() const { return true; }

  const std::vector<std::size_t>& shape() const { return shape_; }
  virtual std::size_t size() const = 0;  ///< number of coefficients

  /// The indices that are kept for K, rising: those of the largest terms. Throws `out_of_range`.
  virtual std::vector<std::size_t> choose(std::span<const double> coefficients, std::size_t k) const;

 protected:
  /// Checks values and remembers the shape.
  void fix_shape(const Table& table);
  /// Throws unless `train` was called and the count is right; what `apply` and `reverse` call first.
  void check_values(std::span<const double> table) const;
  void check_coefficients(std::span<const double> coefficients) const;
  /// Checks `kept` too.
  void check_kept(std::span<const double> coefficients, std::span<const std::size_t> kept) const;

 private:
  std::vector<std::size_t> shape_;
};

/// A copy with zeros everywhere but at `kept`.
std::vector<double> keep_only(std::span<const double> coefficients, std::span<const std::size_t> kept);

/// How a row of a reconstruction becomes a distribution again.
enum class SimplexRule {
  clip,       ///< negative entries to zero, then divide by the sum: TV to the true row is at most the L1 error
  euclidean,  ///< the nearest distribution in L2: never farther from the true row than the reconstruction was
  softmax,    ///< exp and divide: for tables of logits (`logits_of_rows`), since it changes rows that are distributions
};
template <>
struct Names<SimplexRule> {
  static constexpr std::string_view kind = "projection";
  static constexpr Spelling<SimplexRule> table[] = {
      {SimplexRule::clip, "clip"}, {SimplexRule::euclidean, "euclidean"}, {SimplexRule::softmax, "softmax"}};
};

/// Projects every row in place. Returns how many rows had nothing positive to clip to and became uniform (clip only).
/// Costs O(m) a row, euclidean O(m log m). Throws `not_finite` for NaN and infinity.
std::size_t project_rows(MatrixView<double> rows, SimplexRule rule = SimplexRule::clip);

/// One row of at least one entry. Returns whether it had nothing positive to clip to. Allocates nothing once the thread
/// has projected a row as long.
bool project_row(std::span<double> row, SimplexRule rule = SimplexRule::clip);

/// Odds against the likeliest entry of a row below which `logits_of_rows` does not go.
inline constexpr double smallest_odds = 1e-3;

/// Distributions p, one a row, as logits in place: h(a) = ln max(p(a), smallest_odds max p), less the row's mean. With
/// q = softmax(h) is TV(p, q) <= m smallest_odds, and 0 where no entry is below the floor. What is added to all logits
/// of a row changes nothing, so rows sum to zero and coefficients that are constant over the actions vanish. O(m) a
/// row. Throws `bad_value` for a row without a positive entry.
void logits_of_rows(MatrixView<double> rows);

/// The discrete Fourier transform of a real table over all its axes, all complex coefficients, as numpy.fft.fftn:
/// F[k] = sum_x table[x] exp(-2 pi i sum_d k_d x_d / n_d). O(N log N).
std::vector<std::complex<double>> fourier(const Table& table);

/// The real table of a spectrum: (1/N) sum_k F[k] exp(+2 pi i ...). The spectrum of a real table is conjugate
/// symmetric; of any other the symmetric part (F[k] + conj F[-k]) / 2 is used: the real part of what numpy gives.
Table inverse_fourier(std::span<const std::complex<double>> spectrum, std::vector<std::size_t> shape);

/// Fourier coefficients as real numbers, orthonormal, in a table of the same shape as the values:
/// at k the real part and at -k (mod shape) the imaginary part of sqrt(2/N) F[k], for the k that comes first in
/// row-major order; where k = -k the real number F[k] / sqrt(N). A pair is one term of two real parameters.
class FourierBasis final : public Basis {
 public:
  std::string name() const override { return "fourier"; }
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O(K + m per action frequency in use) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool splits_row_sums() const override { return true; }
  std::size_t size() const override;
};

/// Step 4 of the published pseudocode to the letter: what it computes, not what it means. Coefficients are the real
/// parts of numpy.fft.fftshift(numpy.fft.fftn(table)), flattened; `choose` keeps all that are not below the one that
/// has K larger ones, so K + 1 and more where values repeat, and large negative ones never; the inverse treats the flat
/// spectrum as one axis. Even with all coefficients the table does not come back. docs/reference/reproduction.md
/// measures what each of this costs.
class PrintedFourierBasis final : public Basis {
 public:
  std::string name() const override { return "fourier:printed"; }
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  /// By their squares, which are no energies here: `choose` goes by sign.
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  std::vector<std::size_t> choose(std::span<const double> coefficients, std::size_t k) const override;
  ParameterCount parameters(std::size_t k) const override { return {k, k + 1}; }
  /// O(K m) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override { return false; }
  std::size_t size() const override;
};

/// The orthonormal cosine transform (DCT-II) over all axes, as scipy.fft.dctn(norm="ortho"): per axis of length n
/// c[k] = sqrt((k == 0 ? 1 : 2) / n) sum_x table[x] cos(pi (2 x + 1) k / (2 n)). O(N log N).
Table cosine(const Table& table);
Table inverse_cosine(const Table& coefficients);

/// Cosines: the natural basis for axes that do not wrap around. Orthonormal; one real parameter a term.
class CosineBasis final : public Basis {
 public:
  std::string name() const override { return "dct"; }
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O(K + m per action frequency in use) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool splits_row_sums() const override { return true; }
  std::size_t size() const override;
};

struct WaveletPlan;
class WaveletAxis;

/// Taps of an orthonormal Daubechies filter pair, named as PyWavelets names them.
struct WaveletFilter {
  std::string name;
  std::vector<double> dec_lo, dec_hi, rec_lo, rec_hi;
};

/// "haar" (the same as "db1") or "db1" to "db10": dbN has N vanishing moments and 2 N taps, so db4 has 8.
WaveletFilter wavelet_filter(std::string_view name);

enum class WaveletMode {
  periodization,  ///< axes wrap around; an odd length repeats its last entry first. ceil(n / 2) per band
  symmetric,      ///< axes are mirrored at their ends. floor((n + taps - 1) / 2) per band: more numbers than entries
};
template <>
struct Names<WaveletMode> {
  static constexpr std::string_view kind = "mode of a wavelet";
  static constexpr Spelling<WaveletMode> table[] = {{WaveletMode::periodization, "periodization"},
                                                    {WaveletMode::symmetric, "symmetric"}};
};

/// The depth that PyWavelets uses by default: floor(log2(shortest axis / (taps - 1))), at least 0. For db4 that is 0 on
/// an axis of 10, i.e. no transform at all, and 1 on 15.
std::size_t wavelet_default_level(std::span<const std::size_t> shape, const WaveletFilter& filter);

/// One band of a decomposition: `key` has a letter per axis, 'a' for low-pass and 'd' for high-pass, as in PyWavelets'
/// dwtn; in two dimensions "da" is cH, "ad" is cV and "dd" is cD. Level 1 is the finest.
struct WaveletBand {
  std::size_t level = 0;
  std::string key;
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// A multilevel decomposition over all axes, as PyWavelets' wavedecn: the coarsest approximation first, then the
/// details from coarse to fine, in each level those with axis 0 high-pass first (cH, cV, cD). O(N taps). `level` unset:
/// `wavelet_default_level`. Legal: 0 to 40; where axes are shorter than the filter they wrap repeatedly.
struct WaveletDecomposition {
  std::vector<std::size_t> shape;  ///< of the table
  std::vector<WaveletBand> bands;
};
WaveletDecomposition wavelet(const Table& table, const WaveletFilter& filter,
                             WaveletMode mode = WaveletMode::periodization,
                             std::optional<std::size_t> level = std::nullopt);
Table inverse_wavelet(const WaveletDecomposition& decomposition, const WaveletFilter& filter,
                      WaveletMode mode = WaveletMode::periodization);

struct WaveletOptions {
  std::string filter = "db4";
  WaveletMode mode = WaveletMode::periodization;
  std::optional<std::size_t> level;  ///< 0 to 40; unset: as deep as PyWavelets would go, but at least 1
};

/// Wavelet coefficients: all bands one after the other in the order of `WaveletDecomposition`. Orthonormal when
/// periodised and every axis halves evenly at each level; otherwise there are more coefficients than entries and
/// energies of dropped terms only estimate the error.
class WaveletBasis final : public Basis {
 public:
  explicit WaveletBasis(WaveletOptions options = {});
  ~WaveletBasis() override;

  std::string name() const override;
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O(levels taps^(d-1)) plus the kept coefficients that touch the row; an entry O(levels taps^d).
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override;
  std::size_t size() const override;
  std::size_t level() const;  ///< the depth in use, after `train`

 private:
  WaveletOptions options_;
  WaveletFilter filter_;
  std::shared_ptr<const WaveletPlan> plan_;
};

/// The full periodised wavelet transform of every axis by itself, down to a single approximation: products of
/// one-dimensional wavelets of any two scales. Along an axis stand [a | d coarsest ... d finest].
///
/// Unlike those of `WaveletBasis`, all basis functions but the ones that are constant over the actions sum to zero
/// there: with the mean kept, truncated rows keep their mass. Orthonormal when every axis is a power of two; other
/// lengths are padded by their last entry where they are odd, which adds coefficients. low[i] = sum_k h[k] x[(2 i + k)
/// mod length].
class TensorWaveletBasis final : public Basis {
 public:
  explicit TensorWaveletBasis(std::string_view filter = "db4");
  ~TensorWaveletBasis() override;

  std::string name() const override;
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O((levels taps)^(d-1)) plus the kept coefficients that touch the row and O(m taps); an entry O((levels taps)^d).
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool splits_row_sums() const override { return orthonormal(); }
  bool orthonormal() const override;
  std::size_t size() const override;

 private:
  WaveletFilter filter_;
  std::shared_ptr<const std::vector<WaveletAxis>> axes_;
};

/// table = u diag(s) vt with orthonormal columns of u and rows of vt, singular values falling.
/// The largest entry (the first of equals, by magnitude) of each row of vt is positive, so signs are the same each
/// time.
struct Svd {
  std::size_t rows = 0, columns = 0, rank = 0;
  std::vector<double> u;   ///< rows x rank
  std::vector<double> s;   ///< rank
  std::vector<double> vt;  ///< rank x columns
};

/// The thin decomposition, rank = min(rows, columns). O(rows columns min(rows, columns)): QR first, then divide and
/// conquer on the triangle.
Svd svd(MatrixView<const double> table);
/// The leading `rank` triples (1 to min(rows, columns)).
Svd truncated_svd(MatrixView<const double> table, std::size_t rank);

struct SketchOptions {
  std::size_t oversample = 10;  ///< 0 to 1000 random directions beyond the rank
  std::size_t powers = 2;       ///< 0 to 20 passes that sharpen the range; more for slowly falling singular values
  std::uint64_t seed = 0;
};
/// The leading triples from a random sketch of the range: O(rows columns rank), close but not exact.
Svd randomised_svd(MatrixView<const double> table, std::size_t rank, const SketchOptions& options = {});

struct SvdOptions {
  std::size_t rank = 0;     ///< 1 to min(n, m); 0: all, and min(n, m) for tables where it is smaller
  bool centred = false;     ///< factor table - 1/m and add 1/m back: rows keep their mass at any rank
  bool weighted = false;    ///< weigh rows by how often they are visited, so that errors there count more
  bool randomised = false;  ///< `randomised_svd` with the options below
  SketchOptions sketch = {};
};

/// What rank k of a table of n x m costs: (n + m) k stored numbers; m k + k^2 + n k as published.
ParameterCount svd_parameters(std::size_t rows, std::size_t columns, std::size_t k);

/// The table's own best basis: term k is s_k u_k v_k^T, so K is a rank. The rank costs (n + m) K stored numbers (s goes
/// into u); the published count is m K + K^2 + n K. Tables with more axes are taken as rows x columns.
class SvdBasis final : public Basis {
 public:
  explicit SvdBasis(SvdOptions options = {});

  std::string name() const override;
  /// Visitation weights are normalised; rows never visited still get a thousandth of an even share.
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  /// c_k = u_k^T (table - centre) v_k: the singular values for the table it was trained on.
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  ParameterCount parameters(std::size_t k) const override;
  /// O(K m) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override { return true; }
  std::size_t size() const override { return factors_.rank; }
  const Svd& factors() const { return factors_; }
  const SvdOptions& options() const { return options_; }

 private:
  SvdOptions options_;
  Svd factors_;                 // u is that of the weighted table
  std::vector<double> scales_;  // square roots of row weights; empty: all one
  double centre_ = 0;
};

/// The families of ways to write a table.
enum class BasisFamily {
  fourier,
  dct,
  wavelet,         ///< `WaveletBasis`
  tensor_wavelet,  ///< `TensorWaveletBasis`
  svd,
  gmm,              ///< K Gaussians of one action dimension for each row: K - 1 weights, K means, K spreads
  fixed_gmm,        ///< K Gaussians that follow from the common action edges: K - 1 weights
  mle,              ///< K actions drawn from each row: how often each came
  printed_fourier,  ///< `PrintedFourierBasis`
};

/// A way to write a table, with its settings. From a short text: "fourier" (":printed"), "dct", "haar", "db1" to "db10"
/// (":mode=symmetric,level=2" or ":tensor"), "svd" (":centred,weighted,rank=20,randomised"), "gmm" and "fixed-gmm"
/// (":iterations=100"), "mle". See docs/reference/bases.md.
struct BasisSpec {
  BasisFamily family = BasisFamily::fourier;
  WaveletOptions wavelet{};      ///< of `wavelet`; of `tensor_wavelet` the filter alone
  SvdOptions svd{};              ///< of `svd`
  std::size_t iterations = 100;  ///< of expectation-maximisation for `gmm` and `fixed_gmm`, 0 to 1e6

  BasisSpec() = default;
  /// Throws `unknown_name` with the nearest known name or setting, `bad_value`, `out_of_range`.
  BasisSpec(std::string_view text);
  BasisSpec(const std::string& text) : BasisSpec(std::string_view(text)) {}
  BasisSpec(const char* text) : BasisSpec(std::string_view(text)) {}

  /// Whether each row is written by itself, so that there is no `Basis`.
  bool row_by_row() const { return family >= BasisFamily::gmm && family <= BasisFamily::mle; }
};

/// The text that makes it again, settings in a fixed order.
std::string to_text(const BasisSpec& spec);

/// A basis that has yet to be trained. `seed` is used by the randomised SVD only. Throws `bad_value` for what goes row
/// by row.
std::unique_ptr<Basis> make_basis(const BasisSpec& spec, std::uint64_t seed = 0);

/// The names that `BasisSpec` knows, without settings: those of bases, and of what goes row by row.
std::vector<std::string> known_bases();
std::vector<std::string> known_row_models();

/// The leading singular values and right singular vectors of a tall table; the left ones are rows of table * v / s.
struct RowSvd {
  std::size_t rows = 0, columns = 0, rank = 0;
  std::vector<double> s;   ///< rank, falling
  std::vector<double> vt;  ///< rank x columns, signs as those of `Svd`
};

/// Fills rows [begin, end) of the table, row after row. Called from several threads at once, for any rows.
using RowReader = std::function<void(std::size_t begin, std::size_t end, std::span<double> values)>;
/// Takes rows [begin, end) of the left factor (rank columns). From several threads at once, each row once.
using RowWriter = std::function<void(std::size_t begin, std::size_t end, std::span<const double> values)>;

/// How rows are cut: a chain of `blocks` blocks of `rows` rows makes one triangle, and those are joined in order.
struct RowBlocks {
  std::size_t rows = 1024;  ///< at least 1
  std::size_t blocks = 64;  ///< at least 1
};

/// The decomposition of a table that nobody holds, by tall-skinny QR: each block of rows is factored under the triangle
/// of the blocks before it in its chain, the triangles of the chains, which are all that processes exchange, are joined
/// in the same way, and the last triangle is decomposed. Errors of s and v are those of Householder QR, a small
/// multiple of 1e-16 times the largest singular value: no squares of the table are formed.
///
/// Every process of the team reads the chains that fall to it and gets the same result, which follows the chains, not
/// the processes: the same bytes for any number of them and of threads. Reads the table once. O(rows columns^2); memory
/// (rows of a block + columns) x columns for each thread, and columns^2 for each chain.
///
/// `rank` from 1 to min(rows, columns); columns up to 4096. Throws `out_of_range`, `not_finite`.
RowSvd row_svd(std::size_t rows, std::size_t columns, std::size_t rank, const RowReader& read, const Team& team,
               const RowBlocks& cut = {});

/// The left factor u = table v / s of the rows of this process's chains, block by block in one more pass over the
/// table. Columns whose s is below 1e-13 of the largest are zero: they have no direction. Columns of u are orthonormal
/// up to 1e-16 s_1 / s_k.
void row_factors(const RowSvd& of, const RowReader& read, const RowWriter& write, const Team& team,
                 const RowBlocks& cut = {});

enum class Covariance { diagonal, full };
template <>
struct Names<Covariance> {
  static constexpr std::string_view kind = "covariance";
  static constexpr Spelling<Covariance> table[] = {{Covariance::diagonal, "diagonal"}, {Covariance::full, "full"}};
};

/// A mixture of K Gaussians in d dimensions.
struct Mixture {
  std::size_t dimensions = 0;
  Covariance covariance = Covariance::diagonal;
  std::vector<double> weights;    ///< K, not negative, sum one
  std::vector<double> means;      ///< K x d
  std::vector<double> variances;  ///< K x d (diagonal) or K x d x d (full, symmetric)

  std::size_t size() const { return weights.size(); }
  /// Real numbers that must be stored: K - 1 weights, K d means and the variances.
  std::size_t parameters() const;
};

/// log sum_k w_k N(x; mean_k, variance_k), by log-sum-exp, at every row of `points`. O(points K d), full O(points K
/// d^2).
std::vector<double> log_density(const Mixture& mixture, MatrixView<const double> points);

struct MixtureOptions {
  std::size_t iterations = 100;                  ///< 0 to 1e6 rounds of expectation and maximisation
  Covariance covariance = Covariance::diagonal;  ///< that of `start`, where one is given
  double floor = 1e-6;                           ///< added to variances so that none collapses; 0 to 1e6
  double tolerance = 0;                          ///< stop when the mean log-likelihood gains less; 0: never
  std::uint64_t seed = 0;                        ///< of the k-means++ start
  bool weights_only = false;                     ///< means and variances stay as they started
};

struct MixtureFit {
  Mixture mixture;
  /// Mean log-likelihood of the points under the start and after each round; never falls (but for the floor).
  std::vector<double> log_likelihoods;
};

/// Expectation-maximisation from samples (one row each) or a weighted grid (`weights`: not negative, not all zero;
/// empty: all one). Without `start`, k-means++ picks `k` points as means, the variances are the data's.
MixtureFit fit_mixture(MatrixView<const double> points, std::size_t k, std::span<const double> weights = {},
                       const std::optional<Mixture>& start = std::nullopt, const MixtureOptions& options = {});

/// A mixture to fit with `weights_only`: equal weights, means uniform over the box (in one dimension evenly spaced,
/// otherwise drawn), variances {0.1, 0.5, 1, 2} in turn. Only its K - 1 weights are parameters.
Mixture fixed_mixture(std::size_t k, std::span<const double> low, std::span<const double> high, std::uint64_t seed = 0);

/// The baseline: every row of probabilities is replaced by the frequencies of `k` actions drawn from it. Its error
/// falls as 1 / sqrt(k). Row r draws the same whatever rows stand around it.
void sample_rows(MatrixView<double> rows, std::size_t k, std::uint64_t seed);

/// The best K coefficients for every K at once: one sort, one curve of energies.
///
/// Terms are ranked by energy per counted coefficient (for a conjugate pair that is its squared magnitude), ties by
/// index. They are taken in that order while they fit; a single place that is left over goes to the next single term.
/// In an orthonormal basis no other K coefficients have a smaller error, unless a place was left over. O(n log n) once.
class Truncation {
 public:
  /// With `keep_mean` a term marked as mean comes before all others, so that truncation preserves the mass of rows.
  explicit Truncation(std::vector<Term> terms, bool keep_mean = true);

  /// The terms in the order in which they are taken.
  const std::vector<Term>& ranked() const { return ranked_; }
  /// The largest K: what all terms count together.
  std::size_t size() const { return size_; }

  /// Indices of the coefficients kept for K (0 to size()), rising. One fewer than K where only pairs are left.
  std::vector<std::size_t> kept(std::size_t k) const;
  /// Energy of all that is dropped for K; not rising in K, exactly zero at size().
  double discarded_energy(std::size_t k) const;
  /// discarded_energy for K = 0 to size().
  std::vector<double> energy_curve() const;
  /// The smallest K whose discarded energy is at most `energy` (not negative).
  std::size_t smallest_k(double energy) const;

 private:
  // The choice for K: the first `prefix` terms, and one more (or none: ranked_.size()).
  struct Choice {
    std::size_t prefix;
    std::size_t filler;
  };
  Choice choose(std::size_t k) const;

  std::vector<Term> ranked_;
  std::vector<std::size_t> counted_;      // places that the first i terms take
  std::vector<double> tail_;              // energy of terms i and after
  std::vector<std::size_t> next_single_;  // first term at or after i that takes one place
  std::size_t size_ = 0;
};

/// What `Truncation(terms, keep_mean).kept(k)` gives, without ranking them all: O(n)
/// unless most are about as large as the K-th. Throws `out_of_range` as it does.
std::vector<std::size_t> largest_kept(std::span<const Term> terms, std::size_t k, bool keep_mean = true);

}  // namespace mercer
