#include "lattice/quantile_sketch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

constexpr std::size_t smallest_capacity = 8;

template <class T>
void put(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Takes values off the front of bytes that may hold anything.
class Taker {
 public:
  explicit Taker(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  void take(T& value) {
    take(&value, sizeof value);
  }
  void take(void* to, std::size_t count) {
    if (count > left()) fail();
    if (count > 0) std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }
  std::size_t left() const { return bytes_.size() - at_; }
  [[noreturn]] static void fail() {
    throw Error(ErrorCode::corrupt_file, "a sketch of quantiles is damaged", "Make it again");
  }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

std::vector<double> data_quantiles(const QuantileSketch& sketch, std::size_t bins) {
  std::vector<std::uint64_t> ranks{1};
  for (std::uint64_t i = 1; i <= bins; ++i) {
    const std::uint64_t n = sketch.count();
    ranks.push_back(std::max<std::uint64_t>(1, n / bins * i + (n % bins * i + bins - 1) / bins));
  }
  return sketch.at_ranks(ranks);
}

std::vector<double> interpolated(const QuantileSketch& sketch, std::size_t bins) {
  std::vector<QuantilePlace> places;
  std::vector<std::uint64_t> below, above;
  for (std::size_t i = 0; i <= bins; ++i) {
    places.emplace_back(i, bins, sketch.count());
    below.push_back(places[i].below + 1);
    above.push_back(places[i].above + 1);
  }
  const std::vector<double> low = sketch.at_ranks(below), high = sketch.at_ranks(above);
  std::vector<double> found;
  for (std::size_t i = 0; i <= bins; ++i) found.push_back(places[i].between(low[i], high[i]));
  return found;
}

// Of bins + 1 numbers the data quantiles are those numbers, and ties are dealt with in one place.
Edges edges_at(const std::vector<double>& found) {
  return make_edges(found, found.size() - 1, {EdgeKind::data_quantile, 1});
}

}  // namespace

QuantileSketch::QuantileSketch(std::size_t k, std::uint64_t seed, std::uint64_t item)
    : k_(k), seed_(seed), item_(item) {
  require_in_range("k of a quantile sketch", static_cast<double>(k), 8, 1 << 24, "Take 4096");
  require_in_range("the item of a quantile sketch", static_cast<double>(item), 0, 0x1p40, "Count blocks from 0");
}

// Lower levels, whose numbers weigh less, can be smaller.
std::size_t QuantileSketch::capacity(std::size_t level) const {
  const auto depth = static_cast<double>(levels_.size() - 1 - level);
  return std::max(smallest_capacity,
                  static_cast<std::size_t>(std::ceil(static_cast<double>(k_) * std::pow(2.0 / 3.0, depth))));
}

void QuantileSketch::add(std::span<const double> values) {
  std::size_t most = capacity(0);
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::not_finite, fmt::format("{} among the data to make edges from", value),
                  "Remove values that are not finite numbers");
    }
    smallest_ = count_ == 0 ? value : std::min(smallest_, value);
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    ++count_;
    levels_[0].push_back(value);
    if (levels_[0].size() <= most) continue;
    compress();
    most = capacity(0);
  }
}

void QuantileSketch::merge(const QuantileSketch& other) {
  if (other.k_ != k_) {
    throw Error(ErrorCode::bad_value, fmt::format("sketches with k {} and {} cannot be merged", k_, other.k_),
                "Make all with the same k");
  }
  if (other.count_ == 0) return;
  smallest_ = count_ == 0 ? other.smallest_ : std::min(smallest_, other.smallest_);
  largest_ = count_ == 0 ? other.largest_ : std::max(largest_, other.largest_);
  count_ += other.count_;
  certain_ += other.certain_;
  squares_ += other.squares_;
  if (levels_.size() < other.levels_.size()) levels_.resize(other.levels_.size());
  for (std::size_t h = 0; h < other.levels_.size(); ++h) {
    levels_[h].insert(levels_[h].end(), other.levels_[h].begin(), other.levels_[h].end());
  }
  compress();
}

// Levels are let down to size one after the other; only what is really too full loses anything.
void QuantileSketch::compress() {
  for (std::size_t h = 0; h < levels_.size(); ++h) {
    if (levels_[h].size() > capacity(h)) compact(h);
  }
}

void QuantileSketch::compact(std::size_t level) {
  if (level + 1 == levels_.size()) levels_.emplace_back();
  std::vector<double>& full = levels_[level];
  std::ranges::sort(full);
  const std::size_t even = full.size() / 2 * 2;
  const bool upper = (Random({seed_, Stage::sketch, item_, steps_++}).bits() & 1) != 0;
  for (std::size_t i = upper ? 1 : 0; i < even; i += 2) levels_[level + 1].push_back(full[i]);
  full.erase(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(even));
  const double weight = std::ldexp(1.0, static_cast<int>(level));
  certain_ += weight;
  squares_ += weight * weight;
}

double QuantileSketch::rank_error(double delta, std::size_t queries) const {
  require_in_range("delta", delta, 1e-300, 1 - 1e-12, "Give a probability between 0 and 1");
  const double each = delta / static_cast<double>(std::max<std::size_t>(1, queries));
  return std::min(certain_, std::sqrt(2 * std::log(2 / each) * squares_));
}

