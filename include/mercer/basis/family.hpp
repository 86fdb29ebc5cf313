#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// Functions of one coordinate x in [-1, 1] that are orthonormal in L2 of a probability measure there. On a periodic
/// axis every family is Fourier's: 1, sqrt(2) cos(pi x), sqrt(2) sin(pi x), sqrt(2) cos(2 pi x), ..., measure dx / 2.
enum class Family {
  legendre,   ///< sqrt(2k + 1) P_k(x), measure dx / 2
  chebyshev,  ///< 1, then sqrt(2) T_k(x); measure dx / (pi sqrt(1 - x^2))
  cosine,     ///< 1, then sqrt(2) cos(k pi (x + 1) / 2), measure dx / 2
  hermite,    ///< He_k(3 x) / sqrt(k!), measure: the normal distribution of 3 x, which reaches beyond the interval
};

std::string_view family_name(Family family);
/// "legendre", "chebyshev", "cosine", "hermite"; "fourier" is the cosines, which are Fourier's on periodic axes. Throws
/// `unknown_name`.
Family parse_family(std::string_view name);

/// How often function `index` oscillates: its index, on a periodic axis the frequency (0, 1, 1, 2, 2, ...).
inline std::size_t frequency(std::size_t index, bool periodic) { return periodic ? (index + 1) / 2 : index; }

/// out[k] = function k at x, for k = 0 .. out.size() - 1. Three-term recurrences: O(out.size()).
void evaluate_family(Family family, bool periodic, double x, std::span<double> out);

}  // namespace mercer
