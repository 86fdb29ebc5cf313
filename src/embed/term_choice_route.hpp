#pragma once

#include <memory>

#include "mercer/embed.hpp"

namespace mercer {

/// What the two routes do differently.
class TermChoice::Route {
 public:
  virtual ~Route() = default;
  /// By falling energy; ties in the order of the payload.
  virtual std::vector<KeptTerm> terms() const = 0;
  /// Only the terms with these numbers (rising, at least one, not all).
  virtual Embedding keep(std::span<const std::size_t> chosen) const = 0;
};

std::unique_ptr<TermChoice::Route> continuous_terms(const ContinuousEmbedding& embedding,
                                                    MatrixView<const double> observations);
/// Nothing where the basis has no terms.
std::unique_ptr<TermChoice::Route> lattice_terms(const LatticeEmbedding& embedding);

}  // namespace mercer
