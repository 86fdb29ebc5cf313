#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// Quantiles of numbers that are not all held: a KLL sketch (Karnin, Lang, Liberty 2016), of which several can be made
/// in different places and merged.
///
/// Level h holds numbers of weight 2^h. A full level is sorted, and every other number, starting at the first or the
/// second by a fair coin, moves up a level. That changes the rank of any x by at most w = 2^h, and by nothing in the
/// mean; so over all such steps the rank error is at most sum w, and with probability 1 - delta at most
/// sqrt(2 ln(2 / delta) sum w^2) (Hoeffding). Both sums are kept: the error that is stated is that of the steps that
/// were really taken, and zero as long as everything fits.
///
/// Coins are Philox, keyed by (seed, item, step): the same adds and merges give the same bytes anywhere. About 3 k
/// numbers in memory; amortised O(log k) for each number.
class QuantileSketch {
 public:
  /// `k` from 8 to 2^24: capacity of the top level; error falls as 1/k. `item` differs between sketches that will
  /// be merged: the number of the block that each is made from, below 2^40.
  explicit QuantileSketch(std::size_t k = 4096, std::uint64_t seed = 0, std::uint64_t item = 0);

  /// Throws `not_finite`.
  void add(std::span<const double> values);
  /// As if what the other holds had been added here. Throws `bad_value` for another k.
  void merge(const QuantileSketch& other);

  std::uint64_t count() const { return count_; }
  /// Nothing was thrown away: quantiles are those of the data.
  bool exact() const { return certain_ == 0; }
  /// No rank is wrong by more than this many numbers, for certain.
  double certain_rank_error() const { return certain_; }
  /// No rank of `queries` numbers chosen beforehand is wrong by more, but with probability `delta` in (0, 1).
  double rank_error(double delta, std::size_t queries = 1) const;

  double smallest() const { return smallest_; }
  double largest() const { return largest_; }
  /// The numbers at these ranks (1 to count, rising), each the smallest kept one whose estimated rank is at least that:
  /// x_(r) itself where the sketch is exact. Throws `out_of_range` for other ranks.
  std::vector<double> at_ranks(std::span<const std::uint64_t> ranks) const;

  /// For another process of the same build. `from_bytes` throws `corrupt_file`.
  std::string to_bytes() const;
  static QuantileSketch from_bytes(const std::string& bytes);

 private:
  std::size_t capacity(std::size_t level) const;
  void compress();
  void compact(std::size_t level);

  std::size_t k_;
  std::uint64_t seed_, item_;
  std::uint32_t steps_ = 0;
  std::uint64_t count_ = 0;
  double certain_ = 0, squares_ = 0;  // sums of w and of w^2
  double smallest_ = 0, largest_ = 0;
  std::vector<std::vector<double>> levels_{1};
};

/// Edges as `make_edges` gives them by the rules quantile, data_quantile and uniform, from a sketch: the same numbers
/// where it is exact (and for uniform always), otherwise those of data whose ranks are wrong by no more than the
/// sketch's rank error. Throws as `make_edges`, and `bad_value` for an empty sketch and for other rules.
Edges sketch_edges(const QuantileSketch& sketch, std::size_t bins, const EdgeRule& rule = {EdgeKind::data_quantile, 1});

/// A sketch of `all` numbers, of which this process holds `own`: those of `share_of` its rank with blocks of `block`
/// numbers. Every process of the team calls it, and all get the same sketch. It follows blocks, not processes: any
/// number of them makes the same bytes. Throws `shape_mismatch` where `own` has another length.
QuantileSketch sketch_shared(std::span<const double> own, std::size_t all, std::size_t k, std::uint64_t seed,
                             const Team& team, std::size_t block = std::size_t{1} << 20);

/// Where the quantile i / bins of N sorted numbers lies when ranks count from 0 to N - 1: between two neighbours.
struct QuantilePlace {
  std::size_t below, above;
  double share;  ///< of the way from one to the other, 0 to 1

  QuantilePlace(std::size_t i, std::size_t bins, std::size_t size) {
    const double place = static_cast<double>(i) / static_cast<double>(bins) * static_cast<double>(size - 1);
    below = static_cast<std::size_t>(std::min(place, static_cast<double>(size - 1)));
    above = std::min(below + 1, size - 1);
    share = place - static_cast<double>(below);
  }

  /// The end that is nearer is the one that is added to, so that both ends are met exactly.
  double between(double low, double high) const {
    const double step = high - low;
    return share < 0.5 ? low + step * share : high - step * (1 - share);
  }
};

}  // namespace mercer
