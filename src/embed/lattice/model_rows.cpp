#include <algorithm>
#include <cmath>
#include <numbers>

#include "embed/lattice/row_model.hpp"
#include "io/file.hpp"

namespace mercer {
namespace {

class MixtureRows final : public RowEvaluator {
 public:
  MixtureRows(const LatticeCode& code, const std::string& where)
      : k_(code.k),
        each_(numbers_of_row(code.basis.family, code.k)),
        actions_(code.actions),
        own_(code.own),
        numbers_(code.numbers) {
    const std::size_t rows = code.cells();
    if (actions_.dimensions() != 1 || k_ == 0 || k_ > actions_.axes[0].bins() || !code.kept.empty() ||
        numbers_.size() != rows * each_) {
      throw_corrupt(where, "has mixtures that do not fit its table");
    }
    if (code.basis.family == BasisFamily::fixed_gmm) fixed_ = fixed_components(actions_.axes[0], k_);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t i = 0; i < k_; ++i) {
        const Component part = component(r, i);
        if (!(part.weight >= 0) || !(part.spread > 0)) throw_corrupt(where, "has a mixture that is none");
      }
    }
  }

  void row(std::size_t row, std::span<double> out) const override {
    const Edges& bins = own_.of(row, actions_).axes[0];
    std::ranges::fill(out, 0.0);
    for (std::size_t i = 0; i < k_; ++i) {
      const Component part = component(row, i);
      double below = 0;
      for (std::size_t b = 0; b < out.size(); ++b) {
        const double above = part.below_end_of(b, bins);
        out[b] += part.weight * (above - below);
        below = above;
      }
    }
  }
  double entry(std::size_t row, std::size_t column) const override {
    const Edges& bins = own_.of(row, actions_).axes[0];
    double mass = 0;
    for (std::size_t i = 0; i < k_; ++i) {
      const Component part = component(row, i);
      const double below = column == 0 ? 0 : part.below_end_of(column - 1, bins);
      mass += part.weight * (part.below_end_of(column, bins) - below);
    }
    return mass;
  }

 private:
  struct Component {
    double weight, mean, spread;

    // The distribution function at the upper edge of a bin; the last one has all the rest.
    double below_end_of(std::size_t bin, const Edges& bins) const {
      if (bin + 1 == bins.bins()) return 1;
      return 0.5 * std::erfc(-(bins.values[bin + 1] - mean) / spread / std::numbers::sqrt2);
    }
  };

  // The last weight is what the others leave.
  Component component(std::size_t row, std::size_t i) const {
    const float* const own = numbers_.data() + row * each_;
    double weight = 1;
    if (i + 1 < k_) {
      weight = own[i];
    } else {
      for (std::size_t j = 0; j + 1 < k_; ++j) weight -= own[j];
      weight = std::max(0.0, weight);
    }
    if (fixed_.weights.empty()) return {weight, own[k_ - 1 + i], own[2 * k_ - 1 + i]};
    return {weight, fixed_.means[i], std::sqrt(fixed_.variances[i])};
  }

  std::size_t k_, each_;
  Grid actions_;
  OwnEdges own_;
  std::vector<float> numbers_;
  Mixture fixed_;  // no components where rows have their own
};

class DrawnRows final : public RowEvaluator {
 public:
  DrawnRows(const LatticeCode& code, const std::string& where)
      : columns_(static_cast<std::size_t>(code.actions.cells())), kept_(code.kept), shares_(code.numbers) {
    if (kept_.size() != shares_.size() || (!kept_.empty() && kept_.back() >= code.cells() * columns_)) {
      throw_corrupt(where, "has draws that do not fit its table");
    }
  }

  void row(std::size_t row, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    const std::size_t first = row * columns_;
    for (std::size_t i = place(first); i < kept_.size() && kept_[i] < first + columns_; ++i) {
      out[kept_[i] - first] = shares_[i];
    }
  }
  double entry(std::size_t row, std::size_t column) const override {
    const std::size_t index = row * columns_ + column, i = place(index);
    return i < kept_.size() && kept_[i] == index ? shares_[i] : 0;
  }

 private:
  // Of the first kept entry that does not lie before.
  std::size_t place(std::size_t index) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(kept_, index) - kept_.begin());
  }

  std::size_t columns_;
  std::vector<std::size_t> kept_;  // entries of the table, rising
  std::vector<float> shares_;
};

}  // namespace

std::unique_ptr<const RowEvaluator> model_rows(const LatticeCode& code, const std::string& where) {
  if (code.basis.family == BasisFamily::mle) return std::make_unique<DrawnRows>(code, where);
  return std::make_unique<MixtureRows>(code, where);
}

}  // namespace mercer
