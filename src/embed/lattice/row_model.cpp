#include "embed/lattice/row_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "basis/table/basis_settings.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t rows_per_block = 16;

Mixture fit_row(const RowModel& model, const LatticeCode& code, std::size_t index, std::span<const double> row,
                std::uint64_t seed) {
  const Edges& bins = code.own.of(index, code.actions).axes[0];
  std::vector<double> middles(bins.bins());
  for (std::size_t b = 0; b < middles.size(); ++b) middles[b] = bins.centre(b);
  MixtureOptions options;
  options.iterations = model.iterations;
  options.seed = seed;
  options.weights_only = model.kind == RowModel::Kind::fixed_gmm;
  std::optional<Mixture> start;
  if (options.weights_only) start = fixed_components(code.actions.axes[0], code.k);
  return fit_mixture({middles.data(), middles.size(), 1}, code.k, row, start, options).mixture;
}

void keep_mixtures(const RowModel& model, const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  if (code.actions.dimensions() > 1) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("basis '{}' for actions of {} dimensions; legal: 1", model.name(), code.actions.dimensions()),
        "Use svd, dct or another basis");
  }
  const std::size_t each = model.numbers_of_row(code.k);
  code.numbers.resize(table.rows * each);
  for_each_block(table.rows, rows_per_block, [&](Block block) {
    for (std::size_t r = block.begin; r < block.end; ++r) {
      const Mixture mixture = fit_row(model, code, r, table.row(r), seed);
      float* out = code.numbers.data() + r * each;
      for (std::size_t i = 0; i + 1 < code.k; ++i) *out++ = static_cast<float>(mixture.weights[i]);
      if (model.kind == RowModel::Kind::fixed_gmm) continue;
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

std::string RowModel::name() const {
  if (kind == Kind::mle) return "mle";
  const std::string settings = iterations == 100 ? "" : fmt::format(":iterations={}", iterations);
  return (kind == Kind::gmm ? "gmm" : "fixed-gmm") + settings;
}

std::size_t RowModel::usual_k(std::size_t columns) const {
  switch (kind) {
    case Kind::gmm:
      return std::min<std::size_t>(3, columns);
    case Kind::fixed_gmm:
      return std::min<std::size_t>(8, columns);
    case Kind::mle:
      break;
  }
  return 100;
}

std::vector<std::string> known_row_models() { return {"gmm", "fixed-gmm", "mle"}; }

std::size_t RowModel::numbers_of_row(std::size_t k) const { return kind == Kind::gmm ? 3 * k - 1 : k - 1; }

Mixture fixed_components(const Edges& bins, std::size_t k) {
  return fixed_mixture(k, std::span(&bins.values.front(), 1), std::span(&bins.values.back(), 1));
}

std::optional<RowModel> parse_row_model(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  const std::vector<std::string> known = known_row_models();
  const auto found = std::ranges::find(known, name);
  if (found == known.end()) return std::nullopt;
  RowModel model{static_cast<RowModel::Kind>(found - known.begin())};
  BasisSettings settings("basis '" + name + "'", colon == std::string_view::npos ? "" : text.substr(colon + 1));
  if (model.kind != RowModel::Kind::mle) model.iterations = settings.integer("iterations", 0, 1'000'000).value_or(100);
  settings.check_all_read();
  return model;
}

void keep_rows(const RowModel& model, const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  const bool draws = model.kind == RowModel::Kind::mle;
  require_in_range(
      fmt::format("k for basis '{}'", model.name()), static_cast<double>(code.k), 1,
      draws ? 1e6 : static_cast<double>(table.cols),
      draws ? "It is the number of draws a row" : "It is the number of components a row, at most one a bin");
  if (draws) {
    keep_draws(table, seed, code);
  } else {
    keep_mixtures(model, table, seed, code);
  }
}

ParameterCount parameters_of(const RowModel& model, const LatticeCode& code) {
  const std::size_t each = model.kind == RowModel::Kind::mle ? code.k : 4 * code.k;
  return {each * code.cells(), code.numbers.size()};
}

}  // namespace mercer
