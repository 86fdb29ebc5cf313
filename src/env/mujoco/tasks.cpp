#include "env/mujoco/tasks.hpp"

namespace mercer {

std::vector<EnvEntry> mujoco_entries() {
  struct Row {
    const char *name, *summary, *settings;
  };
  static constexpr Row rows[] = {
      {"swimmer", "three links swim in a viscous plane (Gymnasium Swimmer-v4)", ""},
      {"hopper", "a torso on one leg hops forwards (Gymnasium Hopper-v4)", ""},
      {"walker2d", "a torso on two legs walks forwards (Gymnasium Walker2d-v4)", ""},
      {"half-cheetah", "a torso on two legs of three joints each runs forwards (Gymnasium HalfCheetah-v4)", ""},
      {"ant", "a ball on four legs walks forwards (Gymnasium Ant-v4)", "contact-forces=false"},
      {"inverted-double-pendulum", "a cart balances two poles, one on the other (Gymnasium InvertedDoublePendulum-v4)",
       ""},
      {"reacher", "an arm of two links brings its fingertip to a target (Gymnasium Reacher-v4)", ""},
      {"mujoco", "a robot of your own: a TOML file that names its model (docs/guide/robots.md)", "FILE.toml"}};
  std::vector<EnvEntry> all;
  for (const Row& row : rows) {
    EnvEntry entry{row.name, row.summary, row.settings,
                   [name = std::string(row.name)](Params& params) { return make_mujoco(name, params); },
                   whole_parameters()};
    entry.parts = [name = entry.name](std::string_view settings) { return mujoco_parts(name, settings); };
    all.push_back(std::move(entry));
  }
  return all;
}

const std::vector<Parameter>& whole_parameters() {
  static const std::vector<Parameter> all{{"mass", "factor on the masses and inertias of all bodies", 1, {0.05, 20}},
                                          {"friction", "factor on the friction of all geoms", 1, {0, 20}},
                                          {"gear", "factor on the force of all actuators", 1, {0, 20}},
                                          {"damping", "factor on the damping of all joints", 1, {0, 20}},
                                          {"gravity", "factor on gravity", 1, {0, 20}}};
  return all;
}

}  // namespace mercer
