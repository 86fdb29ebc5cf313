#include "mercer/basis/truncation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

// A pair's energy is shared by two places: compared per place it is its squared magnitude.
double per_place(const Term& term) { return term.energy / static_cast<double>(term.count); }

void check_k(std::size_t k, std::size_t size) {
  if (k <= size) return;
  throw Error(ErrorCode::out_of_range, fmt::format("K is {}; legal: 0 to {}", k, size),
              "Keep at most as many coefficients as there are");
}

// Coefficients that are marked one by one and read in order, which takes no sorting.
class Marks {
 public:
  void take(const Term& term) {
    for (const std::size_t index : {term.first, term.second}) {
      if (index >= marked_.size()) marked_.resize(std::max(index + 1, 2 * marked_.size()));
      marked_[index] = 1;
    }
  }
  std::vector<std::size_t> indices() const {
    std::vector<std::size_t> out;
    out.reserve(static_cast<std::size_t>(std::ranges::count(marked_, 1)));
    for (std::size_t i = 0; i < marked_.size(); ++i) {
      if (marked_[i] != 0) out.push_back(i);
    }
    return out;
  }

 private:
  std::vector<char> marked_;
};

}  // namespace

Truncation::Truncation(std::vector<Term> terms, bool keep_mean) : ranked_(std::move(terms)) {
  std::ranges::sort(ranked_, [keep_mean](const Term& a, const Term& b) {
    if (keep_mean && a.mean != b.mean) return a.mean;
    const double of_a = per_place(a), of_b = per_place(b);
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  });

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
  check_k(k, size_);
  const auto after = std::ranges::upper_bound(counted_, k);
  const auto prefix = static_cast<std::size_t>(after - counted_.begin()) - 1;
  const bool room_for_one = counted_[prefix] < k;
  return {prefix, room_for_one ? next_single_[prefix] : ranked_.size()};
}

std::vector<std::size_t> Truncation::kept(std::size_t k) const {
  const Choice choice = choose(k);
  Marks marks;
  for (std::size_t i = 0; i < choice.prefix; ++i) marks.take(ranked_[i]);
  if (choice.filler < ranked_.size()) marks.take(ranked_[choice.filler]);
  return marks.indices();
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

std::vector<std::size_t> largest_kept(std::span<const Term> terms, std::size_t k, bool keep_mean) {
  // What terms are compared by, and which term it is: less to move about than the terms are.
  struct Rank {
    double per_place;
    std::size_t term;
  };
  std::vector<Rank> ranks;
  ranks.reserve(terms.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool first = keep_mean && terms[i].mean;
    ranks.push_back({first ? HUGE_VAL : per_place(terms[i]), i});
    size += terms[i].count;
  }
  check_k(k, size);
  const auto before = [&](const Rank& a, const Rank& b) {
    return a.per_place != b.per_place ? a.per_place > b.per_place : terms[a.term].first < terms[b.term].first;
  };
  Marks marks;
  std::size_t left = k;
  // The ranks before `begin` are taken, those from `end` on do not fit; half of the rest is decided each round.
  auto begin = ranks.begin(), end = ranks.end();
  while (begin != end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, before);
    std::size_t count = 0;
    for (auto rank = begin; rank <= middle; ++rank) count += terms[rank->term].count;
    if (count > left) {
      end = middle;
      continue;
    }
    left -= count;
    for (; begin <= middle; ++begin) marks.take(terms[begin->term]);
  }
  if (left > 0) {  // the next one of those that take one place
    const auto single = [&](const Rank& rank) { return terms[rank.term].count == 1; };
    auto filler = std::find_if(begin, ranks.end(), single);
    for (auto rank = filler; rank != ranks.end(); ++rank) {
      if (single(*rank) && before(*rank, *filler)) filler = rank;
    }
    if (filler != ranks.end()) marks.take(terms[filler->term]);
  }
  return marks.indices();
}

}  // namespace mercer
