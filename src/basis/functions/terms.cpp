#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "basis/functions/index_limits.hpp"
#include "core/number_codes.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

void check_rising(const std::vector<std::uint32_t>& kept, std::size_t count) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] < count && (i == 0 || kept[i] > kept[i - 1])) continue;
    throw Error(ErrorCode::out_of_range, fmt::format("term {} of {}, or not in rising order", kept[i], count),
                "Give each term once, in rising order");
  }
}

}  // namespace

double ridge_unit(const RidgeTerms& ridges, std::size_t ridge) {
  return std::ldexp(from_log_scale(ridges.unit), ridges.halvings.empty() ? 0 : -int{ridges.halvings[ridge]});
}

std::vector<std::size_t> Terms::parts() const {
  std::vector<std::size_t> begins{0, tensor.kept.size(), waves.kept.size(), ridge_count(), radial_count()};
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

Terms no_terms(std::vector<std::uint8_t> periodic) {
  Terms terms;
  terms.tensor.set.periodic = std::move(periodic);
  return terms;
}

void add_tensor(Terms& terms, Family family, IndexRule rule, std::size_t degree, std::vector<std::uint8_t> limits) {
  terms.tensor.family = family;
  terms.tensor.set.rule = rule;
  terms.tensor.set.degree = degree;
  terms.tensor.set.limits = std::move(limits);
  terms.tensor.kept.resize(list_indices(terms.tensor.set).size() / terms.dimensions());
  std::iota(terms.tensor.kept.begin(), terms.tensor.kept.end(), 0U);
}

void add_waves(Terms& terms, Kernel kernel, double length, std::uint64_t seed, std::size_t count) {
  terms.waves = {kernel, to_log_scale(length), seed, static_cast<std::uint32_t>(count), {}};
  terms.waves.kept.resize(count);
  std::iota(terms.waves.kept.begin(), terms.waves.kept.end(), 0U);
}

void add_ridges(Terms& terms, unsigned bits, double steepest, std::size_t count, std::uint64_t seed) {
  const std::size_t d = terms.dimensions();
  const int most = (1 << (bits - 1)) - 1;
  terms.ridges = {bits, to_log_scale(steepest / most), {}};
  std::set<std::vector<std::int16_t>> seen;
  // A grid may have fewer different ridges than were asked for: the tries are bounded.
  for (std::size_t item = 0; seen.size() < count && item < 20 * count; ++item) {
    Random random({seed, Stage::feature, item, 1});
    std::vector<double> w(d + 1);
    double size = 0;
    for (std::size_t i = 0; i < d; ++i) {
      w[i] = random.normal();
      size = std::max(size, std::abs(w[i]));
    }
    const double slope = most * std::pow(2.0, -3 * random.uniform()) / size;  // steep ones and gentle ones
    double bend = 0;                                                          // where it bends: at a point of the box
    for (std::size_t i = 0; i < d; ++i) {
      w[i] *= slope;
      bend += w[i] * (2 * random.uniform() - 1);
    }
    w[d] = std::clamp(-bend, -1.0 * most, 1.0 * most);
    std::vector<std::int16_t> rounded;
    rounded.reserve(w.size());
    for (const double value : w) rounded.push_back(static_cast<std::int16_t>(std::nearbyint(value)));
    // tanh is odd: a ridge and its mirror image are one.
    const auto first = std::ranges::find_if(rounded, [](std::int16_t value) { return value != 0; });
    if (first == rounded.end() || first == rounded.end() - 1) continue;
    if (*first < 0)
      std::ranges::transform(rounded, rounded.begin(), [](int v) { return static_cast<std::int16_t>(-v); });
    if (!seen.insert(rounded).second) continue;
    terms.ridges.numbers.insert(terms.ridges.numbers.end(), rounded.begin(), rounded.end());
  }
}

void add_radials(Terms& terms, Kernel kernel, unsigned bits, double length, unsigned width_bits,
                 MatrixView<const double> centres) {
  terms.radials = {kernel, bits, to_log_scale(length), width_bits, {}, {}};
  const double cells = std::ldexp(1.0, static_cast<int>(bits));
  std::set<std::vector<std::uint16_t>> seen;
  for (std::size_t i = 0; i < centres.cols(); ++i) {
    std::vector<std::uint16_t> cell;
    for (std::size_t d = 0; d < centres.rows(); ++d) {
      const double place = std::clamp(std::floor((centres(d, i) + 1) / 2 * cells), 0.0, cells - 1);
      cell.push_back(static_cast<std::uint16_t>(place));
    }
    if (!seen.insert(cell).second) continue;
    for (unsigned width = 0; width < 1U << width_bits; ++width) {
      terms.radials.centres.insert(terms.radials.centres.end(), cell.begin(), cell.end());
      if (width_bits > 0) terms.radials.widths.push_back(static_cast<std::uint8_t>(width));
    }
  }
}

Terms select_terms(const Terms& terms, std::span<const std::size_t> chosen) {
  std::vector<std::size_t> sorted(chosen.begin(), chosen.end());
  std::ranges::sort(sorted);
  const std::vector<std::size_t> parts = terms.parts();
  const std::size_t d = terms.dimensions();
  Terms out = terms;
  out.tensor.kept.clear();
  out.waves.kept.clear();
  out.ridges.numbers.clear();
  out.ridges.halvings.clear();
  out.radials.centres.clear();
  out.radials.widths.clear();
  for (const std::size_t term : sorted) {
    if (term < parts[1]) {
      out.tensor.kept.push_back(terms.tensor.kept[term]);
    } else if (term < parts[2]) {
      out.waves.kept.push_back(terms.waves.kept[term - parts[1]]);
    } else if (term < parts[3]) {
      const auto from = terms.ridges.numbers.begin() + static_cast<std::ptrdiff_t>((term - parts[2]) * (d + 1));
      out.ridges.numbers.insert(out.ridges.numbers.end(), from, from + static_cast<std::ptrdiff_t>(d + 1));
      if (!terms.ridges.halvings.empty()) out.ridges.halvings.push_back(terms.ridges.halvings[term - parts[2]]);
    } else if (term < parts[4]) {
      const auto from = terms.radials.centres.begin() + static_cast<std::ptrdiff_t>((term - parts[3]) * d);
      out.radials.centres.insert(out.radials.centres.end(), from, from + static_cast<std::ptrdiff_t>(d));
      if (!terms.radials.widths.empty()) out.radials.widths.push_back(terms.radials.widths[term - parts[3]]);
    } else {
      throw Error(ErrorCode::out_of_range, fmt::format("term {} of {}", term, terms.size()), "Give a smaller number");
    }
  }
  return out;
}

void check_terms(const Terms& terms) {
  const std::size_t d = terms.dimensions();
  require_in_range("the number of axes", static_cast<double>(d), 1, most_coordinates,
                   fmt::format("Give 1 to {} axes", most_coordinates));
  if (!terms.tensor.kept.empty()) check_rising(terms.tensor.kept, list_indices(terms.tensor.set).size() / d);
  require_in_range("the number of random features", terms.waves.pool, 0, 65536, "Take fewer");
  require_in_range("the seed of random features", static_cast<double>(terms.waves.seed), 0, 4294967295.0,
                   "Take one below 2^32");
  check_rising(terms.waves.kept, terms.waves.pool);
  require_in_range("the bits of a ridge", terms.ridges.bits, 3, 8, "Take 3 to 8");
  require_in_range("the bits of a centre", terms.radials.bits, 2, 9, "Take 2 to 9");
  require_in_range("the bits of a width", terms.radials.width_bits, 0, 3, "Take 0 to 3");
  const std::size_t widths = terms.radials.width_bits == 0 ? 0 : terms.radial_count();
  if (terms.ridges.numbers.size() % (d + 1) != 0 || terms.radials.centres.size() % d != 0 ||
      terms.radials.widths.size() != widths ||
      (!terms.ridges.halvings.empty() && terms.ridges.halvings.size() != terms.ridge_count())) {
    throw Error(ErrorCode::shape_mismatch, "ridges or RBFs with numbers missing",
                "Give d + 1 numbers for each ridge, d for each centre, one for each width, a halving for each ridge "
                "or for none");
  }
  for (const std::uint8_t halving : terms.ridges.halvings) {
    require_in_range("the halving of a ridge's unit", halving, 0, 7, "Take 0 to 7, or a smaller unit");
  }
  const int most = 1 << (terms.ridges.bits - 1);
  const bool ridges_fit = std::ranges::all_of(terms.ridges.numbers, [&](int n) { return n > -most && n < most; });
  const bool centres_fit =
      std::ranges::all_of(terms.radials.centres, [&](unsigned n) { return n < 1U << terms.radials.bits; });
  const bool widths_fit =
      std::ranges::all_of(terms.radials.widths, [&](unsigned n) { return n < 1U << terms.radials.width_bits; });
  if (!ridges_fit || !centres_fit || !widths_fit) {
    throw Error(ErrorCode::out_of_range, "numbers of a ridge or an RBF beyond their bits", "Give smaller ones");
  }
}

}  // namespace mercer
