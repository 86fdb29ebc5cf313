#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/embed/samples.hpp"

namespace mercer {

/// Values of terms at samples: one row for each term. For a density each row is centred over the points of a state, so
/// that what depends on the state alone, which changes no distribution, counts as nothing.
struct Features {
  std::size_t terms = 0, columns = 0;
  std::vector<double> values;

  std::span<const double> row(std::size_t term) const { return std::span(values).subspan(term * columns, columns); }
};

/// O(terms columns), on all threads. Throws `too_large` beyond 2^28 numbers: take fewer states or terms.
Features evaluate_features(const Terms& terms, const Coordinates& coordinates, const Samples& samples);
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
                      std::span<const std::size_t> begin = {}, double reject = 1e-6);

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
                           const Polish& options = {});

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

}  // namespace mercer
