#include "env/mujoco/signal.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

std::vector<std::string> object_names(const mjModel& model, mjtObj kind) {
  const auto count = [&] {
    switch (kind) {
      case mjOBJ_BODY:
        return model.nbody;
      case mjOBJ_JOINT:
        return model.njnt;
      case mjOBJ_GEOM:
        return model.ngeom;
      case mjOBJ_SITE:
        return model.nsite;
      case mjOBJ_SENSOR:
        return model.nsensor;
      default:
        return model.nu;
    }
  }();
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    const char* const own = mj_id2name(&model, kind, i);
    all.push_back(own != nullptr && *own != '\0' ? own : fmt::format("{}{}", mju_type2Str(kind), i));
  }
  return all;
}

std::vector<std::string> actuator_names(const mjModel& model) {
  std::vector<std::string> all = object_names(model, mjOBJ_ACTUATOR);
  const std::vector<std::string> joints = object_names(model, mjOBJ_JOINT);
  for (int i = 0; i < model.nu; ++i) {
    const char* const own = mj_id2name(&model, mjOBJ_ACTUATOR, i);
    if ((own != nullptr && *own != '\0') || model.actuator_trntype[i] != mjTRN_JOINT) continue;
    const std::string& joint = joints[static_cast<std::size_t>(model.actuator_trnid[2 * i])];
    if (std::ranges::find(all, joint) == all.end()) all[static_cast<std::size_t>(i)] = joint;
  }
  return all;
}

namespace {

const std::vector<std::string> point_axes{"x", "y", "z"};
const std::vector<std::string> quaternion_axes{"qw", "qx", "qy", "qz"};

mjtObj kind_of(Source source) {
  switch (source) {
    case Source::joint:
    case Source::velocity:
    case Source::force:
      return mjOBJ_JOINT;
    case Source::body:
    case Source::upright:
    case Source::contact:
      return mjOBJ_BODY;
    case Source::site:
      return mjOBJ_SITE;
    case Source::sensor:
      return mjOBJ_SENSOR;
    default:
      return mjOBJ_ACTUATOR;
  }
}

}  // namespace

// One number of an object.
struct Resolver::Component {
  Reading reading;
  std::string axis;  // empty where the object has but one number
  std::string unit;
  Range range{-HUGE_VAL, HUGE_VAL};
};

Resolver::Resolver(const mjModel& model, const Robot& robot) : model_(model), robot_(robot) {
  for (const mjtObj kind : {mjOBJ_BODY, mjOBJ_JOINT, mjOBJ_SITE, mjOBJ_SENSOR}) {
    names_[kind] = object_names(model, kind);
  }
  names_[mjOBJ_ACTUATOR] = actuator_names(model);
}

std::size_t Resolver::find(mjtObj kind, const std::string& name, std::size_t line) const {
  const std::vector<std::string>& all = names_.at(kind);
  const auto found = std::ranges::find(all, name);
  if (found == all.end()) unknown_in_robot(robot_.file, line, mju_type2Str(kind), name, all);
  return static_cast<std::size_t>(found - all.begin());
}

int Resolver::single_joint(const std::string& name, std::size_t line) const {
  const auto id = static_cast<int>(find(mjOBJ_JOINT, name, line));
  if (model_.jnt_type[id] == mjJNT_FREE || model_.jnt_type[id] == mjJNT_BALL) {
    bad_robot(robot_.file, line, fmt::format("joint '{}' is neither a hinge nor a slide", name));
  }
  return id;
}

Signal Resolver::resolve(const Quantity& quantity) const {
  Signal signal;
  signal.target = quantity.target;
  signal.limits = quantity.limits;
  signal.apply = quantity.apply;
  if (quantity.source == Source::constant) {
    signal.target = -quantity.constant;
    signal.numbers.emplace_back();
    signal.axes = {{"constant", {quantity.constant, quantity.constant}}};
    return signal;
  }
  const mjtObj kind = kind_of(quantity.source);
  std::vector<std::string> names = quantity.names;
  if (names.empty()) names = names_.at(kind);
  if (names.empty()) {
    bad_robot(robot_.file, quantity.line, fmt::format("the model has no {}", mju_type2Str(kind)));
  }
  std::vector<Axis> plain;
  for (const std::string& name : names) {
    const std::vector<Component> parts = components(quantity.source, static_cast<int>(find(kind, name, quantity.line)));
    for (const Component& part : chosen(quantity, name, parts)) {
      Signal::Number number{part.reading};
      std::string label = name;
      if (quantity.source == Source::velocity || quantity.source == Source::force ||
          quantity.source == Source::upright) {
        label += fmt::format("_{}", mercer::name(quantity.source));
      }
      if (!part.axis.empty()) label += "_" + part.axis;
      Range range = part.range;
      if (!quantity.origin.empty()) {
        number.origin = origin_of(quantity, part);
        label += "_from_" + quantity.origin;
      }
      range = {std::clamp(range.low - quantity.target, quantity.limits.low, quantity.limits.high),
               std::clamp(range.high - quantity.target, quantity.limits.low, quantity.limits.high)};
      signal.numbers.push_back(number);
      plain.push_back({label, range, part.unit});
    }
  }
  signal.axes = applied(quantity, plain);
  return signal;
}

