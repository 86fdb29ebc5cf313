#include "mercer/basis/wavelet.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "basis/wavelet_plan.hpp"
#include "basis/wavelet_rows.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

std::string key_of(unsigned high, std::size_t axes) {
  std::string key;
  for (std::size_t axis = 0; axis < axes; ++axis) key += (high >> axis & 1U) != 0 ? 'd' : 'a';
  return key;
}

// The depth that the bands of a decomposition have.
std::size_t level_of(const WaveletDecomposition& decomposition) {
  std::size_t level = 0;
  for (const WaveletBand& band : decomposition.bands) level = std::max(level, band.level);
  return level;
}

}  // namespace

WaveletDecomposition wavelet(const Table& table, const WaveletFilter& filter, WaveletMode mode,
                             std::optional<std::size_t> level) {
  check_table("the table", table.shape, table.values);
  const WaveletPlan plan(table.shape, filter, mode, level.value_or(wavelet_default_level(table.shape, filter)));
  WaveletDecomposition result{table.shape, {}};
  std::vector<double*> targets;
  for (const WaveletPlan::Band& band : plan.bands) {
    result.bands.push_back(
        {band.level, key_of(band.high, table.shape.size()), band.shape, std::vector<double>(band.size)});
    targets.push_back(result.bands.back().values.data());  // stays where it is when the list grows
  }
  plan.decompose(table.values, targets);
  return result;
}

Table inverse_wavelet(const WaveletDecomposition& decomposition, const WaveletFilter& filter, WaveletMode mode) {
  const WaveletPlan plan(decomposition.shape, filter, mode, level_of(decomposition));
  std::vector<double> coefficients(plan.size);
  check_count("the list of bands", decomposition.bands.size(), plan.bands.size());
  for (std::size_t i = 0; i < plan.bands.size(); ++i) {
    const WaveletPlan::Band& place = plan.bands[i];
    const WaveletBand& band = decomposition.bands[i];
    const std::string key = key_of(place.high, decomposition.shape.size());
    if (band.key != key || band.level != place.level || band.shape != place.shape) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("band {} is '{}' of level {}, where '{}' of level {} is needed, or its shape is wrong", i,
                              band.key, band.level, key, place.level),
                  "Use filter and mode of the decomposition, and its bands in their order");
    }
    check_table("a band", band.shape, band.values);
    std::ranges::copy(band.values, coefficients.begin() + static_cast<std::ptrdiff_t>(place.offset));
  }
  Table table{decomposition.shape, std::vector<double>(table_size(decomposition.shape))};
  plan.reconstruct(coefficients, table.values);
  return table;
}

WaveletBasis::WaveletBasis(WaveletOptions options)
    : options_(std::move(options)), filter_(wavelet_filter(options_.filter)) {
  check_wavelet_level(options_.level.value_or(1));
}
WaveletBasis::~WaveletBasis() = default;

std::string WaveletBasis::name() const {
  std::vector<std::string> settings;
  if (options_.mode == WaveletMode::symmetric) settings.emplace_back("mode=symmetric");
  if (options_.level) settings.push_back(fmt::format("level={}", *options_.level));
  std::string text = options_.filter;
  for (std::size_t i = 0; i < settings.size(); ++i) text += (i == 0 ? ":" : ",") + settings[i];
  return text;
}

void WaveletBasis::train(const Table& table, std::span<const double>) {
  fix_shape(table);
  const std::size_t usual = std::max<std::size_t>(1, wavelet_default_level(table.shape, filter_));
  plan_ = std::make_shared<WaveletPlan>(table.shape, filter_, options_.mode, options_.level.value_or(usual));
}

std::vector<double> WaveletBasis::apply(std::span<const double> table) const {
  check_values(table);
  std::vector<double> coefficients(plan_->size);
  plan_->decompose(table, coefficients);
  return coefficients;
}

std::vector<double> WaveletBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> table(table_size(shape()));
  plan_->reconstruct(coefficients, table);
  return table;
}

std::vector<Term> WaveletBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  // The approximation of a single number is the mean, when nothing had to be added to halve the axes.
  const bool has_mean = orthonormal() && plan_->bands[0].size == 1;
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    terms.push_back({i, i, coefficients[i] * coefficients[i], 1, has_mean && i == 0});
  }
  return terms;
}

std::unique_ptr<RowEvaluator> WaveletBasis::evaluator(std::span<const double> coefficients,
                                                      std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<WaveletRows>(plan_, coefficients, kept);
}

bool WaveletBasis::orthonormal() const {
  if (!plan_ || plan_->levels() == 0) return true;
  if (options_.mode != WaveletMode::periodization) return false;
  return plan_->size == table_size(shape());
}

std::size_t WaveletBasis::size() const { return plan_ ? plan_->size : 0; }
std::size_t WaveletBasis::level() const { return plan_ ? plan_->levels() : options_.level.value_or(1); }

}  // namespace mercer
