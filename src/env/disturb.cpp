#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/sincos.hpp"
#include "env/drawn.hpp"
#include "env/spec.hpp"
#include "mercer/error.hpp"
#include "mercer/perturb.hpp"

namespace mercer {
namespace {

enum : std::size_t { noise, action_noise, delay, lag, levels };

// Draws from here on are for actions; those of observations begin at 0.
constexpr std::uint32_t action_pair = 1 << 16;
// A sensor without bounds shows its levels over this many spreads to each side of 0, and goes on beyond.
constexpr double spreads_of_a_sensor = 4;

bool bounded(const Axis& axis) { return std::isfinite(axis.range.low) && std::isfinite(axis.range.high); }

// What is played before the first action: the middle of the range, or what is nearest to 0 where there is none.
double resting(const Space& space, std::size_t d) {
  const auto [low, high] = space.axes[d].range;
  if (space.is_discrete()) return std::floor(high / 2);
  return bounded(space.axes[d]) ? (low + high) / 2 : std::clamp(0.0, low, high);
}

// Independent standard normals in all rows of a chunk, by Box and Muller: each pair of uniforms makes two, since
// drawing them is what a noisy step takes its time for.
void fill_normals(const Draws& draws, MatrixView<double> rows) {
  const std::size_t count = rows.cols(), last = rows.rows() - 1;
  Chunk over, sine, cosine;  // of an odd number of rows the last pair has one normal too many
  const auto second = [&](std::size_t first) {
    return first == last ? std::span(over).first(count) : rows.row(first + 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    Random random = draws.random(i);
    for (std::size_t row = 0; row <= last; row += 2) {
      rows(row, i) = std::sqrt(-2 * std::log(1 - random.uniform()));
      second(row)[i] = 2 * std::numbers::pi * random.uniform();
    }
  }
  for (std::size_t row = 0; row <= last; row += 2) {
    const auto radius = rows.row(row), angle = second(row);
    sincos(angle, std::span(sine).first(count), std::span(cosine).first(count));
    for (std::size_t i = 0; i < count; ++i) angle[i] = radius[i] * sine[i];
    for (std::size_t i = 0; i < count; ++i) radius[i] *= cosine[i];
  }
}

DrawnParameters drawn_levels(const Disturbance& of, std::size_t own_rows) {
  return {disturbances(), {of.noise, of.action_noise, of.delay, of.lag, of.levels}, own_rows, disturbance_draw};
}

void check(const Task& task, const Disturbance& of) {
  const auto refuse = [&](std::string_view what, std::string_view why, std::string_view remedy) {
    throw Error(ErrorCode::bad_value, fmt::format("task '{}': {} does not go with {}", task.name, what, why),
                std::string(remedy));
  };
  if (task.observation.is_discrete() && of.noise.high > 0) refuse("noise", "a discrete observation", "Leave it out");
  if (task.observation.is_discrete() && of.levels.high > 0) refuse("levels", "a discrete observation", "Leave it out");
  if (task.action.is_discrete() && of.lag.high > 0) refuse("lag", "a discrete action", "Use delay");
  if (of.levels.high > 0 && of.levels.low < 2) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("task '{}': levels is {}; legal: 0 for all, or 2 to {}", task.name, of.levels.low,
                            disturbances()[levels].legal.high),
                "Give at least two values");
  }
  for (const Axis& axis : task.action.axes) {
    if (of.action_noise.high > 0 && !bounded(axis)) {
      refuse("action_noise", fmt::format("action {}, which has no bounds", axis.name), "Leave it out");
    }
  }
}

// Behind the rows of the task: drawn levels of the disturbances; the noise of each observation now, in standard
// deviations; the last actions, latest first; the action that was played last.
struct Rows {
  std::size_t own, normals, late, played, all;
};

Rows rows_of(const Env& env, const Disturbance& of, const DrawnParameters& drawn) {
  const Task& task = env.task();
  const std::size_t actions = task.action.dimensions();
  const bool acts = of.action_noise.high > 0 || of.delay.high > 0 || of.lag.high > 0;
  Rows rows{};
  rows.own = env.rows();
  rows.normals = rows.own + drawn.rows();
  rows.late = rows.normals + (of.noise.high > 0 ? task.observation.dimensions() : 0);
  rows.played = rows.late + static_cast<std::size_t>(of.delay.high) * actions;
  rows.all = rows.played + (acts ? actions : 0);
  return rows;
}

Task disturbed_task(const Env& env, const Disturbance& of, const DrawnParameters& drawn) {
  const Rows rows = rows_of(env, of, drawn);
  Task task = env.task();
  task.state = drawn.extended(task.state);
  if (rows.all > rows.own) task.state.count = 0;
  std::vector<Axis>& axes = task.state.axes;
  if (rows.late > rows.normals) {
    for (const Axis& axis : task.observation.axes) axes.push_back({axis.name + "_noise", {-HUGE_VAL, HUGE_VAL}});
  }
  const auto add_actions = [&](const std::string& ending) {
    for (const Axis& axis : task.action.axes) axes.push_back({axis.name + ending, axis.range, axis.unit});
  };
  for (std::size_t k = 1; k <= static_cast<std::size_t>(of.delay.high); ++k) add_actions(fmt::format("_{}_ago", k));
  if (rows.all > rows.played) add_actions("_played");
  return task;
}

class DisturbedEnv final : public Env {
 public:
  DisturbedEnv(std::unique_ptr<Env> inner, const Disturbance& of, const std::vector<double>& scales)
      : Env(disturbed_task(*inner, of, drawn_levels(of, inner->rows())), inner->carried()),
        inner_(std::move(inner)),
        drawn_(drawn_levels(of, inner_->rows())),
        rows_(rows_of(*inner_, of, drawn_)) {
    const std::vector<Axis>& seen = task().observation.axes;
    if (!scales.empty() && scales.size() != seen.size()) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("{} spreads of {} observations of task '{}'", scales.size(), seen.size(), task().name),
                  "Give one for each, 0 where it has bounds");
    }
    for (std::size_t d = 0; d < seen.size(); ++d) {
      const double spread = scales.empty() ? 0 : scales[d];
      half_ranges_.push_back(bounded(seen[d]) ? seen[d].range.width() / 2 : spread);
      needs_spread_ = needs_spread_ || (senses() && !bounded(seen[d]) && spread <= 0);
    }
  }

  bool needs_spread() const { return needs_spread_; }

  void reset(const Draws& draws, MatrixView<double> state) const override {
    require_spread();
    inner_->reset(draws, state.row_block(0, rows_.own));
    drawn_.draw(draws, state);
    draw_noise(draws, 0, state);
    for (std::size_t row = rows_.late; row < rows_.all; ++row) {
      std::ranges::fill(state.row(row), resting(task().action, (row - rows_.late) % actions()));
    }
  }

  void settle(MatrixView<double> columns) const override { inner_->settle(columns.row_block(0, rows_.own)); }

  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    inner_->observe(state.row_block(0, rows_.own), observation);
    if (!senses()) return;
    require_spread();
    const auto share = drawn_.of(noise, state), steps = drawn_.of(levels, state);
    for (std::size_t d = 0; d < observation.rows(); ++d) {
      const auto [low, high] = task().observation.axes[d].range;
      const auto seen = observation.row(d);
      if (noisy()) {
        const auto normal = state.row(rows_.normals + d);
        for (std::size_t i = 0; i < seen.size(); ++i) {
          seen[i] = std::min(std::max(seen[i] + share[i] * half_ranges_[d] * normal[i], low), high);
        }
      }
      if (drawn_.range(levels).high == 0) continue;
      const bool ends = bounded(task().observation.axes[d]);
      const double from = ends ? low : 0, width = 2 * half_ranges_[d] * (ends ? 1 : spreads_of_a_sensor);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const double step = width / (steps[i] - 1);
        seen[i] = std::min(std::max(from + std::round((seen[i] - from) / step) * step, low), high);
      }
    }
  }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    const MatrixView<double> own = state.row_block(0, rows_.own);
    if (inner_->task().state.is_discrete()) check_index(own.row(0));
    MatrixView<const double> played = action;
    if (rows_.all > rows_.played) {
      for (std::size_t d = 0; d < actions(); ++d) act(state, action.row(d), draws, d);
      played = state.row_block(rows_.played, actions());
    }
    inner_->step(own, played, draws, reward, terminated);
    draw_noise(draws, draws.step + 1, state);
  }

  Range return_range(std::uint32_t horizon) const override { return inner_->return_range(horizon); }

  Figure figure(std::span<const double> state) const override {
    return inner_->figure(state.first(inner_->task().state.dimensions()));
  }

 private:
  std::size_t actions() const { return task().action.dimensions(); }
  bool noisy() const { return rows_.late > rows_.normals; }
  bool senses() const { return noisy() || drawn_.range(levels).high > 0; }

  void draw_noise(const Draws& draws, std::uint32_t step, MatrixView<double> state) const {
    if (!noisy()) return;
    for_each_chunk(state.cols(), [&](std::size_t begin, std::size_t count) {
      const Draws own{draws.seed, Stage::perturb, step, draws.items.subspan(begin, count)};
      fill_normals(own, state.row_block(rows_.normals, rows_.late - rows_.normals).columns(begin, count));
    });
  }

  // Late, then noisy, then lagging: what is played is a mean of legal actions, so that bounds on rewards hold.
  void act(MatrixView<double> state, std::span<const double> asked, const Draws& draws, std::size_t d) const {
    const Range range = task().action.axes[d].range;
    const auto late = drawn_.of(delay, state), kept = drawn_.of(lag, state);
    const auto ago = [&](std::size_t steps) { return state.row(rows_.late + (steps - 1) * actions() + d); };
    const auto played = state.row(rows_.played + d);
    for_each_chunk(asked.size(), [&](std::size_t begin, std::size_t count) {
      Chunk command;
      for (std::size_t i = 0; i < count; ++i) {
        const auto steps = static_cast<std::size_t>(late[begin + i]);
        command[i] = steps == 0 ? asked[begin + i] : ago(steps)[begin + i];
      }
      if (drawn_.range(action_noise).high > 0) {
        const Draws own{draws.seed, Stage::perturb, draws.step, draws.items.subspan(begin, count)};
        add_noise(std::span(command).first(count), own, drawn_.of(action_noise, state.columns(begin, count)), d);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const double legal = std::min(std::max(command[i], range.low), range.high);
        played[begin + i] = kept[begin + i] * played[begin + i] + (1 - kept[begin + i]) * legal;
      }
    });
    for (auto k = static_cast<std::size_t>(drawn_.range(delay).high); k > 0; --k) {
      std::ranges::copy(k > 1 ? std::span<const double>(ago(k - 1)) : asked, ago(k).begin());
    }
  }

  void add_noise(std::span<double> command, const Draws& own, const DrawnParameters::Column& share,
                 std::size_t d) const {
    const Space& space = task().action;
    Chunk first, second;
    const auto pair = action_pair + static_cast<std::uint32_t>(d);
    if (!space.is_discrete()) {
      own.fill_normal(std::span(first).first(command.size()), pair);
      const double half = space.axes[d].range.width() / 2;
      for (std::size_t i = 0; i < command.size(); ++i) command[i] += share[i] * half * first[i];
      return;
    }
    own.fill_uniform(std::span(first).first(command.size()), 0, 1, 2 * pair);
    own.fill_uniform(std::span(second).first(command.size()), 0, static_cast<double>(space.count), 2 * pair + 1);
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (first[i] < share[i]) command[i] = std::floor(second[i]);
    }
  }

  // A finite task looks up its tables with the state.
  void check_index(std::span<const double> index) const {
    const auto count = static_cast<double>(inner_->task().state.count);
    for (const double one : index) {
      if (one >= 0 && one < count && one == std::floor(one)) continue;
      throw Error(ErrorCode::out_of_range,
                  fmt::format("a state of task '{}' is {}; legal: integers 0 to {}", task().name, one, count - 1),
                  "Give states of the task");
    }
  }

  void require_spread() const {
    if (!needs_spread_) return;
    const auto open = std::ranges::find_if_not(task().observation.axes, bounded);
    throw Error(ErrorCode::missing_option,
                fmt::format("task '{}': noise and levels of {}, which has no bounds, are shares of its spread, and the "
                            "spread is not known",
                            task().name, open->name),
                "Play it by rollout, evaluate, embed, compress or certify, which measure the spread that the policy "
                "or teacher causes, or give the spreads to with_spread()");
  }

  std::unique_ptr<Env> inner_;
  DrawnParameters drawn_;
  Rows rows_;
  std::vector<double> half_ranges_;
  bool needs_spread_ = false;
};

}  // namespace

std::unique_ptr<Env> disturb(std::unique_ptr<Env> env, const Disturbance& disturbance, std::vector<double> scales) {
  check(env->task(), disturbance);
  return std::make_unique<DisturbedEnv>(std::move(env), disturbance, scales);
}

bool needs_spread(const Env& env) {
  const auto* const disturbed = dynamic_cast<const DisturbedEnv*>(&env);
  return disturbed != nullptr && disturbed->needs_spread();
}

}  // namespace mercer
