#include "embed/lattice/row_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t rows_per_block = 16;

Mixture fit_row(const LatticeCode& code, std::size_t index, std::span<const double> row, std::uint64_t seed) {
  const Edges& bins = code.own.of(index, code.actions).axes[0];
  std::vector<double> middles(bins.bins());
  for (std::size_t b = 0; b < middles.size(); ++b) middles[b] = bins.centre(b);
  MixtureOptions options;
  options.iterations = code.basis.iterations;
  options.seed = seed;
  options.weights_only = code.basis.family == BasisFamily::fixed_gmm;
  std::optional<Mixture> start;
  if (options.weights_only) start = fixed_components(code.actions.axes[0], code.k);
  return fit_mixture({middles.data(), middles.size(), 1}, code.k, row, start, options).mixture;
}

void keep_mixtures(const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  if (code.actions.dimensions() > 1) {
    throw Error(ErrorCode::bad_value,
                fmt::format("basis '{}' for actions of {} dimensions; legal: 1", to_text(code.basis),
                            code.actions.dimensions()),
                "Use svd, dct or another basis");
  }
  const std::size_t each = numbers_of_row(code.basis.family, code.k);
  code.numbers.resize(table.rows * each);
  for_each_block(table.rows, rows_per_block, [&](Block block) {
    for (std::size_t r = block.begin; r < block.end; ++r) {
      const Mixture mixture = fit_row(code, r, table.row(r), seed);
      float* out = code.numbers.data() + r * each;
      for (std::size_t i = 0; i + 1 < code.k; ++i) *out++ = static_cast<float>(mixture.weights[i]);
      if (code.basis.family == BasisFamily::fixed_gmm) continue;
      for (const double mean : mixture.means) *out++ = static_cast<float>(mean);
      for (const double variance : mixture.variances) *out++ = static_cast<float>(std::sqrt(variance));
    }
  });
}

void keep_draws(const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  PolicyTable drawn = table;
  sample_rows({drawn.pi.data(), drawn.rows, drawn.cols}, code.k, seed);
  for (std::size_t i = 0; i < drawn.pi.size(); ++i) {
    if (drawn.pi[i] == 0) continue;
    code.kept.push_back(i);
    code.numbers.push_back(static_cast<float>(drawn.pi[i]));
  }
}

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
        if (!(part.weight >= 0) || !(part.spread > 0))
          throw_corrupt(where, "has a mixture with a negative weight or no spread");
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

std::size_t usual_k(BasisFamily family, std::size_t columns) {
  if (family == BasisFamily::mle) return 100;
  return std::min<std::size_t>(family == BasisFamily::gmm ? 3 : 8, columns);
}

std::size_t numbers_of_row(BasisFamily family, std::size_t k) { return family == BasisFamily::gmm ? 3 * k - 1 : k - 1; }

Mixture fixed_components(const Edges& bins, std::size_t k) {
  return fixed_mixture(k, std::span(&bins.values.front(), 1), std::span(&bins.values.back(), 1));
}

void keep_rows(const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  const bool draws = code.basis.family == BasisFamily::mle;
  require_in_range(
      fmt::format("k for basis '{}'", to_text(code.basis)), static_cast<double>(code.k), 1,
      draws ? 1e6 : static_cast<double>(table.cols),
      draws ? "It is the number of draws a row" : "It is the number of components a row, at most one a bin");
  if (draws) {
    keep_draws(table, seed, code);
  } else {
    keep_mixtures(table, seed, code);
  }
}

ParameterCount row_parameters(const LatticeCode& code) {
  const std::size_t each = code.basis.family == BasisFamily::mle ? code.k : 4 * code.k;
  return {each * code.cells(), code.numbers.size()};
}

std::unique_ptr<const RowEvaluator> model_rows(const LatticeCode& code, const std::string& where) {
  if (code.basis.family == BasisFamily::mle) return std::make_unique<DrawnRows>(code, where);
  return std::make_unique<MixtureRows>(code, where);
}

}  // namespace mercer
