#include "env/drawn.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "env/spec.hpp"
#include "mercer/error.hpp"

namespace mercer {

DrawnParameters::DrawnParameters(std::vector<Parameter> parameters, std::vector<Range> ranges, std::size_t own_rows,
                                 std::uint32_t first_draw)
    : parameters_(std::move(parameters)), ranges_(std::move(ranges)), own_rows_(own_rows), first_draw_(first_draw) {
  for (std::size_t p = 0; p < ranges_.size(); ++p) {
    check_integers(parameters_[p], ranges_[p]);
    if (ranges_[p].width() > 0) drawn_.push_back(p);
    nominal_ = nominal_ && ranges_[p].low == parameters_[p].nominal && ranges_[p].width() == 0;
  }
}

Space DrawnParameters::extended(Space state) const {
  state.count = drawn_.empty() ? state.count : 0;  // with more than one number a state has no index
  for (const std::size_t p : drawn_) state.axes.push_back({parameters_[p].name, ranges_[p]});
  return state;
}

void DrawnParameters::draw(const Draws& draws, MatrixView<double> state) const {
  const Draws own{draws.seed, Stage::perturb, drawing_step, draws.items};
  for (std::size_t k = 0; k < drawn_.size(); ++k) {
    const auto [low, high] = ranges_[drawn_[k]];
    const auto row = state.row(own_rows_ + k);
    // The draw belongs to the parameter, not to its row: what else is perturbed does not change it.
    const auto draw = first_draw_ + static_cast<std::uint32_t>(drawn_[k]);
    if (!parameters_[drawn_[k]].integer) {
      own.fill_uniform(row, low, high, draw);
      continue;
    }
    own.fill_uniform(row, low, high + 1, draw);
    for (double& value : row) value = std::min(std::floor(value), high);
  }
}

DrawnParameters::Column DrawnParameters::of(std::size_t parameter, MatrixView<const double> state) const {
  const auto row = std::ranges::find(drawn_, parameter);
  if (row == drawn_.end()) return {nullptr, ranges_[parameter].low};
  return {state.row(own_rows_ + static_cast<std::size_t>(row - drawn_.begin())).data(), 0};
}

DrawnParameters read_physics(const std::vector<Parameter>& parameters, Params& params, std::size_t own_rows) {
  std::vector<Range> ranges;
  ranges.reserve(parameters.size());
  for (const Parameter& one : parameters) {
    ranges.push_back(params.range(one.name, one.nominal, one.legal.low, one.legal.high));
  }
  return {parameters, ranges, own_rows, 0};
}

}  // namespace mercer