std::vector<double> QuantileSketch::at_ranks(std::span<const std::uint64_t> ranks) const {
  struct Kept {
    double value;
    std::uint64_t weight;
  };
  std::vector<Kept> all;
  for (std::size_t h = 0; h < levels_.size(); ++h) {
    for (const double value : levels_[h]) all.push_back({value, std::uint64_t{1} << h});
  }
  std::ranges::sort(all, {}, &Kept::value);
  std::vector<double> found;
  std::size_t at = 0;
  std::uint64_t below = 0;  // weight of all before `at`
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 1 || ranks[i] > count_ || (i > 0 && ranks[i] < ranks[i - 1])) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("rank {} is asked for; legal: 1 to {}, rising", ranks[i], count_),
                  "Ask for ranks of what was added");
    }
    while (below + all[at].weight < ranks[i]) below += all[at++].weight;
    // The ends are always known.
    found.push_back(ranks[i] == 1 ? smallest_ : ranks[i] == count_ ? largest_ : all[at].value);
  }
  return found;
}

std::string QuantileSketch::to_bytes() const {
  std::string bytes;
  put(bytes, std::uint64_t{k_});
  put(bytes, seed_);
  put(bytes, item_);
  put(bytes, steps_);
  put(bytes, count_);
  for (const double value : {certain_, squares_, smallest_, largest_}) put(bytes, value);
  put(bytes, std::uint64_t{levels_.size()});
  for (const std::vector<double>& level : levels_) {
    put(bytes, std::uint64_t{level.size()});
    bytes.append(reinterpret_cast<const char*>(level.data()), level.size() * sizeof(double));
  }
  return bytes;
}

QuantileSketch QuantileSketch::from_bytes(const std::string& bytes) {
  Taker in(bytes);
  std::uint64_t k = 0, seed = 0, item = 0, levels = 0, weight = 0;
  in.take(k);
  in.take(seed);
  in.take(item);
  if (k < 8 || k > 1 << 24 || item > std::uint64_t{1} << 40) Taker::fail();
  QuantileSketch sketch(k, seed, item);
  in.take(sketch.steps_);
  in.take(sketch.count_);
  for (double* value : {&sketch.certain_, &sketch.squares_, &sketch.smallest_, &sketch.largest_}) in.take(*value);
  in.take(levels);
  if (levels < 1 || levels > 60) Taker::fail();
  sketch.levels_.resize(levels);
  for (std::size_t h = 0; h < levels; ++h) {
    std::uint64_t size = 0;
    in.take(size);
    if (size > in.left() / sizeof(double)) Taker::fail();
    sketch.levels_[h].resize(size);
    in.take(sketch.levels_[h].data(), size * sizeof(double));
    weight += size << h;
  }
  if (in.left() > 0 || weight != sketch.count_) Taker::fail();
  return sketch;
}

Edges sketch_edges(const QuantileSketch& sketch, std::size_t bins, const EdgeRule& rule) {
  if (sketch.count() == 0) {
    throw Error(ErrorCode::bad_value, "a sketch of no numbers has no quantiles", "Add at least one number");
  }
  require_in_range("the number of bins", static_cast<double>(bins), 1, 1 << 20, "Ask for a number in that range");
  switch (rule.kind) {
    case EdgeKind::uniform:
      return make_edges(std::array{sketch.smallest(), sketch.largest()}, bins, rule);
    case EdgeKind::quantile:
      return edges_at(interpolated(sketch, bins));
    case EdgeKind::data_quantile:
      return edges_at(data_quantiles(sketch, bins));
    case EdgeKind::kmeans:
    case EdgeKind::tempered:
      break;
  }
  throw Error(ErrorCode::bad_value, fmt::format("edges by '{}' cannot be made from a sketch", to_text(rule)),
              "Use quantile, data-quantile or uniform");
}

QuantileSketch sketch_shared(std::span<const double> own, std::size_t all, std::size_t k, std::uint64_t seed,
                             const Team& team, std::size_t block) {
  require_in_range("block", static_cast<double>(block), 1, 1e12, "Take a million");
  const Share share = share_of(team.rank, team.size, all, block);
  if (own.size() != share.end - share.begin) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("process {} of {} holds {} of {} numbers, and its share are {}", team.rank, team.size,
                            own.size(), all, share.end - share.begin),
                "Cut data as share_of does");
  }
  std::vector<QuantileSketch> parts((own.size() + block - 1) / block, QuantileSketch(k));
  for_each_block(own.size(), block, [&](Block piece) {
    QuantileSketch part(k, seed, share.begin / block + piece.index);
    part.add(own.subspan(piece.begin, piece.end - piece.begin));
    parts[piece.index] = std::move(part);
  });
  QuantileSketch merged(k, seed, (all + block - 1) / block);  // coins of its own
  const auto merge_all = [&](const std::string& bytes) {
    Taker in(bytes);
    while (in.left() > 0) {
      std::uint64_t size = 0;
      in.take(size);
      if (size > in.left()) Taker::fail();
      std::string one(size, '\0');
      in.take(one.data(), size);
      merged.merge(QuantileSketch::from_bytes(one));
    }
  };
  std::string mine;
  for (const QuantileSketch& part : parts) {
    const std::string bytes = part.to_bytes();
    put(mine, std::uint64_t{bytes.size()});
    mine += bytes;
  }
  if (team.size == 1) {
    merge_all(mine);
  } else {
    for (const std::string& theirs : team.gather(mine)) merge_all(theirs);
  }
  return merged;
}

}  // namespace mercer
