#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"

namespace mercer {

/// Functions of one coordinate x in [-1, 1] that are orthonormal in L2 of a probability measure there. On a periodic
/// axis every family is Fourier's: 1, sqrt(2) cos(pi x), sqrt(2) sin(pi x), sqrt(2) cos(2 pi x), ..., measure dx / 2.
enum class Family {
  legendre,   ///< sqrt(2k + 1) P_k(x), measure dx / 2
  chebyshev,  ///< 1, then sqrt(2) T_k(x); measure dx / (pi sqrt(1 - x^2))
  cosine,     ///< 1, then sqrt(2) cos(k pi (x + 1) / 2), measure dx / 2
  hermite,    ///< He_k(3 x) / sqrt(k!), measure: the normal distribution of 3 x, which reaches beyond the interval
};
/// "fourier" is the cosines, which are Fourier's on periodic axes.
template <>
struct Names<Family> {
  static constexpr std::string_view kind = "family of functions";
  static constexpr Spelling<Family> table[] = {{Family::legendre, "legendre"},
                                               {Family::chebyshev, "chebyshev"},
                                               {Family::cosine, "cosine", "fourier"},
                                               {Family::hermite, "hermite"}};
};

/// How often function `index` oscillates: its index, on a periodic axis the frequency (0, 1, 1, 2, 2, ...).
inline std::size_t frequency(std::size_t index, bool periodic) { return periodic ? (index + 1) / 2 : index; }

/// out[k] = function k at x, for k = 0 .. out.size() - 1. Three-term recurrences: O(out.size()).
void evaluate_family(Family family, bool periodic, double x, std::span<double> out);

/// Which products of one-dimensional functions there are.
enum class IndexRule {
  total,  ///< sum over d of k_d <= degree
  cross,  ///< product over d of (1 + k_d) <= degree + 1: the hyperbolic cross, for more than a few dimensions
};
template <>
struct Names<IndexRule> {
  static constexpr std::string_view kind = "index set";
  static constexpr Spelling<IndexRule> table[] = {{IndexRule::total, "total"}, {IndexRule::cross, "cross"}};
};

/// A set of multi-indices k, where k_d is the frequency along axis d; on a periodic axis each but 0 stands for a cosine
/// and a sine. In lexicographic order.
struct IndexSet {
  IndexRule rule = IndexRule::total;
  std::size_t degree = 1;              ///< 0 to 16
  std::vector<std::uint8_t> limits{};  ///< largest k_d along each axis; empty: no further limit
  std::vector<std::uint8_t> periodic;  ///< one for each axis, 1 to 256 of them

