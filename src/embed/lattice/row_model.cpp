#include "embed/lattice/row_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

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

}  // namespace mercer
