#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "embed/formula/axes.hpp"
#include "embed/term_choice_route.hpp"

namespace mercer {
namespace {

// Mean squares of the functions themselves, all 1 where there is nothing to average over.
std::vector<double> mean_squares(const ContinuousEmbedding& embedding, MatrixView<const double> observations) {
  const std::size_t terms = embedding.k(), states = observations.cols();
  std::vector<double> squares(terms, 1);
  if (states == 0 || observations.rows() != embedding.function().dimensions()) return squares;
  std::vector<double> values(terms * states);
  embedding.function().features(observations, {values.data(), terms, states});
  for (std::size_t t = 0; t < terms; ++t) {
    const auto row = std::span(values).subspan(t * states, states);
    squares[t] = std::inner_product(row.begin(), row.end(), row.begin(), 0.0) / static_cast<double>(states);
  }
  return squares;
}

class ContinuousTerms final : public TermChoice::Route {
 public:
  ContinuousTerms(const ContinuousEmbedding& embedding, MatrixView<const double> observations) : whole_(embedding) {
    const ContinuousCode& code = whole_.code();
    energies_ = mean_squares(whole_, observations);
    for (std::size_t t = 0; t < energies_.size(); ++t) {
      double square = 0;
      for (std::size_t o = 0; o < code.outputs; ++o) square += std::pow(code.coefficients[o * energies_.size() + t], 2);
      energies_[t] *= square;
    }
    ranked_.resize(energies_.size());
    std::iota(ranked_.begin(), ranked_.end(), std::size_t{0});
    std::ranges::stable_sort(ranked_, [&](std::size_t a, std::size_t b) { return energies_[a] > energies_[b]; });
  }

  std::vector<KeptTerm> terms() const override {
    const std::vector<std::string> texts = describe_terms(whole_);
    const ContinuousCode& code = whole_.code();
    std::vector<KeptTerm> all;
    for (const std::size_t t : ranked_) {
      all.push_back({texts[t], energies_[t],
                     code.outputs == 1 ? code.coefficients[t] : std::numeric_limits<double>::quiet_NaN(), 1});
    }
    return all;
  }

  Embedding keep(std::span<const std::size_t> chosen) const override {
    std::vector<std::size_t> kept;
    for (const std::size_t rank : chosen) kept.push_back(ranked_[rank]);
    std::ranges::sort(kept);
    const ContinuousCode& old = whole_.code();
    ContinuousCode code = old;
    code.terms = select_terms(old.terms, kept);
    code.coefficients.clear();
    for (std::size_t o = 0; o < old.outputs; ++o) {
      for (const std::size_t t : kept) code.coefficients.push_back(old.coefficients[o * old.terms.size() + t]);
    }
    code.scales = scales_of(old, code.terms);
    return ContinuousEmbedding::make(code, whole_.policy().contract(), whole_.policy().name());
  }

 private:
  // Scales of the parts that still have terms: with those, and not with new ones, coefficients are the same numbers.
  static std::vector<std::uint8_t> scales_of(const ContinuousCode& old, const Terms& left) {
    if (old.scales.empty()) return {};
    const std::vector<std::size_t> before = old.terms.parts(), after = left.parts();
    std::vector<std::uint8_t> scales;
    std::size_t group = 0;
    for (std::size_t o = 0; o < old.outputs; ++o) {
      for (std::size_t part = 0; part + 1 < before.size(); ++part) {
        if (before[part] == before[part + 1]) continue;
        if (after[part] != after[part + 1]) scales.push_back(old.scales[group]);
        ++group;
      }
    }
    return scales;
  }

  ContinuousEmbedding whole_;
  std::vector<double> energies_;     // by number in the payload
  std::vector<std::size_t> ranked_;  // numbers in the payload, by falling energy
};

}  // namespace

std::unique_ptr<TermChoice::Route> continuous_terms(const ContinuousEmbedding& embedding,
                                                    MatrixView<const double> observations) {
  return std::make_unique<ContinuousTerms>(embedding, observations);
}

}  // namespace mercer
