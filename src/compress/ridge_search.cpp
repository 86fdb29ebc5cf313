#include "compress/ridge_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace mercer {
namespace {

using distil::Index;
using distil::RidgeGrid;
using distil::Student;

constexpr std::size_t visited_episodes = 16, kept_states = 300'000;
// A student that may not grow is tuned anew so often, and longer as long as it loses this much less each time.
constexpr std::uint64_t most_failed_at_limit = 4;
constexpr double still_falling = 0.97;

}  // namespace

RidgeSearch::RidgeSearch(const Player& player, const Policy& teacher, const CompressOptions& options,
                         TryEmbedding attempt, EnoughTime enough, const Progress& progress)
    : player_(player),
      teacher_(teacher),
      options_(options),
      attempt_(std::move(attempt)),
      enough_(std::move(enough)),
      progress_(progress),
      discrete_(player.task().action.is_discrete()),
      visited_(player.roll_out(teacher, {visited_episodes, fresh_seed(), Act::mean}, progress)),
      squash_(distil::squash_like(teacher.contract().squash, player.task(), visited_.actions)),
      data_(teacher, player.task(), kept_states, options.judge.seed),
      trusted_(options.critics ? 1 : 0) {
  data_.add(visited_);
  scale_ = distil::input_scale(player.task().observation, data_.states().view());
  if (options.critics && !discrete_) data_.weigh(distil::CriticNetworks(*options.critics));
}

bool takes_shared_ridges(const Task& task) {
  return std::ranges::none_of(task.observation.axes, &Axis::periodic) && !task.observation.is_discrete() &&
         (task.action.is_discrete() || std::ranges::all_of(task.action.axes, is_bounded));
}

bool RidgeSearch::advance() {
  if (enough_() && stage_ != Stage::judge) {  // what was tuned is not lost
    stage_ = checked_.empty() ? Stage::done : Stage::judge;
  }
  switch (stage_) {
    case Stage::linear:
      try_linear();
      break;
    case Stage::sizes:
      try_size();
      break;
    case Stage::critics:
      begin_tuning();
      break;
    case Stage::free:
      tune(false);
      break;
    case Stage::rounded:
      tune(true);
      break;
    case Stage::judge:
      judge();
      break;
    case Stage::done:
      break;
  }
  return stage_ != Stage::done;
}

std::uint64_t RidgeSearch::fresh_seed() {
  return Random({options_.judge.seed, mercer::Stage::search, 0x5EA000000000 + seeds_++, 0}).bits();
}

void RidgeSearch::note(const std::string& sentence) const {
  if (progress_.note) progress_.note(sentence);
}

std::string RidgeSearch::held_words() const {
  return tuner_->held() > 0 ? fmt::format(", {} of them rounded", tuner_->held()) : "";
}

std::uint64_t RidgeSearch::rounded_turns() const { return std::max<std::uint64_t>(1, options_.ridges.later_turns / 3); }

// A student that was tuned is rounded in parts, a half of its ridges after the other, or gives ridges away and is tuned
// again: about as long.
std::optional<double> RidgeSearch::turns_left() const {
  if (stage_ != Stage::free && stage_ != Stage::rounded) return {};
  const auto rest = static_cast<double>(turns_ - turn_);
  if (stage_ == Stage::free) return rest + static_cast<double>(options_.ridges.later_turns);
  const auto unrounded = static_cast<double>(student_.shape.ridges - tuner_->held());
  return rest + std::ceil(std::log2(std::max(1.0, unrounded))) * static_cast<double>(rounded_turns());
}