  std::size_t dimensions() const { return periodic.size(); }
};

/// How many there are, counted up to `most`: O(dimensions degree^2).
std::size_t count_indices(const IndexSet& set, std::size_t most);

/// All of them, one after the other: place d of multi-index j is the number of the function along axis d. Throws
/// `too_large` beyond 65536 of them.
std::vector<std::uint8_t> list_indices(const IndexSet& set);

/// Eigenvalue of the tensor Sobolev kernel sum over j of lambda_j phi_j(x) phi_j(y): the product over d of
/// (1 + k_d^2)^-smoothness.
double sobolev_eigenvalue(std::span<const std::uint8_t> index, std::span<const std::uint8_t> periodic,
                          double smoothness);

/// sqrt(sum over j of c_j^2 / lambda_j): the norm in the kernel's space of the function with these coefficients.
double rkhs_norm(std::span<const double> coefficients, std::span<const double> eigenvalues);

/// Kernels of the distance rho = |x - y| / length, with k(x, x) = 1.
enum class Kernel {
  gaussian,  ///< exp(-rho^2 / 2)
  matern32,  ///< (1 + sqrt(3) rho) exp(-sqrt(3) rho)
  matern52,  ///< (1 + sqrt(5) rho + 5 rho^2 / 3) exp(-sqrt(5) rho)
};
template <>
struct Names<Kernel> {
  static constexpr std::string_view kind = "kernel";
  static constexpr Spelling<Kernel> table[] = {
      {Kernel::gaussian, "gaussian"}, {Kernel::matern32, "matern32"}, {Kernel::matern52, "matern52"}};
};

/// k at a squared distance in units of the length: rho^2.
double kernel_value(Kernel kernel, double squared);

/// out(i, j) = k(column i of x, column j of y), |.| Euclidean over the rows. O(columns^2 rows), on all threads.
void kernel_matrix(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y,
                   MatrixView<double> out);

/// The tensor Sobolev kernel on [-1, 1]^d by its cosines: the product over axes of the sum over k up to `most` of
/// (1 + k^2)^-smoothness phi_k(x_d) phi_k(y_d).
double sobolev_kernel(std::span<const double> x, std::span<const double> y, double smoothness, std::size_t most = 64);

/// Points that span a kernel's space well on the given ones, found one after the other where what is left is largest
/// (P-greedy): a pivoted Cholesky factorisation of the kernel matrix, of which K columns are ever computed.
struct Landmarks {
  std::vector<std::size_t> chosen;  ///< columns of the points, in the order they were chosen
  std::vector<double> power;        ///< for each point sqrt(k(x,x) - k_z(x)' K_zz^-1 k_z(x)), the power function
  std::vector<double> largest;      ///< the largest power before each choice
};
/// At most `count` points; fewer when nothing above `tolerance` is left. Ties go to the first. O(N K^2 + N K rows).
Landmarks choose_landmarks(Kernel kernel, double length, MatrixView<const double> points, std::size_t count,
                           double tolerance = 1e-7);

/// sqrt(k(x,x) - k_z' (K_zz + ridge I)^-1 k_z) at columns of `x`: where a function of norm B was interpolated at the
/// landmarks (or, with a ridge, fitted to exact values there), it is off by at most B times this.
void power_function(Kernel kernel, double length, MatrixView<const double> landmarks, MatrixView<const double> x,
                    std::span<double> out, double ridge = 0);

/// C = (K_xz' W K_xz + lambda N K_zz)^-1 K_xz' W Theta: coefficients, one row for each output, of the regularised
/// weighted fit to `targets` (one row for each output) at columns of `x`. Weights: one for each column; empty: all one.
std::vector<double> kernel_fit(Kernel kernel, double length, MatrixView<const double> landmarks,
                               MatrixView<const double> x, MatrixView<const double> targets,
                               std::span<const double> weights = {}, double lambda = 1e-8);

/// Direction and phase of random Fourier features sqrt(2) cos(w . x + b): mean products of them are the kernel. w is
/// normal for the Gaussian kernel, multivariate t with 3 or 5 degrees of freedom for the Matern ones, divided by the
/// length. Feature `index` depends on nothing but the seed and its index. `out` has a place for each dimension and one
/// for b.
void random_feature(Kernel kernel, double length, std::uint64_t seed, std::size_t index, std::span<double> out);

/// How one axis becomes a coordinate x in [-1, 1]: linear from its range, then through a rising line of straight pieces
/// that takes knot j of n to -1 + 2 (j + 1) / (n + 1). What lies outside the range counts as its end; a periodic axis
/// goes on.
struct Coordinate {
  Range range;                        ///< finite and not empty
  bool periodic = false;              ///< such an axis has no knots
  std::vector<std::uint8_t> knots{};  ///< rising, 1 to 255: x = -1 + 2 knot / 256 after the linear part

  double apply(double value) const;
};

/// One coordinate for each axis.
using Coordinates = std::vector<Coordinate>;

/// The ranges of a space. Throws `out_of_range` for one that is not finite: such an axis needs a range of its own.
Coordinates coordinates_of(const Space& space);
bool has_finite_ranges(const Space& space);
/// Whether an axis has a finite range with a width.
bool is_bounded(const Axis& axis);

/// Ranges that visited states (columns) need: their mean plus and minus `spreads` standard deviations, in half
/// precision, cut to the space's own range.
Coordinates visited_coordinates(const Space& space, MatrixView<const double> states, double spreads = 4);

/// The space's own range where it is finite, elsewhere -2^e to 2^e, which holds the mean of visited states (columns)
/// and four standard deviations on either side. e is -32 to 31, and the largest e is at most 7 above the smallest:
/// smaller ones are raised. Throws `out_of_range` for states beyond 2^31.
Coordinates power_coordinates(const Space& space, MatrixView<const double> states);

/// Gives every axis that is not periodic `count` knots (1 to 15) at the quantiles of visited states, mixed with even
/// ones: `temper` 0 leaves the axis as it is, 1 makes visited coordinates evenly spread.
void add_knots(Coordinates& coordinates, MatrixView<const double> states, std::size_t count, double temper);

/// Products of one-dimensional orthonormal functions, by their number in an index set.
struct TensorTerms {
  Family family = Family::legendre;
  IndexSet set;
  std::vector<std::uint32_t> kept{};  ///< rising
};

/// Random Fourier features, by their number among the first `pool` of a seed.
struct WaveTerms {
  Kernel kernel = Kernel::matern52;
  std::uint8_t length = 192;          ///< of the kernel, 2^((code - 192) / 8)
  std::uint64_t seed = 0;             ///< below 2^32
  std::uint32_t pool = 0;             ///< at most 65536
  std::vector<std::uint32_t> kept{};  ///< rising
};

/// tanh(w . x + b) with w and b on a grid: integers of `bits` bits times the unit of each term.
struct RidgeTerms {
  unsigned bits = 4;                     ///< 3 to 8
  std::uint8_t unit = 192;               ///< 2^((code - 192) / 8)
  std::vector<std::int16_t> numbers{};   ///< w then b for each term, |.| < 2^(bits - 1)
  std::vector<std::uint8_t> halvings{};  ///< one for each term, 0 to 7: its unit is unit / 2^halving; empty: all 0
};

/// The unit of one ridge.
double ridge_unit(const RidgeTerms& ridges, std::size_t ridge);

/// k(|x - z| / width) with centres on a grid of 2^bits cells along each axis, in a few widths.
struct RadialTerms {
  Kernel kernel = Kernel::gaussian;
  unsigned bits = 6;                     ///< 2 to 9
  std::uint8_t length = 176;             ///< the largest width, 2^((code - 192) / 8)
  unsigned width_bits = 0;               ///< 0 to 3; width w is length / 2^w
  std::vector<std::uint16_t> centres{};  ///< one number for each axis, for each term
  std::vector<std::uint8_t> widths{};    ///< one for each term; empty without width_bits
};

/// Functions of coordinates x in [-1, 1]^d: a whole dictionary, or the few of it that an embedding keeps. Numbered in
/// the order of the parts. Everything about them is in these whole numbers, which pack into few bits.
struct Terms {
  TensorTerms tensor{};
  WaveTerms waves{};
  RidgeTerms ridges{};
  RadialTerms radials{};

