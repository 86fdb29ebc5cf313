#include "env/mujoco/physics.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "env/mujoco/signal.hpp"
#include "env/mujoco/tasks.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Draws of physical parameters are numbered below those of disturbances.
constexpr std::size_t most_parts = 1000;
constexpr std::size_t most_bytes = std::size_t{256} << 20;

void scale(mjtNum* numbers, int count, double by) {
  for (int i = 0; i < count; ++i) numbers[i] *= by;
}

void apply_factor(mjModel& model, const Factor& factor, double by) {
  const auto for_each_object = [&](int count, const auto& body) {
    for (int i = 0; i < count; ++i) {
      if (factor.object < 0 || factor.object == i) body(i);
    }
  };
  switch (factor.physics) {
    case Physics::mass:
      return for_each_object(model.nbody, [&](int i) {
        scale(model.body_mass + i, 1, by);
        scale(model.body_inertia + 3 * i, 3, by);
      });
    case Physics::friction:
      for_each_object(model.ngeom, [&](int i) { scale(model.geom_friction + 3 * i, 3, by); });
      if (factor.object < 0) scale(model.pair_friction, 5 * model.npair, by);
      return;
    case Physics::gear:
      return for_each_object(model.nu, [&](int i) { scale(model.actuator_gear + 6 * i, 6, by); });
    case Physics::damping:
      return for_each_object(model.nv, [&](int i) { scale(model.dof_damping + i, 1, by); });
    case Physics::gravity:
      return scale(model.opt.gravity, 3, by);
  }
}

}  // namespace

std::vector<Factor> whole_factors() {
  std::vector<Factor> all;
  for (const Physics physics : {Physics::mass, Physics::friction, Physics::gear, Physics::damping, Physics::gravity}) {
    all.push_back({whole_parameters()[static_cast<std::size_t>(physics)], physics});
  }
  return all;
}

std::vector<Factor> part_factors(const mjModel& model) {
  std::vector<Factor> all;
  const auto add = [&](Physics physics, const std::string& name, std::string_view help, int object) {
    // Such a name cannot be written among settings.
    if (all.size() >= most_parts || name.empty() || name.find_first_of(",;= ") != std::string::npos) return;
    Parameter part = whole_parameters()[static_cast<std::size_t>(physics)];
    part.name += "." + name;
    part.help = fmt::format("{} {}", help, name);
    all.push_back({std::move(part), physics, object});
  };
  const auto name_of = [&](mjtObj kind, int id) {
    const char* const name = mj_id2name(&model, kind, id);
    return std::string(name == nullptr ? "" : name);
  };
  for (int i = 0; i < model.nbody; ++i) {
    if (model.body_mass[i] > 0) {
      add(Physics::mass, name_of(mjOBJ_BODY, i), "factor on the mass and inertia of body", i);
    }
  }
  for (int i = 0; i < model.ngeom; ++i) {
    add(Physics::friction, name_of(mjOBJ_GEOM, i), "factor on the friction of geom", i);
  }
  const std::vector<std::string> actuators = actuator_names(model);
  for (int i = 0; i < model.nu; ++i) {
    add(Physics::gear, actuators[static_cast<std::size_t>(i)], "factor on the force of actuator", i);
  }
  for (int i = 0; i < model.njnt; ++i) {
    const int dof = model.jnt_dofadr[i];
    const bool single = model.jnt_type[i] == mjJNT_HINGE || model.jnt_type[i] == mjJNT_SLIDE;
    if (!single || model.dof_damping[dof] == 0) continue;
    add(Physics::damping, name_of(mjOBJ_JOINT, i), "factor on the damping of joint", dof);
  }
  return all;
}

ModelPointer scaled_model(const mjModel& model, std::span<const Factor> factors, std::span<const double> values) {
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> copy(mj_copyModel(nullptr, &model), mj_deleteModel);
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(&model), mj_deleteData);
  if (!copy || !data) {
    throw Error(ErrorCode::too_large, "there is no memory for another model of the simulator",
                "Ask for a smaller batch");
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (values[i] != 1) apply_factor(*copy, factors[i], values[i]);
  }
  mj_setConst(copy.get(), data.get());
  return {copy.release(), [](const mjModel* one) { mj_deleteModel(const_cast<mjModel*>(one)); }};
}

ModelVariants::ModelVariants(ModelPointer base, std::vector<Factor> factors, std::size_t most)
    : base_(std::move(base)),
      factors_(std::move(factors)),
      most_(std::clamp<std::size_t>(most_bytes / static_cast<std::size_t>(mj_sizeModel(base_.get())), 1, most)) {}

ModelPointer ModelVariants::at(const std::vector<double>& values) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(values);
    if (found != kept_.end()) return found->second;
  }
  ModelPointer made = scaled_model(*base_, factors_, values);
  const std::scoped_lock lock(mutex_);
  if (kept_.size() >= most_) {
    // The neighbour of a drawn point is as good as any: episodes come round in order, so the oldest would be needed
    // next.
    auto victim = kept_.upper_bound(values);
    kept_.erase(victim == kept_.end() ? kept_.begin() : victim);
  }
  return kept_.emplace(values, std::move(made)).first->second;
}

}  // namespace mercer
