#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "embed/lattice/truncate_table.hpp"
#include "embed/payload/lattice_code.hpp"
#include "embed/term_choice_route.hpp"
#include "mercer/basis.hpp"

namespace mercer {
namespace {

// Encodes what is left. The number of parameters is that of the basis plus the edges that single cells have.
Embedding encoded(const LatticeEmbedding& whole, const LatticeCode& code, ParameterCount parameters) {
  LatticeEmbedding made = LatticeEmbedding::decode(encode(code), whole.policy().contract(), whole.policy().name());
  parameters.stored += code.own.numbers();
  made.set_parameters(parameters);
  made.set_whole_energy(whole.whole_energy());
  return made;
}

class CoefficientTerms final : public TermChoice::Route {
 public:
  CoefficientTerms(const LatticeEmbedding& whole, LatticeCode code, std::unique_ptr<Basis> basis)
      : whole_(whole), code_(std::move(code)), basis_(std::move(basis)) {
    const std::size_t columns = static_cast<std::size_t>(code_.actions.cells());
    shape_ = {code_.cells(), columns};
    if (code_.order == RowOrder::axes) shape_ = axes_layout(whole_.policy().cells(), code_.actions).shape;
    std::size_t entries = 1;
    for (const std::size_t length : shape_) entries *= length;
    basis_->train({shape_, std::vector<double>(entries)});
    std::vector<double> coefficients(basis_->size());
    for (std::size_t i = 0; i < code_.kept.size(); ++i) coefficients[code_.kept[i]] = code_.numbers[i];
    const Truncation truncation(basis_->terms(coefficients));
    for (const Term& term : truncation.ranked()) {
      if (place_of(term.first) || place_of(term.second)) ranked_.push_back(term);
    }
  }

  std::vector<KeptTerm> terms() const override {
    std::vector<KeptTerm> all;
    for (const Term& term : ranked_) {
      const auto first = place_of(term.first);
      const bool single = term.first == term.second && first;
      std::size_t count = first ? 1 : 0;
      if (term.second != term.first && place_of(term.second)) ++count;
      all.push_back({term.mean ? "mean" : fmt::format("coefficient {}", index_text(term.first)), term.energy,
                     single ? static_cast<double>(code_.numbers[*first]) : std::numeric_limits<double>::quiet_NaN(),
                     count});
    }
    return all;
  }

  Embedding keep(std::span<const std::size_t> chosen) const override {
    std::vector<std::size_t> places;
    for (const std::size_t rank : chosen) {
      const Term& term = ranked_[rank];
      if (const auto place = place_of(term.first)) places.push_back(*place);
      if (const auto place = place_of(term.second); place && term.second != term.first) places.push_back(*place);
    }
    std::ranges::sort(places);
    LatticeCode code = code_;
    code.kept.clear();
    code.numbers.clear();
    for (const std::size_t place : places) {
      code.kept.push_back(code_.kept[place]);
      code.numbers.push_back(code_.numbers[place]);
    }
    code.k = code.kept.size();
    return encoded(whole_, code, basis_->parameters(code.k));
  }

 private:
  std::optional<std::size_t> place_of(std::size_t index) const {
    const auto found = std::ranges::lower_bound(code_.kept, index);
    if (found == code_.kept.end() || *found != index) return std::nullopt;
    return static_cast<std::size_t>(found - code_.kept.begin());
  }

  // Along each axis of the table.
  std::string index_text(std::size_t index) const {
    std::vector<std::size_t> along(shape_.size());
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      along[axis] = index % shape_[axis];
      index /= shape_[axis];
    }
    return fmt::format("({})", fmt::join(along, ", "));
  }

  LatticeEmbedding whole_;
  LatticeCode code_;
  std::unique_ptr<Basis> basis_;
  std::vector<std::size_t> shape_;
  std::vector<Term> ranked_;
};

class RankTerms final : public TermChoice::Route {
 public:
  RankTerms(const LatticeEmbedding& whole, LatticeCode code) : whole_(whole), code_(std::move(code)) {}

  std::vector<KeptTerm> terms() const override {
    std::vector<KeptTerm> all;
    for (const double energy : energies()) all.push_back({"", energy, std::sqrt(energy), 1});
    std::ranges::stable_sort(all, std::greater<>(), &KeptTerm::energy);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].name = fmt::format("rank {}", i + 1);
    return all;
  }

  Embedding keep(std::span<const std::size_t> chosen) const override {
    const std::vector<double> energy = energies();
    std::vector<std::size_t> ranked(energy.size()), kept;
    for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i] = i;
    std::ranges::stable_sort(ranked, [&](std::size_t a, std::size_t b) { return energy[a] > energy[b]; });
    for (const std::size_t rank : chosen) kept.push_back(ranked[rank]);
    std::ranges::sort(kept);
    const std::size_t rows = code_.cells(), columns = static_cast<std::size_t>(code_.actions.cells());
    LatticeCode code = code_;
    code.numbers.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      for (const std::size_t i : kept) code.numbers.push_back(code_.numbers[r * code_.k + i]);
    }
    for (const std::size_t i : kept) {
      const auto right = std::span(code_.numbers).subspan(rows * code_.k + i * columns, columns);
      code.numbers.insert(code.numbers.end(), right.begin(), right.end());
    }
    code.k = kept.size();
    const std::size_t stored = code.k * (rows + columns);
    return encoded(whole_, code, {stored + code.k * code.k, stored});
  }

 private:
  // Rows of the right factor have length one, so the energy is in the columns of the left one.
  std::vector<double> energies() const {
    std::vector<double> energies(code_.k);
    for (std::size_t i = 0; i < code_.cells() * code_.k; ++i) energies[i % code_.k] += std::pow(code_.numbers[i], 2);
    return energies;
  }

  LatticeEmbedding whole_;
  LatticeCode code_;
};

}  // namespace

std::unique_ptr<TermChoice::Route> lattice_terms(const LatticeEmbedding& embedding) {
  if (embedding.spec().row_by_row()) return nullptr;
  LatticeCode code = decode_lattice(embedding.payload(), embedding.policy().name());
  if (code.basis.family == BasisFamily::svd) return std::make_unique<RankTerms>(embedding, std::move(code));
  std::unique_ptr<Basis> basis = make_basis(code.basis);
  return std::make_unique<CoefficientTerms>(embedding, std::move(code), std::move(basis));
}

}  // namespace mercer
