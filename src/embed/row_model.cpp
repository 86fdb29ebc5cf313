#include "embed/row_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "basis/settings.hpp"
#include "io/corrupt.hpp"
#include "mercer/basis/mixture.hpp"
#include "mercer/core/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t rows_per_block = 16;

// One dimension of actions, and its bins in a row.
const Edges& bins_of(const LatticeCode& code, std::size_t row) { return code.own.of(row, code.actions).axes[0]; }

std::size_t numbers_of_row(const RowModel& model, std::size_t k) {
  return model.kind == RowModel::Kind::gmm ? 3 * k - 1 : k - 1;
}

Mixture fixed_components(const LatticeCode& code) {
  const std::vector<double>& edges = code.actions.axes[0].values;
  return fixed_mixture(code.k, std::span(&edges.front(), 1), std::span(&edges.back(), 1));
}

Mixture fit_row(const RowModel& model, const LatticeCode& code, std::size_t index, std::span<const double> row,
                std::uint64_t seed) {
  const Edges& bins = bins_of(code, index);
  std::vector<double> middles(bins.bins());
  for (std::size_t b = 0; b < middles.size(); ++b) middles[b] = bins.centre(b);
  MixtureOptions options;
  options.iterations = model.iterations;
  options.seed = seed;
  options.weights_only = model.kind == RowModel::Kind::fixed_gmm;
  std::optional<Mixture> start;
  if (options.weights_only) start = fixed_components(code);
  return fit_mixture({middles.data(), middles.size(), 1}, code.k, row, start, options).mixture;
}

void keep_mixtures(const RowModel& model, const PolicyTable& table, std::uint64_t seed, LatticeCode& code) {
  if (code.actions.dimensions() > 1) {
    throw Error(
        ErrorCode::bad_value,
        fmt::format("basis '{}' for actions of {} dimensions; legal: 1", model.name(), code.actions.dimensions()),
        "Use svd, dct or another basis");
  }
  const std::size_t each = numbers_of_row(model, code.k);
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

// Mass of each bin under weights, means and spreads.
void fill_row(const Edges& bins, std::span<const double> weights, std::span<const double> means,
              std::span<const double> spreads, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double below = 0;
    for (std::size_t b = 0; b < out.size(); ++b) {
      const bool last = b + 1 == out.size();
      const double deviation = (bins.values[b + 1] - means[i]) / spreads[i];
      const double above = last ? 1 : 0.5 * std::erfc(-deviation / std::numbers::sqrt2);
      out[b] += weights[i] * (above - below);
      below = above;
    }
  }
}

std::vector<double> rows_from_mixtures(const RowModel& model, const LatticeCode& code, const std::string& where) {
  const std::size_t rows = code.cells(), columns = static_cast<std::size_t>(code.actions.cells()), k = code.k;
  if (code.actions.dimensions() > 1 || k == 0 || k > columns || !code.kept.empty() ||
      code.numbers.size() != rows * numbers_of_row(model, k)) {
    throw_corrupt(where, "has mixtures that do not fit its table");
  }
  const bool fixed = model.kind == RowModel::Kind::fixed_gmm;
  std::vector<double> weights(k), means, spreads, values(rows * columns);
  if (fixed) {
    means = fixed_components(code).means;
    for (const double variance : fixed_components(code).variances) spreads.push_back(std::sqrt(variance));
  }
  const float* next = code.numbers.data();
  for (std::size_t r = 0; r < rows; ++r) {
    double left = 1;
    for (std::size_t i = 0; i + 1 < k; ++i) left -= weights[i] = *next++;
    weights[k - 1] = std::max(0.0, left);
    if (!fixed) {
      means.assign(next, next + k);
      spreads.assign(next + k, next + 2 * k);
      next += 2 * k;
    }
    const bool legal = std::ranges::all_of(weights, [](double weight) { return weight >= 0; }) &&
                       std::ranges::all_of(spreads, [](double spread) { return spread > 0; });
    if (!legal) throw_corrupt(where, "has a mixture that is none");
    fill_row(bins_of(code, r), weights, means, spreads, std::span(values).subspan(r * columns, columns));
  }
  return values;
}

std::vector<double> rows_from_draws(const LatticeCode& code, const std::string& where) {
  std::vector<double> values(code.cells() * static_cast<std::size_t>(code.actions.cells()));
  if (code.kept.size() != code.numbers.size() || (!code.kept.empty() && code.kept.back() >= values.size())) {
    throw_corrupt(where, "has draws that do not fit its table");
  }
  for (std::size_t i = 0; i < code.kept.size(); ++i) values[code.kept[i]] = code.numbers[i];
  return values;
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

std::vector<double> rows_from(const RowModel& model, const LatticeCode& code, const std::string& where) {
  return model.kind == RowModel::Kind::mle ? rows_from_draws(code, where) : rows_from_mixtures(model, code, where);
}

ParameterCount parameters_of(const RowModel& model, const LatticeCode& code) {
  const std::size_t each = model.kind == RowModel::Kind::mle ? code.k : 4 * code.k;
  return {each * code.cells(), code.numbers.size()};
}

}  // namespace mercer
