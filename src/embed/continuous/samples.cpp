#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mercer/embed.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

constexpr double still_moves = 0.995, least_weight = 0.03;

// Actions along each axis at which a density is taken, by the number of action dimensions. From state to state they are
// shifted by an irrational share of their distance, so that few for each state are many for all.
constexpr std::array<double, 3> shifts{0.6180339887498949, 0.4142135623730951, 0.7320508075688772};
std::size_t grid_side(std::size_t dimensions) { return dimensions == 1 ? 12 : dimensions == 2 ? 10 : 6; }

// Puts new columns after the old ones of every row.
void append_columns(std::vector<double>& values, std::size_t rows, std::size_t old_columns,
                    const std::vector<double>& added, std::size_t new_columns) {
  std::vector<double> out(rows * (old_columns + new_columns));
  for (std::size_t r = 0; r < rows; ++r) {
    double* row = out.data() + r * (old_columns + new_columns);
    std::copy_n(values.data() + r * old_columns, old_columns, row);
    std::copy_n(added.data() + r * new_columns, new_columns, row + old_columns);
  }
  values = std::move(out);
}

}  // namespace

Head head_for(const Policy& teacher, bool whole_distribution) {
  if (teacher.action_space().is_discrete()) return Head::logits;
  if (!whole_distribution) return Head::mean;
  return dynamic_cast<const GaussianPolicy*>(&teacher) != nullptr ? Head::gaussian : Head::density;
}

Samples::Samples(const Policy& teacher, Head head, bool squash)
    : teacher_(teacher),
      contract_(continuous_contract(teacher.contract(), head, squash)),
      head_(head),
      squash_(squash),
      dimensions_(teacher.observation_dimensions()),
      outputs_(head_outputs(head, contract_)) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_value, fmt::format("policy '{}' {}", teacher.name(), why),
                "Embed its mean action instead (--act mean)");
  };
  if ((head == Head::logits) != teacher.action_space().is_discrete()) refuse("has other actions than the head");
  if (head == Head::gaussian) {
    if (dynamic_cast<const GaussianPolicy*>(&teacher) == nullptr) refuse("is no Gaussian");
    const Contract& own = teacher.contract();
    if (own.squash != contract_.squash) refuse("squashes otherwise than its embedding would");
    if (own.squash == Squash::tanh && (own.centre != contract_.centre || own.scale != contract_.scale)) {
      refuse("is squashed to another box than that of its actions");
    }
  }
  if (head != Head::density) return;
  const std::size_t actions = teacher.action_space().dimensions();
  if (actions > 3) refuse("has more than three action dimensions, too many for a density without a form");
  dimensions_ += actions;
  for (std::size_t d = 0; d < actions; ++d) group_ *= grid_side(actions);
}

std::vector<double> Samples::expanded(MatrixView<const double> states) const {
  const std::size_t seen = states.rows(), actions = dimensions_ - seen, side = grid_side(actions);
  const std::size_t columns = states.cols() * group_;
  std::vector<double> out(dimensions_ * columns);
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t d = 0; d < seen; ++d) out[d * columns + i] = states(d, i / group_);
    std::size_t cell = i % group_;
    for (std::size_t d = 0; d < actions; ++d, cell /= side) {
      const double turns = shifts[d] * (static_cast<double>((columns_ + i) / group_) + 0.5);
      const double inside = turns - std::floor(turns);
      out[(seen + d) * columns + i] = -1 + 2 * (static_cast<double>(cell % side) + inside) / static_cast<double>(side);
    }
  }
  return out;
}

void Samples::add(MatrixView<const double> states) {
  const std::size_t columns = states.cols() * group_;
  if (columns == 0) return;
  std::vector<double> target(outputs_ * columns), weight(target.size()), played(target.size()), points;
  const MatrixView<double> t(target.data(), outputs_, columns), w(weight.data(), outputs_, columns),
      p(played.data(), outputs_, columns);
  if (head_ == Head::density) {
    points = expanded(states);
    ask_density({points.data(), dimensions_, columns}, t, w, p);
  } else {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      points.insert(points.end(), states.row(d).begin(), states.row(d).end());
    }
    if (head_ == Head::mean) ask_mean(states, t, w, p);
    if (head_ == Head::gaussian) ask_gaussian(states, t, w);
    if (head_ == Head::logits) ask_logits(states, t, w, p);
  }
  for (const double value : target) {
    if (std::isfinite(value)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("policy '{}' gives {} in a visited state", teacher_.name(), value),
                "Check the policy's weights");
  }
  append_columns(points_, dimensions_, columns_, points, columns);
  append_columns(targets_, outputs_, columns_, target, columns);
  append_columns(weights_, outputs_, columns_, weight, columns);
  if (head_ != Head::gaussian) append_columns(played_, outputs_, columns_, played, columns);
  columns_ += columns;
}

