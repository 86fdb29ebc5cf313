#include "basis/wavelet_axis.hpp"

#include <algorithm>

namespace mercer {

WaveletAxis::WaveletAxis(const WaveletFilter& filter, std::size_t length) : length_(length), size_(1) {
  for (std::size_t left = length; left > 1; left = steps_.back().half()) {
    steps_.push_back(WaveletStep::aligned(filter, left));
  }
  offsets_.resize(steps_.size());
  for (std::size_t level = steps_.size(); level-- > 0;) {
    offsets_[level] = size_;
    size_ += steps_[level].half();
  }
}

std::vector<double> WaveletAxis::analyse(std::vector<double> table, std::size_t outer, std::size_t inner) const {
  std::vector<double> out(outer * size_ * inner), both;
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    const std::size_t run = steps_[level].half() * inner;
    both.resize(outer * 2 * run);
    steps_[level].analyse(table.data(), both.data(), outer, inner);
    table.resize(outer * run);
    for (std::size_t i = 0; i < outer; ++i) {
      std::copy_n(both.data() + 2 * i * run, run, table.data() + i * run);
      std::copy_n(both.data() + (2 * i + 1) * run, run, out.data() + (i * size_ + offset(level)) * inner);
    }
  }
  for (std::size_t i = 0; i < outer; ++i) std::copy_n(table.data() + i * inner, inner, out.data() + i * size_ * inner);
  return out;
}

std::vector<double> WaveletAxis::synthesise(const std::vector<double>& coefficients, std::size_t outer,
                                            std::size_t inner) const {
  std::vector<double> table(outer * inner), both;
  for (std::size_t i = 0; i < outer; ++i) {
    std::copy_n(coefficients.data() + i * size_ * inner, inner, table.data() + i * inner);
  }
  for (std::size_t level = steps_.size(); level-- > 0;) {
    const std::size_t run = steps_[level].half() * inner;
    both.resize(outer * 2 * run);
    for (std::size_t i = 0; i < outer; ++i) {
      std::copy_n(table.data() + i * run, run, both.data() + 2 * i * run);
      std::copy_n(coefficients.data() + (i * size_ + offset(level)) * inner, run, both.data() + (2 * i + 1) * run);
    }
    table.resize(outer * steps_[level].length() * inner);
    steps_[level].synthesise(both.data(), table.data(), outer, inner);
  }
  return table;
}

void WaveletAxis::weights_at(std::size_t position, Weights& out) const {
  out.index.clear();
  out.weight.clear();
  // The scaling functions of a level that are not zero here; a dozen, so they are found by looking.
  struct Present {
    std::size_t index;
    double low, high;
  };
  thread_local std::vector<Present> finer, here;
  finer.assign({{position, 1, 0}});
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    here.clear();
    for (const Present& from : finer) {
      steps_[level].for_each_tap(from.index, [&](std::size_t index, double low, double high) {
        auto found = std::ranges::find(here, index, &Present::index);
        if (found == here.end()) found = here.insert(here.end(), {index, 0, 0});
        found->low += from.low * low;
        found->high += from.low * high;
      });
    }
    for (const Present& present : here) {
      out.index.push_back(offset(level) + present.index);
      out.weight.push_back(present.high);
    }
    std::swap(finer, here);
  }
  out.index.push_back(0);
  out.weight.push_back(finer[0].low);
}

}  // namespace mercer
