#include "env/mujoco/mujoco_env.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/error.hpp"

namespace mercer {

WorkspacePool::WorkspacePool(ModelPointer model, std::size_t rows, std::vector<double> factors)
    : model_(std::move(model)), rows_(rows), factors_(std::move(factors)) {}

WorkspacePool::Lease WorkspacePool::take() const {
  std::unique_ptr<Workspace> own;
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      own = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!own) {
    own.reset(new Workspace{
        {mj_makeData(model_.get()), mj_deleteData}, std::vector<double>(rows_), std::vector<double>(rows_), factors_});
    if (!own->data) {
      throw Error(ErrorCode::too_large, "there is no memory for the simulator's data", "Use fewer threads");
    }
  }
  own->data->pstack = 0;  // an error inside a step leaves its temporaries there
  return {own.release(), [this](Workspace* used) {
            const std::scoped_lock lock(mutex_);
            free_.emplace_back(used);
          }};
}

namespace {

Task with_drawn(Task task, const DrawnParameters& drawn) {
  task.state = drawn.extended(std::move(task.state));
  return task;
}

std::vector<double> fixed_values(const DrawnParameters& drawn, std::size_t count) {
  std::vector<double> values;
  for (std::size_t p = 0; p < count; ++p) values.push_back(drawn.range(p).low);
  return values;
}

// What MuJoCo counts when it meets numbers that are not finite. It resets itself then, or ignores the action.
constexpr int failures[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC, mjWARN_BADCTRL};

bool failed(const mjData& data) {
  return std::ranges::any_of(failures, [&](int kind) { return data.warning[kind].number > 0; });
}

void forget_failures(mjData& data) {
  for (const int kind : failures) data.warning[kind] = {};
}

void gather(MatrixView<const double> columns, std::size_t i, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row) out[row] = columns(row, i);
}

void scatter(const double* from, std::size_t rows, MatrixView<double> columns, std::size_t i) {
  for (std::size_t row = 0; row < rows; ++row) columns(row, i) = from[row];
}

double read(const mjData& data, const Reading& reading) {
  switch (reading.field) {
    case Field::body:
      return data.xpos[reading.index];
    case Field::site:
      return data.site_xpos[reading.index];
    case Field::upright:
      return data.xmat[reading.index];
    case Field::sensor:
      return data.sensordata[reading.index];
    case Field::force:
      return data.qfrc_constraint[reading.index];
    case Field::contact:
      return data.cfrc_ext[reading.index];
    default:
      return 0;
  }
}

}  // namespace

MujocoEnv::MujocoEnv(ModelPointer model, Plan plan, std::vector<Factor> factors, DrawnParameters drawn)
    : Env(with_drawn(plan.task, drawn), plan.rows.qpos),
      plan_(std::move(plan)),
      base_(std::move(model)),
      drawn_(std::move(drawn)),
      variants_(base_, factors),
      fixed_(drawn_.nominal() ? base_ : variants_.at(fixed_values(drawn_, factors.size()))),
      pool_(base_, plan_.rows.drawn + static_cast<std::size_t>(base_->nu), fixed_values(drawn_, factors.size())) {
  for (std::size_t p = 0; p < factors.size(); ++p) {
    if (drawn_.range(p).width() > 0) drawn_factors_.push_back(p);
  }
}

const mjModel& MujocoEnv::model_of(MatrixView<const double> columns, std::size_t i, Workspace& work,
                                   ModelPointer& held) const {
  if (drawn_factors_.empty()) return *fixed_;
  for (std::size_t k = 0; k < drawn_factors_.size(); ++k) {
    work.factors[drawn_factors_[k]] = columns(plan_.rows.drawn + k, i);
  }
  held = variants_.at(work.factors);
  return *held;
}

void MujocoEnv::store(const mjModel& model, const mjData& data, double* column) const {
  const ColumnRows& rows = plan_.rows;
  column[0] = data.time;
  std::copy_n(data.act, model.na, column + rows.activation);
  std::copy_n(data.qacc_warmstart, model.nv, column + rows.warm_start);
  for (std::size_t k = 0; k < plan_.captured.size(); ++k) column[rows.captured + k] = read(data, plan_.captured[k]);
  std::copy_n(data.qpos, model.nq, column + rows.qpos);
  std::copy_n(data.qvel, model.nv, column + rows.qvel);
}

