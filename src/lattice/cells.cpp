#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "lattice/cell_counter.hpp"
#include "mercer/error.hpp"
#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

template <class Key>
Key key_of(const Grid& grid, const double* point, std::size_t stride) {
  Key key = 0;
  for (const Edges& axis : grid.axes) {
    key = key * axis.bins() + axis.bin(*point);
    point += stride;
  }
  return key;
}

// 2^64 and 2^128 themselves would not do; doubles round to them, so a little room is left.
bool needs_wide_keys(const Grid& grid) {
  constexpr double most64 = 0x1p63, most128 = 0x1p127;
  if (grid.cells() <= most64) return false;
  if (grid.cells() <= most128) return true;
  throw Error(ErrorCode::too_large,
              fmt::format("{} dimensions of bins make {:.3g} cells; legal: up to 2^127 = {:.3g}", grid.dimensions(),
                          grid.cells(), most128),
              "Take fewer bins, or fewer dimensions");
}

// Edges::bin of many points: with few bins it is faster to compare with all edges, many points at a time.
void find_bins(const Edges& axis, std::span<const double> points, std::span<std::uint64_t> bins) {
  constexpr std::size_t few = 64, together = 64;
  if (axis.bins() > few || points.size() != together) {
    for (std::size_t i = 0; i < points.size(); ++i) bins[i] = axis.bin(points[i]);
    return;
  }
  std::array<std::uint64_t, together> below{};
  for (std::size_t e = 1; e < axis.bins(); ++e) {
    const double edge = axis.values[e];
    for (std::size_t i = 0; i < together; ++i) below[i] += edge <= points[i] ? 1 : 0;
  }
  std::ranges::copy(below, bins.begin());
}

template <class Key>
std::vector<Key> keys_of(const Grid& grid, MatrixView<const double> points) {
  constexpr std::size_t together = 64;
  std::vector<Key> keys(points.cols());
  for_each_block(keys.size(), 4096, [&](Block block) {
    std::array<std::uint64_t, together> bins{};
    for (std::size_t begin = block.begin; begin < block.end; begin += together) {
      const std::size_t count = std::min(together, block.end - begin);
      for (std::size_t d = 0; d < grid.dimensions(); ++d) {
        find_bins(grid.axes[d], points.row(d).subspan(begin, count), bins);
        for (std::size_t i = 0; i < count; ++i) keys[begin + i] = keys[begin + i] * grid.axes[d].bins() + bins[i];
      }
    }
  });
  return keys;
}

// A place for every cell of a small grid: no sorting.
template <class Key>
std::vector<std::uint64_t> count_on_grid(std::vector<Key>& keys, std::size_t cells) {
  std::vector<std::uint32_t> visits(cells);
  for (const Key key : keys) ++visits[static_cast<std::size_t>(key)];
  std::vector<std::uint64_t> counts;
  keys.clear();
  for (std::size_t c = 0; c < cells; ++c) {
    if (visits[c] == 0) continue;
    keys.push_back(static_cast<Key>(c));
    counts.push_back(visits[c]);
  }
  return counts;
}

// Sorts, and replaces runs of equal keys by one key and a count.
template <class Key>
std::vector<std::uint64_t> count_keys(std::vector<Key>& keys, double cells) {
  if (cells <= 4 * static_cast<double>(keys.size()) && keys.size() <= UINT32_MAX) {
    return count_on_grid(keys, static_cast<std::size_t>(cells));
  }
  std::ranges::sort(keys);
  std::vector<std::uint64_t> counts;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (kept > 0 && keys[kept - 1] == keys[i]) {
      ++counts.back();
    } else {
      keys[kept++] = keys[i];
      counts.push_back(1);
    }
  }
  keys.resize(kept);
  return counts;
}

template <class Key>
Key radix_below(const Grid& grid, std::size_t dimension) {
  Key radix = 1;
  for (std::size_t d = dimension + 1; d < grid.dimensions(); ++d) radix *= grid.axes[d].bins();
  return radix;
}

}  // namespace

