#include "env/mujoco/plan.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

// Gives every number of the signals its row; what MuJoCo computes on the way gets rows of its own.
void assign_rows(const mjModel& model, Plan& plan) {
  const auto for_each_reading = [&](const auto& body) {
    const auto visit = [&](Signal& signal) {
      for (Signal::Number& number : signal.numbers) {
        body(number.reading, number.row);
        body(number.origin, number.origin_row);
      }
    };
    for (Signal& signal : plan.observed) visit(signal);
    for (Plan::Term& term : plan.reward) visit(term.signal);
    for (Plan::End& end : plan.ends) visit(end.signal);
  };
  for_each_reading([&](const Reading& reading, std::size_t&) {
    const bool kept = reading.field == Field::nothing || reading.field == Field::qpos || reading.field == Field::qvel ||
                      reading.field == Field::action;
    if (!kept && std::ranges::find(plan.captured, reading) == plan.captured.end()) plan.captured.push_back(reading);
    plan.contact_forces = plan.contact_forces || reading.field == Field::contact;
  });
  ColumnRows& rows = plan.rows;
  rows.warm_start = rows.activation + static_cast<std::size_t>(model.na);
  rows.captured = rows.warm_start + static_cast<std::size_t>(model.nv);
  rows.qpos = rows.captured + plan.captured.size();
  rows.qvel = rows.qpos + static_cast<std::size_t>(model.nq);
  rows.drawn = rows.qvel + static_cast<std::size_t>(model.nv);
  for_each_reading([&](const Reading& reading, std::size_t& row) {
    switch (reading.field) {
      case Field::nothing:
        break;
      case Field::qpos:
        row = rows.qpos + reading.index;
        break;
      case Field::qvel:
        row = rows.qvel + reading.index;
        break;
      case Field::action:
        row = rows.drawn + reading.index;
        break;
      default:
        row =
            rows.captured + static_cast<std::size_t>(std::ranges::find(plan.captured, reading) - plan.captured.begin());
    }
  });
}

Range sum_of(const std::vector<Plan::Term>& terms, double dt) {
  Range sum{};
  for (const Plan::Term& term : terms) {
    Range value = term.signal.axes.front().range;
    if (term.rate) value = {-value.width() / dt, value.width() / dt};
    const double one = term.weight == 0 ? 0 : term.weight * value.low;
    const double other = term.weight == 0 ? 0 : term.weight * value.high;
    sum.low += std::min(one, other);
    sum.high += std::max(one, other);
  }
  return sum;
}

Space state_space(const Resolver& resolver) {
  std::vector<Axis> axes = resolver.resolve({Source::joint}).axes;
  std::ranges::move(resolver.resolve({Source::velocity}).axes, std::back_inserter(axes));
  return Space::box(std::move(axes));
}

// An actuator that is called after its joint must not be taken for the joint's position in formulas and exported code.
Space action_space(const mjModel& model, const Resolver& resolver) {
  std::vector<Axis> axes = resolver.resolve({Source::action}).axes;
  const std::vector<std::string> joints = object_names(model, mjOBJ_JOINT);
  for (Axis& axis : axes) {
    if (std::ranges::find(joints, axis.name) != joints.end()) axis.name += "_control";
  }
  return Space::box(std::move(axes));
}

}  // namespace

Plan make_plan(const mjModel& model, const Robot& robot, const std::string& name) {
  const Resolver resolver(model, robot);
  if (model.nu == 0) {
    bad_robot(robot.file, robot.model_line, fmt::format("'{}' has no actuator", robot.model),
              "Add <actuator> to the model");
  }
  if (model.nq == 0) {
    bad_robot(robot.file, robot.model_line, fmt::format("'{}' has no joint", robot.model), "Add a joint to the model");
  }
  Plan plan;
  plan.frame_skip = robot.frame_skip;
  plan.views = robot.views;
  plan.position_noise = robot.position_noise;
  plan.velocity_noise = robot.velocity_noise;
  std::vector<Axis> seen;
  std::set<std::string> seen_names;
  for (const ObservedItem& item : robot.observed) {
    if (item.quantity.source == Source::action || item.quantity.source == Source::constant) {
      bad_robot(robot.file, item.quantity.line,
                fmt::format("{} cannot be observed", mercer::name(item.quantity.source)));
    }
    Signal signal = resolver.resolve(item.quantity);
    if (!item.names.empty() && item.names.size() != signal.axes.size()) {
      bad_robot(robot.file, item.quantity.line,
                fmt::format("{} names of {} numbers", item.names.size(), signal.axes.size()),
                "Give one name for each number");
    }
    for (std::size_t k = 0; k < signal.axes.size(); ++k) {
      Axis& axis = signal.axes[k];
      if (!item.names.empty()) axis.name = item.names[k];
      if (item.unit) axis.unit = *item.unit;
      if (!seen_names.insert(axis.name).second) {
        bad_robot(robot.file, item.quantity.line, fmt::format("two observations are called '{}'", axis.name),
                  "Give them names with name = [...]");
      }
      seen.push_back(axis);
    }
    plan.observed.push_back(std::move(signal));
  }
  for (const RewardTerm& term : robot.reward) {
    Signal signal = resolver.resolve(term.quantity);
    if (signal.axes.size() != 1) {
      bad_robot(robot.file, term.quantity.line,
                fmt::format("reward '{}' has {} numbers, and must have one", term.name, signal.axes.size()),
                "Choose one with axis, or add apply = \"length\" or apply = \"squares\"");
    }
    plan.reward.push_back({std::move(signal), term.weight, term.rate, term.before});
  }
  for (const EndRule& end : robot.ends) {
    if (end.quantity.source == Source::action) bad_robot(robot.file, end.quantity.line, "an action ends no episode");
    plan.ends.push_back({resolver.resolve(end.quantity), end});
  }
  plan.pose.assign(model.qpos0, model.qpos0 + model.nq);
  for (const StartPose& pose : robot.pose) {
    plan.pose[static_cast<std::size_t>(model.jnt_qposadr[resolver.single_joint(pose.joint, pose.line)])] = pose.value;
  }
  for (const StartDisc& disc : robot.discs) {
    const int x = resolver.single_joint(disc.x, disc.line), y = resolver.single_joint(disc.y, disc.line);
    const auto pair = [&](const int* address) {
      return std::array{static_cast<std::size_t>(address[x]), static_cast<std::size_t>(address[y])};
    };
    plan.discs.push_back({pair(model.jnt_qposadr), pair(model.jnt_dofadr), disc.radius});
  }
  assign_rows(model, plan);
  const double dt = static_cast<double>(robot.frame_skip) * model.opt.timestep;
  plan.task = {name,
               state_space(resolver),
               Space::box(std::move(seen)),
               action_space(model, resolver),
               sum_of(plan.reward, dt),
               robot.time_limit,
               robot.gamma,
               dt,
               robot.ending};
  return plan;
}

}  // namespace mercer
