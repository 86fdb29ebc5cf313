#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercer/basis/term.hpp"

namespace mercer {

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