double Grid::cells() const {
  double product = 1;
  for (const Edges& axis : axes) product *= static_cast<double>(axis.bins());
  return product;
}

std::size_t Grid::bin(std::size_t cell, std::size_t dimension) const {
  for (std::size_t d = dimensions() - 1; d > dimension; --d) cell /= axes[d].bins();
  return cell % axes[dimension].bins();
}

Cells::Cells(Grid grid, Keys keys, std::vector<std::uint64_t> counts)
    : grid_(std::move(grid)),
      keys_(std::move(keys)),
      counts_(std::move(counts)),
      visits_(std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0})) {}

Cells::Cells(const Grid& grid, MatrixView<const double> points) : grid_(grid), visits_(points.cols()) {
  if (points.rows() != grid.dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("points of {} dimensions in a grid of {}", points.rows(), grid.dimensions()),
                "Give the points that the edges were made for");
  }
  const auto count = [&]<class Key>(Key) {
    std::vector<Key> keys = keys_of<Key>(grid, points);
    counts_ = count_keys(keys, grid.cells());
    keys_ = std::move(keys);
  };
  if (needs_wide_keys(grid)) {
    count(Key128{});
  } else {
    count(Key64{});
  }
}

Cells::Cells(const Grid& grid, std::span<const std::uint32_t> indices, std::vector<std::uint64_t> counts)
    : Cells(grid, Keys{}, std::move(counts)) {
  const std::size_t dimensions = grid.dimensions();
  if (indices.size() != counts_.size() * dimensions) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} bin indices for {} cells of {} dimensions", indices.size(), counts_.size(), dimensions),
                "Give one index for each dimension of each cell");
  }
  const auto fill = [&]<class Key>(Key) {
    std::vector<Key> keys(counts_.size());
    for (std::size_t c = 0; c < keys.size(); ++c) {
      for (std::size_t d = 0; d < dimensions; ++d) {
        const std::size_t bin = indices[c * dimensions + d];
        require_in_range("a bin index", static_cast<double>(bin), 0, static_cast<double>(grid.axes[d].bins() - 1),
                         "Give bins of the grid");
        keys[c] = keys[c] * grid.axes[d].bins() + bin;
      }
    }
    if (std::ranges::adjacent_find(keys, std::greater_equal<>()) != keys.end()) {
      throw Error(ErrorCode::bad_value, "cells that are not in rising order, or twice", "Sort them");
    }
    keys_ = std::move(keys);
  };
  if (needs_wide_keys(grid)) {
    fill(Key128{});
  } else {
    fill(Key64{});
  }
}

std::size_t Cells::find(const double* point, std::size_t stride) const {
  return std::visit(
      [&]<class Key>(const std::vector<Key>& keys) {
        const Key key = key_of<Key>(grid_, point, stride);
        // As in Edges::bin: no branch that data decides, since half of them would be mispredicted.
        std::size_t count = keys.size(), below = 0;
        while (count > 0) {
          const std::size_t half = (count + 1) / 2;
          below += keys[below + half - 1] < key ? half : 0;
          count -= half;
        }
        return below < keys.size() && keys[below] == key ? below : none;
      },
      keys_);
}

std::size_t Cells::bin(std::size_t place, std::size_t dimension) const {
  return std::visit(
      [&]<class Key>(const std::vector<Key>& keys) {
        return static_cast<std::size_t>(keys[place] / radix_below<Key>(grid_, dimension) %
                                        grid_.axes[dimension].bins());
      },
      keys_);
}

Key128 Cells::key(std::size_t place) const {
  return std::visit([&](const auto& keys) { return static_cast<Key128>(keys[place]); }, keys_);
}