  std::size_t dimensions() const { return tensor.set.dimensions(); }
  std::size_t ridge_count() const { return ridges.numbers.size() / (dimensions() + 1); }
  std::size_t radial_count() const { return radials.centres.size() / dimensions(); }
  std::size_t size() const { return tensor.kept.size() + waves.kept.size() + ridge_count() + radial_count(); }
  /// Where each part begins, and the size.
  std::vector<std::size_t> parts() const;
};

/// Terms on axes of which some are periodic, none yet.
Terms no_terms(std::vector<std::uint8_t> periodic);
/// All of an index set.
void add_tensor(Terms& terms, Family family, IndexRule rule, std::size_t degree, std::vector<std::uint8_t> limits = {});
/// The first `count` features of a seed.
void add_waves(Terms& terms, Kernel kernel, double length, std::uint64_t seed, std::size_t count);
/// `count` different ridges: random directions, slopes up to `steepest` (a coordinate's change by 2 moves a ridge by
/// up to twice that), biases so that the ridge bends inside the box.
void add_ridges(Terms& terms, unsigned bits, double steepest, std::size_t count, std::uint64_t seed);
/// Bumps around the given coordinates (columns), each in every width; those that round to the same are one.
void add_radials(Terms& terms, Kernel kernel, unsigned bits, double length, unsigned width_bits,
                 MatrixView<const double> centres);

/// Those with the given numbers (each once), in rising order.
Terms select_terms(const Terms& terms, std::span<const std::size_t> chosen);

/// "2 cos_theta T2(v)", norm included, "tanh(0.3 - 1.2 v)", "gaussian(|(v) - (0.1)| / 0.5)": names[d] is coordinate d.
std::string describe_term(const Terms& terms, std::size_t term, std::span<const std::string> names);

/// Throws `out_of_range`, `shape_mismatch` or `bad_value` unless every number is legal.
void check_terms(const Terms& terms);

struct TermPlan;

/// f(s) = sum over j of c_j phi_j(x(s)), one row for each output, as a function of states in columns.
///
/// One-dimensional functions are computed once for each state by recurrences and shared by all terms; columns go
/// through in tiles of eight, one that is left alone by the same steps without the tile: a column's result is the same
/// to the last bit whatever stands beside it. Nothing allocates. Copies are cheap and share what was prepared; any
/// number of threads may use one.
class TermFunction {
 public:
  /// `coefficients` has a row of `terms.size()` numbers for each output, 1 to 256 of them. Throws `shape_mismatch`, and
  /// what `check_terms` throws.
  TermFunction(const Terms& terms, const Coordinates& coordinates, std::span<const double> coefficients);

  std::size_t dimensions() const;
  std::size_t size() const;  ///< number of terms
  std::size_t outputs() const { return outputs_; }

  /// The same terms with other coefficients: costs a copy of them, for searches that try many.
  TermFunction with(std::span<const double> coefficients) const;

  /// Values at `states` (a row for each dimension): a row for each output.
  void operator()(MatrixView<const double> states, MatrixView<double> out) const;
  /// centre + scale * tanh(value), or without `squash` centre + scale * value, cut to the clip's ranges: what most
  /// actions are made by, in the same pass. A number for each output.
  void act(MatrixView<const double> states, bool squash, std::span<const double> centre, std::span<const double> scale,
           std::span<const Range> clip, MatrixView<double> out) const;
  /// Whether `act_alone` may be asked: one output, products of Chebyshev polynomials on axes that are neither periodic
  /// nor bent.
  bool acts_alone() const;
  /// What `act` gives for one state whose numbers are `stride` apart, to the last bit and with fewer detours.
  double act_alone(const double* state, std::size_t stride, bool squash, double centre, double scale, Range clip) const;
  /// The terms themselves: a row for each.
  void features(MatrixView<const double> states, MatrixView<double> out) const;

 private:
  std::shared_ptr<const TermPlan> plan_;
  std::size_t outputs_ = 0;
  std::vector<double> coefficients_;  ///< output after output, in the plan's order and with its normalisers
};

}  // namespace mercer
