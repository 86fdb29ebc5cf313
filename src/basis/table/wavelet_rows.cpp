#include <algorithm>
#include <array>
#include <cassert>

#include "basis/table/roots_of_unity.hpp"
#include "basis/table/wavelet.hpp"

namespace mercer {
namespace {

// The wavelets (or scaling functions) of one level that are not zero at one place of an axis.
struct Present {
  std::vector<std::size_t> index;
  std::vector<double> low, high;

  void add(std::size_t place, double to_low, double to_high) {
    const auto found = std::ranges::find(index, place);  // a dozen entries
    const auto at = static_cast<std::size_t>(found - index.begin());
    if (found == index.end()) {
      index.push_back(place);
      low.push_back(to_low);
      high.push_back(to_high);
    } else {
      low[at] += to_low;
      high[at] += to_high;
    }
  }
  void clear() {
    index.clear();
    low.clear();
    high.clear();
  }
};

// From the finest level to the coarsest: a scaling function of one level is a filter's length of the next.
void find_present(const WaveletPlan& plan, std::size_t axis, std::size_t position, std::vector<Present>& levels) {
  if (levels.size() < plan.levels()) levels.resize(plan.levels());
  for (std::size_t level = 0; level < plan.levels(); ++level) {
    const WaveletStep& step = plan.steps[level][axis];
    Present& here = levels[level];
    here.clear();
    const auto spread = [&](std::size_t place, double weight) {
      step.for_each_tap(
          place, [&](std::size_t index, double low, double high) { here.add(index, weight * low, weight * high); });
    };
    if (level == 0) {
      spread(position, 1);
    } else {
      const Present& finer = levels[level - 1];
      for (std::size_t i = 0; i < finer.index.size(); ++i) spread(finer.index[i], finer.low[i]);
    }
  }
}

}  // namespace

struct WaveletRows::Scratch {
  std::array<std::vector<Present>, 8> axes;  // [axis][level - 1]
  std::vector<double> low, high;             // along the columns, levels one after the other
  std::array<std::size_t, 8> position{};
};

WaveletRows::Scratch& WaveletRows::scratch() {
  thread_local Scratch own;
  return own;
}

WaveletRows::WaveletRows(std::shared_ptr<const WaveletPlan> plan, std::span<const double> coefficients,
                         std::span<const std::size_t> kept)
    : plan_(std::move(plan)) {
  std::vector<std::size_t> order(kept.begin(), kept.end());
  std::ranges::sort(order);
  auto next = order.begin();
  for (const WaveletPlan::Band& band : plan_->bands) {
    const auto end = std::lower_bound(next, order.end(), band.offset + band.size);
    if (next == end) continue;
    const std::size_t columns = band.shape.back();
    KeptBand own{band.level, band.high, band.shape, {}, {}, {}};
    own.row_begin.assign(band.size / columns + 1, 0);
    for (; next != end; ++next) {
      const std::size_t place = *next - band.offset;
      ++own.row_begin[place / columns + 1];
      own.columns.push_back(static_cast<std::uint32_t>(place % columns));
      own.values.push_back(coefficients[*next]);
    }
    for (std::size_t row = 1; row < own.row_begin.size(); ++row) own.row_begin[row] += own.row_begin[row - 1];
    bands_.push_back(std::move(own));
  }
}

void WaveletRows::find_leading(std::size_t row, Scratch& own) const {
  for_each_leading_index(plan_->shape, row, [&](std::size_t axis, std::size_t index) {
    own.position[axis] = index;
    find_present(*plan_, axis, index, own.axes[axis]);
  });
}

// Visits (weight, first, last): the kept coefficients [first, last) of a row of the band that is not zero here.
template <class Visit>
void WaveletRows::for_each_band_row(const KeptBand& band, const Scratch& own, Visit visit) const {
  const std::size_t leading = plan_->shape.size() - 1;
  std::array<std::size_t, 8> choice{};  // which of the present wavelets on each axis
  for (;;) {
    double weight = 1;
    std::size_t row = 0;
    for (std::size_t axis = 0; axis < leading; ++axis) {
      std::size_t place = own.position[axis];
      if (band.level > 0) {
        const Present& present = own.axes[axis][band.level - 1];
        place = present.index[choice[axis]];
        weight *= (band.high >> axis & 1U) != 0 ? present.high[choice[axis]] : present.low[choice[axis]];
      }
      row = row * band.shape[axis] + place;
    }
    if (band.row_begin[row] != band.row_begin[row + 1]) visit(weight, band.row_begin[row], band.row_begin[row + 1]);
    std::size_t axis = leading;
    while (axis-- > 0) {
      const std::size_t count = band.level > 0 ? own.axes[axis][band.level - 1].index.size() : 1;
      if (++choice[axis] < count) break;
      choice[axis] = 0;
    }
    if (axis == SIZE_MAX) return;
  }
}

void WaveletRows::row(std::size_t row, std::span<double> out) const {
  assert(out.size() == plan_->shape.back());
  Scratch& own = scratch();
  find_leading(row, own);
  const std::size_t levels = plan_->levels();
  const auto columns_at = [&](std::size_t level) {
    return level == 0 ? plan_->shape.back() : plan_->steps[level - 1].back().half();
  };
  // What is gathered for level l lies at l * stride; a band may be wider than the table.
  std::size_t stride = 0;
  for (std::size_t level = 0; level <= levels; ++level) stride = std::max(stride, columns_at(level));
  own.low.assign((levels + 1) * stride, 0);
  own.high.assign((levels + 1) * stride, 0);
  for (const KeptBand& band : bands_) {
    const bool high = (band.high >> (plan_->shape.size() - 1) & 1U) != 0;
    double* const gathered = (high ? own.high : own.low).data() + band.level * stride;
    for_each_band_row(band, own, [&](double weight, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) gathered[band.columns[i]] += weight * band.values[i];
    });
  }
  for (std::size_t level = levels; level > 0; --level) {
    const double* const low = own.low.data() + level * stride;
    const double* const high = own.high.data() + level * stride;
    double* const finer = own.low.data() + (level - 1) * stride;
    const WaveletStep& step = plan_->steps[level - 1].back();
    for (std::size_t column = 0; column < step.length(); ++column) {
      double sum = 0;
      step.for_each_tap(column, [&](std::size_t index, double to_low, double to_high) {
        sum += to_low * low[index] + to_high * high[index];
      });
      finer[column] += sum;
    }
  }
  std::copy_n(own.low.data(), out.size(), out.data());
}

double WaveletRows::entry(std::size_t row, std::size_t column) const {
  Scratch& own = scratch();
  find_leading(row, own);
  const std::size_t last_axis = plan_->shape.size() - 1;
  find_present(*plan_, last_axis, column, own.axes[last_axis]);
  double value = 0;
  for (const KeptBand& band : bands_) {
    const bool high = (band.high >> last_axis & 1U) != 0;
    for_each_band_row(band, own, [&](double weight, std::size_t first, std::size_t last) {
      const auto begin = band.columns.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end = band.columns.begin() + static_cast<std::ptrdiff_t>(last);
      const auto add = [&](std::size_t place, double there) {
        const auto found = std::lower_bound(begin, end, place);
        if (found == end || *found != place) return;
        value += weight * there * band.values[static_cast<std::size_t>(found - band.columns.begin())];
      };
      if (band.level == 0) {
        add(column, 1);
        return;
      }
      const Present& present = own.axes[last_axis][band.level - 1];
      for (std::size_t i = 0; i < present.index.size(); ++i) {
        add(present.index[i], high ? present.high[i] : present.low[i]);
      }
    });
  }
  return value;
}

}  // namespace mercer