void Samples::ask_mean(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                       MatrixView<double> played) const {
  teacher_.mean_action(states, played);
  for (std::size_t o = 0; o < outputs_; ++o) {
    const auto [low, high] = contract_.clip[o];
    for (std::size_t i = 0; i < states.cols(); ++i) {
      const double z = (std::clamp(played(o, i), low, high) - contract_.centre[o]) / contract_.scale[o];
      played(o, i) = z;
      target(o, i) = squash_ ? std::atanh(std::clamp(z, -still_moves, still_moves)) : z;
      weight(o, i) = squash_ ? 1 - z * z + least_weight : 1;
    }
  }
}

void Samples::ask_gaussian(MatrixView<const double> states, MatrixView<double> target,
                           MatrixView<double> weight) const {
  const auto& gaussian = dynamic_cast<const GaussianPolicy&>(teacher_);
  gaussian.parameters()(states, target);
  const std::size_t actions = outputs_ / 2;
  for (std::size_t d = 0; d < actions; ++d) {
    const Contract& own = teacher_.contract();
    for (std::size_t i = 0; i < states.cols(); ++i) {
      if (own.squash == Squash::none) {  // from the teacher's units to the box's
        target(d, i) = (own.centre[d] + own.scale[d] * target(d, i) - contract_.centre[d]) / contract_.scale[d];
        target(actions + d, i) += std::log(std::abs(own.scale[d] / contract_.scale[d]));
      }
      weight(d, i) = std::exp(-2 * target(actions + d, i));
      weight(actions + d, i) = 2;
    }
  }
}

void Samples::ask_logits(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                         MatrixView<double> played) const {
  const auto* boltzmann = dynamic_cast<const DiscreteBoltzmannPolicy*>(&teacher_);
  std::vector<double> action(states.cols());
  if (boltzmann != nullptr && !squash_) {
    boltzmann->q()(states, target);
  } else {
    teacher_.mean_action(states, {action.data(), 1, action.size()});
  }
  for (std::size_t i = 0; i < states.cols(); ++i) {
    double mean = 0, most = -HUGE_VAL, total = 0;
    for (std::size_t a = 0; a < outputs_; ++a) {
      const bool chosen = action[i] == static_cast<double>(a);
      target(a, i) = boltzmann != nullptr && !squash_ ? target(a, i) / boltzmann->temperature() : chosen ? 1 : -1;
      mean += target(a, i) / static_cast<double>(outputs_);
      most = std::max(most, target(a, i));
    }
    for (std::size_t a = 0; a < outputs_; ++a) total += std::exp(target(a, i) - most);
    for (std::size_t a = 0; a < outputs_; ++a) {
      const bool chosen = action[i] == static_cast<double>(a);
      played(a, i) = boltzmann != nullptr && !squash_ ? std::exp(target(a, i) - most) / total : chosen ? 1 : 0;
      target(a, i) -= mean;
      weight(a, i) = 1;
    }
  }
}

void Samples::ask_density(MatrixView<const double> points, MatrixView<double> target, MatrixView<double> weight,
                          MatrixView<double> played) const {
  constexpr double deepest = 12, floor = 0.02;  // log density below its peak; share of weight that is spread evenly
  const std::size_t seen = teacher_.observation_dimensions(), actions = dimensions_ - seen, columns = points.cols();
  std::vector<double> action(actions * columns);
  for (std::size_t d = 0; d < actions; ++d) {
    for (std::size_t i = 0; i < columns; ++i) {
      action[d * columns + i] = contract_.centre[d] + contract_.scale[d] * points(seen + d, i);
    }
  }
  const auto* boltzmann = dynamic_cast<const BoxBoltzmannPolicy*>(&teacher_);
  const bool same_box = teacher_.contract().centre == contract_.centre && teacher_.contract().scale == contract_.scale;
  if (boltzmann != nullptr && same_box) {  // its normaliser, which costs most, changes nothing here
    boltzmann->q()(points, target);
    for (double& value : target.row(0)) value /= boltzmann->temperature();
  } else {
    teacher_.log_prob(points.row_block(0, seen), {action.data(), actions, columns}, target.row(0));
  }
  for (std::size_t begin = 0; begin < columns; begin += group_) {
    const std::span<double> log_density = target.row(0).subspan(begin, group_);
    const double most = *std::ranges::max_element(log_density);
    double total = 0, mean = 0;
    for (std::size_t i = 0; i < group_; ++i) {
      log_density[i] = std::max(log_density[i] - most, -deepest);
      total += played(0, begin + i) = std::exp(log_density[i]);
    }
    for (std::size_t i = 0; i < group_; ++i) {
      const double p = played(0, begin + i) /= total;
      weight(0, begin + i) = (1 - floor) * p + floor / static_cast<double>(group_);
      mean += weight(0, begin + i) * log_density[i];
    }
    for (double& value : log_density) value -= mean;
  }
}

}  // namespace mercer
