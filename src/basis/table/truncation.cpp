#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {

void sample_rows(MatrixView<double> rows, std::size_t k, std::uint64_t seed) {
  require_in_range("number of sampled actions", static_cast<double>(k), 1, 1e9, "Give at least one action a row");
  constexpr std::size_t rows_per_block = 64;
  for_each_block(rows.rows(), rows_per_block, [&](Block block) {
    std::vector<double> counts(rows.cols());
    for (std::size_t index = block.begin; index < block.end; ++index) {
      const std::span<double> row = rows.row(index);
      check_distribution(row, fmt::format("row {}", index));
      counts.assign(row.size(), 0);
      Random random({seed, Stage::baseline, index, 0});
      for (std::size_t draw = 0; draw < k; ++draw) ++counts[random.categorical(row)];
      for (std::size_t column = 0; column < row.size(); ++column) row[column] = counts[column] / static_cast<double>(k);
    }
  });
}

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
  bool has(const Term& term) const { return term.first < marked_.size() && marked_[term.first] != 0; }
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
  const auto size_of = [&](const Term& term) { return keep_mean && term.mean ? HUGE_VAL : per_place(term); };
  const auto before = [&](const Term* a, const Term* b) {
    const double of_a = size_of(*a), of_b = size_of(*b);
    return of_a != of_b ? of_a > of_b : a->first < b->first;
  };
  // The leading bits of numbers that are not negative rise with them: whole levels are taken, from the highest on, and
  // only one has to be looked into.
  constexpr unsigned below_level = 49;
  const auto level_of = [&](const Term& term) {
    return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(std::abs(size_of(term))) >> below_level);
  };
  std::vector<std::size_t> places(std::size_t{1} << (63 - below_level));
  std::size_t size = 0;
  for (const Term& term : terms) {
    places[level_of(term)] += term.count;
    size += term.count;
  }
  check_k(k, size);
  std::size_t left = k, level = places.size();
  while (level > 0 && places[level - 1] <= left) left -= places[--level];
  Marks marks;
  std::vector<const Term*> close;
  for (const Term& term : terms) {
    const std::size_t own = level_of(term);
    if (own >= level) {
      marks.take(term);
    } else if (own + 1 == level) {
      close.push_back(&term);
    }
  }
  std::ranges::sort(close, before);
  for (auto term = close.begin(); term != close.end() && (*term)->count <= left; ++term) {
    marks.take(**term);
    left -= (*term)->count;
  }
  if (left > 0) {  // the next one of those that take one place
    const Term* filler = nullptr;
    for (const Term& term : terms) {
      const bool possible = term.count == 1 && !marks.has(term);
      if (possible && (filler == nullptr || before(&term, filler))) filler = &term;
    }
    if (filler != nullptr) marks.take(*filler);
  }
  return marks.indices();
}

}  // namespace mercer