void MujocoEnv::reset(const Draws& draws, MatrixView<double> columns) const {
  drawn_.draw(draws, columns);
  const std::size_t positions = plan_.pose.size();
  // Number n of a state has the draws 2n and 2n + 1.
  for (std::size_t n = 0; n < plan_.rows.drawn - plan_.rows.qpos; ++n) {
    const auto row = columns.row(plan_.rows.qpos + n);
    const StartNoise& noise = n < positions ? plan_.position_noise : plan_.velocity_noise;
    const double middle = n < positions ? plan_.pose[n] : 0;
    const auto number = static_cast<std::uint32_t>(n);
    if (noise.normal) {
      draws.fill_normal(row, number);
    } else {
      draws.fill_uniform(row, -1, 1, 2 * number);
    }
    for (double& value : row) value = middle + noise.size * value;
  }
  for (const Plan::Disc& disc : plan_.discs) {
    const auto x = columns.row(plan_.rows.qpos + disc.position[0]), y = columns.row(plan_.rows.qpos + disc.position[1]);
    draws.fill_uniform(x, 0, 1, 2 * static_cast<std::uint32_t>(disc.position[0]));
    draws.fill_uniform(y, 0, 2 * std::numbers::pi, 2 * static_cast<std::uint32_t>(disc.position[1]));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double radius = disc.radius * std::sqrt(x[i]), angle = y[i];
      x[i] = radius * std::cos(angle);
      y[i] = radius * std::sin(angle);
    }
    for (const std::size_t velocity : disc.velocity) std::ranges::fill(columns.row(plan_.rows.qvel + velocity), 0.0);
  }
  settle(columns);
}

void MujocoEnv::settle(MatrixView<double> columns) const {
  const WorkspacePool::Lease work = pool_.take();
  mjData& data = *work->data;
  ModelPointer held;
  for (std::size_t i = 0; i < columns.cols(); ++i) {
    const mjModel& model = model_of(columns, i, *work, held);
    mj_resetData(&model, &data);
    for (int k = 0; k < model.nq; ++k) data.qpos[k] = columns(plan_.rows.qpos + static_cast<std::size_t>(k), i);
    for (int k = 0; k < model.nv; ++k) data.qvel[k] = columns(plan_.rows.qvel + static_cast<std::size_t>(k), i);
    mj_forward(&model, &data);
    store(model, data, work->after.data());
    scatter(work->after.data(), plan_.rows.drawn, columns, i);
  }
}

void MujocoEnv::observe(MatrixView<const double> columns, MatrixView<double> observation) const {
  std::size_t out = 0;
  for (const Signal& signal : plan_.observed) {
    for (std::size_t k = 0; k < signal.axes.size(); ++k) {
      const auto seen = observation.row(out++);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        seen[i] = signal.value(k, [&](std::size_t row) { return columns(row, i); });
      }
    }
  }
}

double MujocoEnv::reward_of(const Workspace& work) const {
  const auto before = [&](std::size_t row) { return work.before[row]; };
  const auto after = [&](std::size_t row) { return work.after[row]; };
  double sum = 0;
  for (const Plan::Term& term : plan_.reward) {
    double value = term.before ? term.signal.value(0, before) : term.signal.value(0, after);
    if (term.rate) value = (value - term.signal.value(0, before)) / task().dt;
    sum += term.weight * value;
  }
  return sum;
}

bool MujocoEnv::ends(const Workspace& work) const {
  for (const Plan::End& end : plan_.ends) {
    for (std::size_t k = 0; k < end.signal.axes.size(); ++k) {
      if (end.rule.holds(end.signal.value(k, [&](std::size_t row) { return work.after[row]; }))) return true;
    }
  }
  return false;
}

void MujocoEnv::step(MatrixView<double> columns, MatrixView<const double> action, const Draws&,
                     std::span<double> reward, std::span<std::uint8_t> terminated) const {
  const WorkspacePool::Lease work = pool_.take();
  mjData& data = *work->data;
  const ColumnRows& rows = plan_.rows;
  ModelPointer held;
  for (std::size_t i = 0; i < columns.cols(); ++i) {
    const mjModel& model = model_of(columns, i, *work, held);
    double* const before = work->before.data();
    gather(columns, i, rows.drawn, before);
    for (std::size_t k = 0; k < action.rows(); ++k) {
      data.ctrl[k] = before[rows.drawn + k] = work->after[rows.drawn + k] = action(k, i);
    }
    data.time = before[0];
    std::copy_n(before + rows.activation, model.na, data.act);
    std::copy_n(before + rows.warm_start, model.nv, data.qacc_warmstart);
    std::copy_n(before + rows.qpos, model.nq, data.qpos);
    std::copy_n(before + rows.qvel, model.nv, data.qvel);
    for (std::size_t frame = 0; frame < plan_.frame_skip; ++frame) mj_step(&model, &data);
    if (plan_.contact_forces) mj_rnePostConstraint(&model, &data);
    store(model, data, work->after.data());
    reward[i] = reward_of(*work);
    if (failed(data) || !std::isfinite(reward[i])) {
      forget_failures(data);
      reward[i] = 0;
      terminated[i] = StepEnd::broken;
      continue;
    }
    terminated[i] = ends(*work) ? StepEnd::task : StepEnd::none;
    scatter(work->after.data(), rows.drawn, columns, i);
  }
}

Figure MujocoEnv::figure(std::span<const double> state) const {
  const WorkspacePool::Lease work = pool_.take();
  std::copy_n(state.begin(), plan_.pose.size(), work->data->qpos);
  mj_kinematics(base_.get(), work->data.get());
  return {sticks_of(*base_, *work->data, plan_), plan_.views};
}

}  // namespace mercer
