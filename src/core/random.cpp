#include "mercer/random.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

#include <Random123/philox.h>
#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

// 128 bits for counter (block, step, item, stage); the item's upper 16 bits share a word with the stage.
inline std::array<std::uint64_t, 2> philox(const DrawKey& key, std::uint32_t block) {
  using Philox = r123::Philox4x32;
  const Philox::ctr_type counter{
      {block, key.step, static_cast<std::uint32_t>(key.item),
       static_cast<std::uint32_t>(key.stage) << 16 | static_cast<std::uint32_t>(key.item >> 32)}};
  const Philox::key_type seed{{static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
  const Philox::ctr_type word = Philox{}(counter, seed);
  return {std::uint64_t{word.v[1]} << 32 | word.v[0], std::uint64_t{word.v[3]} << 32 | word.v[2]};
}

inline double to_uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// 1 - u lies in (0, 1], where the logarithm is finite.
inline double box_muller(std::uint64_t first, std::uint64_t second) {
  return std::sqrt(-2 * std::log(1 - to_uniform(first))) * std::cos(2 * std::numbers::pi * to_uniform(second));
}

}  // namespace

std::uint64_t Random::bits() {
  assert(key_.item < (std::uint64_t{1} << 48));
  if (draws_ % 2 == 0) block_ = philox(key_, draws_ / 2);
  return block_[draws_++ % 2];
}

double Random::uniform() { return to_uniform(bits()); }

double Random::normal() {
  const std::uint64_t first = bits();
  return box_muller(first, bits());
}

std::size_t Random::categorical(std::span<const double> weights) {
  double total = 0;
  for (const double weight : weights) total += weight;
  assert(total > 0);
  double left = uniform() * total;
  std::size_t last_possible = 0;  // rounding may leave a little over at the end: it belongs to the last possible index
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last_possible = i;
    left -= weights[i];
    if (left < 0) return i;
  }
  return last_possible;
}

void Draws::fill_uniform(std::span<double> out, double low, double high, std::uint32_t draw) const {
  assert(out.size() == items.size());
  const double width = high - low;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = low + width * to_uniform(philox({seed, stage, items[i], step}, draw / 2)[draw % 2]);
  }
}

void Draws::fill_normal(std::span<double> out, std::uint32_t pair) const {
  assert(out.size() == items.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto bits = philox({seed, stage, items[i], step}, pair);
    out[i] = box_muller(bits[0], bits[1]);
  }
}

void check_distribution(std::span<const double> probabilities, const std::string& where) {
  constexpr double tolerance = 1e-6;
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (!(probabilities[i] >= 0 && probabilities[i] <= 1 + tolerance)) {
      throw Error(ErrorCode::bad_distribution, fmt::format("{}[{}] is {}; legal: 0 to 1", where, i, probabilities[i]),
                  "Correct that probability");
    }
    sum += probabilities[i];
  }
  // Three times 0.333333 misses by 1e-6 and a rounding.
  if (std::abs(sum - 1) > tolerance + 1e-12) {
    throw Error(ErrorCode::bad_distribution, fmt::format("{} sums to {}; legal: 1 within {}", where, sum, tolerance),
                "Correct the row or divide it by its sum");
  }
}

}  // namespace mercer
