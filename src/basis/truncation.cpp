#include "mercer/basis/truncation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {

Truncation::Truncation(std::vector<Term> terms, bool keep_mean) : ranked_(std::move(terms)) {
  const auto comes_before = [keep_mean](const Term& a, const Term& b) {
    if (keep_mean && a.mean != b.mean) return a.mean;
    // A pair's energy is shared by two places: compared per place it is its squared magnitude.
    const double of_a = a.energy / static_cast<double>(a.count);
    const double of_b = b.energy / static_cast<double>(b.count);
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  };
  std::ranges::sort(ranked_, comes_before);

  const std::size_t n = ranked_.size();
  counted_.resize(n + 1);
  tail_.resize(n + 1);
  next_single_.resize(n + 1, n);
  for (std::size_t i = 0; i < n; ++i) counted_[i + 1] = counted_[i] + ranked_[i].count;
  for (std::size_t i = n; i-- > 0;) {  // smallest first: the sum of many small energies stays exact enough
    tail_[i] = tail_[i + 1] + ranked_[i].energy;
    next_single_[i] = ranked_[i].count == 1 ? i : next_single_[i + 1];
  }
  size_ = counted_[n];
}

Truncation::Choice Truncation::choose(std::size_t k) const {
  if (k > size_) {
    throw Error(ErrorCode::out_of_range, fmt::format("K is {}; legal: 0 to {}", k, size_),
                "Keep at most as many coefficients as there are");
  }
  const auto after = std::ranges::upper_bound(counted_, k);
  const auto prefix = static_cast<std::size_t>(after - counted_.begin()) - 1;
  const bool room_for_one = counted_[prefix] < k;
  return {prefix, room_for_one ? next_single_[prefix] : ranked_.size()};
}

std::vector<std::size_t> Truncation::kept(std::size_t k) const {
  const Choice choice = choose(k);
  std::vector<std::size_t> indices;
  indices.reserve(k);
  const auto take = [&](const Term& term) {
    indices.push_back(term.first);
    if (term.second != term.first) indices.push_back(term.second);
  };
  for (std::size_t i = 0; i < choice.prefix; ++i) take(ranked_[i]);
  if (choice.filler < ranked_.size()) take(ranked_[choice.filler]);
  std::ranges::sort(indices);
  return indices;
}

double Truncation::discarded_energy(std::size_t k) const {
  const Choice choice = choose(k);
  const double filled = choice.filler < ranked_.size() ? ranked_[choice.filler].energy : 0;
  return std::max(0.0, tail_[choice.prefix] - filled);
}

std::vector<double> Truncation::energy_curve() const {
  std::vector<double> curve(size_ + 1);
  for (std::size_t k = 0; k <= size_; ++k) curve[k] = discarded_energy(k);
  return curve;
}

std::size_t Truncation::smallest_k(double energy) const {
  if (!(energy >= 0)) {
    throw Error(ErrorCode::out_of_range, fmt::format("the energy to discard is {}; legal: 0 or more", energy),
                "Give a squared error that may be made");
  }
  std::size_t low = 0, high = size_;  // the curve does not rise
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (discarded_energy(middle) <= energy) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace mercer