// A part of the ridges goes onto the grid; the rest is tuned to make up for that. The heaviest go first, while there is
// most left to do so.
void RidgeSearch::round_some(Student best) {
  const Index all = best.shape.ridges, held = tuner_->held();
  distil::Rounding rounding = tuner_->rounding();
  if (held == 0) {
    best.numbers = kept_ridges(best.shape, best.numbers, by_weight(best));
    rounding = fitting_rounding(best, parts_grid(static_cast<std::size_t>(all)));
  }
  const Index half = all - (all - held) / 2, end = all - half > 2 ? half : all;
  const distil::RoundedStudent some = round_ridges({best, rounding}, held, end, data_, options_.judge.seed);
  tuner_->restart(some.student, some.rounding, end);
  begin_turns(Stage::rounded, rounded_turns());
  check(some.student);
}

void RidgeSearch::judge() {
  const Index held = tuner_->held();
  const auto [best, cost] = best_checked();
  gather_states(&best);  // a tuned student goes elsewhere than one that imitates
  if (held > 0 && held < best.shape.ridges && !enough_() && tuner_->healthy()) return round_some(best);
  const bool on_grid = held == best.shape.ridges;
  bool passed = false;
  if (on_grid) {
    passed = try_rounded(round_coefficients({best, tuner_->rounding()}, data_, options_.judge.seed)).promising;
  } else {
    const auto [fine, any] = try_grids(best);
    passed = any;
    student_ = best;
    note(fmt::format("{} ridges lose {:.3g}% when tuned", best.shape.ridges, 100 * fine.lost_share));
    // As long as tuning helps, no attempt has failed. Critics that were learned take many.
    if (options_.judge.max_bytes && fine.lost_share < still_falling * least_tuned_) failed_ = 0;
    least_tuned_ = std::min(least_tuned_, fine.lost_share);
  }
  passed_here_ = passed_here_ != 0 || passed ? 1 : 0;
  if (enough_() || !tuner_->healthy()) {
    stage_ = Stage::done;
  } else if (!on_grid && !passed && cost <= near_budgets) {  // what the grid costs may be won back on it
    round_some(best);
  } else if (passed_here_ != 0) {
    shrink();
  } else if (passed_ != 0) {
    stage_ = Stage::done;  // the size before was the smallest
  } else if (++failed_ <= (options_.judge.max_bytes ? most_failed_at_limit : 1)) {
    tuner_->restart(student_);
    begin_turns(Stage::free, on_grid ? options_.ridges.later_turns : options_.ridges.first_turns);
  } else if (options_.judge.max_bytes) {
    stage_ = Stage::done;
  } else {
    grow();
  }
}

// The heaviest first.
std::vector<Index> RidgeSearch::by_weight(const Student& student) const {
  std::vector<Index> order(static_cast<std::size_t>(student.shape.ridges));
  std::iota(order.begin(), order.end(), Index{0});
  const distil::Vector<double> weight = ridge_weights(student, data_, options_.judge.seed);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Index r) { return weight[r]; });
  return order;
}

void RidgeSearch::shrink() {
  const Index had = student_.shape.ridges, left = had * 3 / 4;
  passed_ = static_cast<std::uint64_t>(had);
  passed_here_ = 0;
  if (left < 2) {
    stage_ = Stage::done;
    return;
  }
  std::vector<Index> order = by_weight(student_);
  order.resize(static_cast<std::size_t>(left));
  std::ranges::sort(order);
  student_.numbers = kept_ridges(student_.shape, student_.numbers, order);
  student_.shape.ridges = left;
  tuner_->restart(student_);
  failed_ = 0;
  least_tuned_ = HUGE_VAL;
  begin_turns(Stage::free, options_.ridges.later_turns);
}

void RidgeSearch::grow() {
  const auto ridges = static_cast<std::size_t>(student_.shape.ridges * 3 / 2);
  if (ridges > options_.ridges.most_ridges) {
    stage_ = Stage::done;
    return;
  }
  student_ = best_imitated(ridges);
  tuner_->restart(student_);
  failed_ = 0;
  least_tuned_ = HUGE_VAL;
  begin_turns(Stage::free, options_.ridges.first_turns);
}

}  // namespace mercer