std::vector<Resolver::Component> Resolver::components(Source source, int id) const {
  std::vector<Component> out;
  const auto add = [&](Field field, int first, const std::vector<std::string>& axes, const std::string& unit) {
    for (const std::string& axis : axes) {
      out.push_back({{field, static_cast<std::size_t>(first) + out.size()}, axis, unit});
    }
  };
  const std::vector<std::string> single{""};
  switch (source) {
    case Source::joint: {
      const int type = model_.jnt_type[id], first = model_.jnt_qposadr[id];
      if (type == mjJNT_FREE) add(Field::qpos, first, point_axes, "m");
      if (type == mjJNT_FREE || type == mjJNT_BALL) add(Field::qpos, first, quaternion_axes, "");
      if (type == mjJNT_SLIDE) add(Field::qpos, first, single, "m");
      if (type == mjJNT_HINGE) add(Field::qpos, first, single, "rad");
      return out;
    }
    case Source::velocity:
    case Source::force: {
      const bool speed = source == Source::velocity;
      const Field field = speed ? Field::qvel : Field::force;
      const std::string along = speed ? "m/s" : "N", around = speed ? "rad/s" : "N m";
      const int type = model_.jnt_type[id], first = model_.jnt_dofadr[id];
      if (type == mjJNT_FREE) add(field, first, point_axes, along);
      if (type == mjJNT_FREE || type == mjJNT_BALL) add(field, first, {"wx", "wy", "wz"}, around);
      if (type == mjJNT_SLIDE) add(field, first, single, along);
      if (type == mjJNT_HINGE) add(field, first, single, around);
      return out;
    }
    case Source::body:
      add(Field::body, 3 * id, point_axes, "m");
      return out;
    case Source::site:
      add(Field::site, 3 * id, point_axes, "m");
      return out;
    case Source::upright:
      add(Field::upright, 9 * id + 8, single, "");
      out.front().range = {-1, 1};
      return out;
    case Source::sensor: {
      const int size = model_.sensor_dim[id];
      if (size == 3 || size == 4) {
        add(Field::sensor, model_.sensor_adr[id], size == 3 ? point_axes : quaternion_axes, "");
      } else if (size == 1) {
        add(Field::sensor, model_.sensor_adr[id], single, "");
      } else {
        for (int k = 0; k < size; ++k) add(Field::sensor, model_.sensor_adr[id], {fmt::format("{}", k)}, "");
      }
      return out;
    }
    case Source::contact:
      add(Field::contact, 6 * id, {"torque_x", "torque_y", "torque_z"}, "N m");
      add(Field::contact, 6 * id, {"force_x", "force_y", "force_z"}, "N");
      return out;
    default:
      add(Field::action, id, single, "");
      if (model_.actuator_ctrllimited[id]) {
        out.front().range = {model_.actuator_ctrlrange[2 * id], model_.actuator_ctrlrange[2 * id + 1]};
      }
      return out;
  }
}

std::vector<Resolver::Component> Resolver::chosen(const Quantity& quantity, const std::string& name,
                                                  const std::vector<Component>& parts) const {
  if (quantity.axes.empty()) return parts;
  std::vector<std::string> known;
  for (const Component& part : parts) known.push_back(part.axis);
  if (known.size() == 1 && known.front().empty()) {
    bad_robot(robot_.file, quantity.line,
              fmt::format("{} '{}' is one number and has no axis", mercer::name(quantity.source), name),
              "Leave out axis");
  }
  std::vector<Component> out;
  for (const std::string& axis : quantity.axes) {
    const auto found = std::ranges::find(parts, axis, &Component::axis);
    if (found == parts.end()) {
      unknown_in_robot(robot_.file, quantity.line, fmt::format("axis of {} '{}'", mercer::name(quantity.source), name),
                       axis, known);
    }
    out.push_back(*found);
  }
  return out;
}

// The same coordinate of the body or site that positions are relative to.
Reading Resolver::origin_of(const Quantity& quantity, const Component& part) const {
  const bool body = part.reading.field == Field::body;
  if (!body && part.reading.field != Field::site) {
    bad_robot(robot_.file, quantity.line, "only a body or a site has a position from another");
  }
  const auto holds = [&](mjtObj kind) { return std::ranges::count(names_.at(kind), quantity.origin) > 0; };
  const mjtObj own = body ? mjOBJ_BODY : mjOBJ_SITE, other = body ? mjOBJ_SITE : mjOBJ_BODY;
  const mjtObj kind = holds(other) && !holds(own) ? other : own;
  const std::size_t id = find(kind, quantity.origin, quantity.line);
  return {kind == mjOBJ_BODY ? Field::body : Field::site, 3 * id + part.reading.index % 3};
}

std::vector<Axis> Resolver::applied(const Quantity& quantity, const std::vector<Axis>& plain) const {
  if (quantity.apply == Apply::none) return plain;
  std::vector<Axis> out;
  if (quantity.apply == Apply::sin || quantity.apply == Apply::cos) {
    for (const Axis& axis : plain) {
      if (axis.unit != "rad" && quantity.source != Source::sensor) {
        bad_robot(robot_.file, quantity.line, fmt::format("{} is not an angle", axis.name), "Leave out apply");
      }
      out.push_back({fmt::format("{}_{}", mercer::name(quantity.apply), axis.name), {-1, 1}});
    }
    return out;
  }
  Range sum{};
  for (const auto& [name, range, unit, periodic] : plain) {
    const double low = range.low * range.low, high = range.high * range.high;
    sum.low += range.low <= 0 && range.high >= 0 ? 0 : std::min(low, high);
    sum.high += std::max(low, high);
  }
  if (quantity.apply == Apply::length) sum = {std::sqrt(sum.low), std::sqrt(sum.high)};
  const std::string first = quantity.names.empty() ? std::string(mercer::name(quantity.source)) : quantity.names[0];
  return {{fmt::format("{}_{}", first, mercer::name(quantity.apply)), sum,
           quantity.apply == Apply::length ? plain.front().unit : ""}};
}

}  // namespace mercer
