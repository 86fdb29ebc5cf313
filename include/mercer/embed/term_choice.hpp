#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/embed/embedding.hpp"

namespace mercer {

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