Cells Cells::merged(const Cells& first, const Cells& second) {
  const auto same = [](const Edges& a, const Edges& b) { return a.values == b.values; };
  if (!std::ranges::equal(first.grid_.axes, second.grid_.axes, same)) {
    throw Error(ErrorCode::shape_mismatch, "cells of different grids cannot be merged", "Count both on one grid");
  }
  return std::visit(
      [&]<class Key>(const std::vector<Key>& keys) {
        const auto& others = std::get<std::vector<Key>>(second.keys_);
        std::vector<Key> all;
        std::vector<std::uint64_t> counts;
        all.reserve(keys.size() + others.size());
        counts.reserve(keys.size() + others.size());
        for (std::size_t a = 0, b = 0; a < keys.size() || b < others.size();) {
          const bool one = b == others.size() || (a < keys.size() && keys[a] <= others[b]);
          const bool other = a == keys.size() || (b < others.size() && others[b] <= keys[a]);
          all.push_back(one ? keys[a] : others[b]);
          counts.push_back((one ? first.counts_[a] : 0) + (other ? second.counts_[b] : 0));
          a += one ? 1 : 0;
          b += other ? 1 : 0;
        }
        all.shrink_to_fit();
        counts.shrink_to_fit();
        return Cells(first.grid_, Keys(std::move(all)), std::move(counts));
      },
      first.keys_);
}

std::string Cells::to_bytes() const {
  return std::visit(
      [&]<class Key>(const std::vector<Key>& keys) {
        std::string bytes(keys.size() * (sizeof(Key) + sizeof(std::uint64_t)), '\0');
        if (keys.empty()) return bytes;
        std::memcpy(bytes.data(), keys.data(), keys.size() * sizeof(Key));
        std::memcpy(bytes.data() + keys.size() * sizeof(Key), counts_.data(), counts_.size() * sizeof(std::uint64_t));
        return bytes;
      },
      keys_);
}

Cells Cells::from_bytes(const Grid& grid, const std::string& bytes) {
  const auto take = [&]<class Key>(Key) {
    constexpr std::size_t each = sizeof(Key) + sizeof(std::uint64_t);
    std::vector<Key> keys(bytes.size() / each);
    std::vector<std::uint64_t> counts(keys.size());
    if (!keys.empty()) {
      std::memcpy(keys.data(), bytes.data(), keys.size() * sizeof(Key));
      std::memcpy(counts.data(), bytes.data() + keys.size() * sizeof(Key), counts.size() * sizeof(std::uint64_t));
    }
    const bool rising = std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end();
    if (bytes.size() % each != 0 || !rising || (!keys.empty() && static_cast<double>(keys.back()) >= grid.cells())) {
      throw Error(ErrorCode::corrupt_file, "a list of visited cells is damaged", "Make it again");
    }
    return Cells(grid, Keys(std::move(keys)), std::move(counts));
  };
  return needs_wide_keys(grid) ? take(Key128{}) : take(Key64{});
}

Cells Cells::pruned(double threshold) const {
  require_in_range("the pruning threshold", threshold, 0, 1 - 1e-12,
                   "It is a fraction of all visits; 0 keeps every visited cell");
  const double least = threshold * static_cast<double>(visits_);
  return std::visit(
      [&]<class Key>(const std::vector<Key>& keys) {
        std::vector<Key> kept;
        std::vector<std::uint64_t> counts;
        for (std::size_t c = 0; c < keys.size(); ++c) {
          if (static_cast<double>(counts_[c]) <= least) continue;
          kept.push_back(keys[c]);
          counts.push_back(counts_[c]);
        }
        return Cells(grid_, Keys(std::move(kept)), std::move(counts));
      },
      keys_);
}

void CellCounter::merge_last() {
  Cells last = std::move(runs_.back());
  runs_.pop_back();
  runs_.back() = Cells::merged(runs_.back(), last);
}

void CellCounter::add(Cells part) {
  runs_.push_back(std::move(part));
  while (runs_.size() > 1 && runs_[runs_.size() - 2].size() <= 2 * runs_.back().size()) merge_last();
}

Cells CellCounter::take() {
  if (runs_.empty()) return Cells(grid_, std::span<const std::uint32_t>(), {});
  while (runs_.size() > 1) merge_last();
  Cells all = std::move(runs_.back());
  runs_.clear();
  return all;
}

}  // namespace mercer
