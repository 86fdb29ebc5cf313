// Built-in models against the numbers of the models they stand for: every field of every golden document.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/model.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

using nlohmann::json;

template <class Number>
std::vector<double> numbers(const Number* first, int count) {
  return {first, first + count};
}

/// The numbers of a model by the names of mjModel and mjOption.
std::map<std::string, std::vector<double>> numbers_of(const mjModel& m) {
  std::map<std::string, std::vector<double>> all{
      {"gravity", numbers(m.opt.gravity, 3)},
      {"timestep", {m.opt.timestep}},
      {"density", {m.opt.density}},
      {"viscosity", {m.opt.viscosity}},
  };
  const auto integer = [&](const char* name, int value) { all[name] = {static_cast<double>(value)}; };
  integer("nq", m.nq), integer("nv", m.nv), integer("nu", m.nu);
  integer("nbody", m.nbody), integer("ngeom", m.ngeom), integer("nsite", m.nsite);
  integer("integrator", m.opt.integrator), integer("collision", m.opt.collision);
  integer("iterations", m.opt.iterations);
#define FIELD(name, rows, columns) all[#name] = numbers(m.name, (rows) * (columns))
  FIELD(qpos0, m.nq, 1), FIELD(qpos_spring, m.nq, 1);
  FIELD(body_parentid, m.nbody, 1), FIELD(body_mass, m.nbody, 1), FIELD(body_inertia, m.nbody, 3);
  FIELD(body_pos, m.nbody, 3), FIELD(body_quat, m.nbody, 4), FIELD(body_ipos, m.nbody, 3);
  FIELD(body_iquat, m.nbody, 4);
  FIELD(jnt_type, m.njnt, 1), FIELD(jnt_bodyid, m.njnt, 1), FIELD(jnt_axis, m.njnt, 3), FIELD(jnt_pos, m.njnt, 3);
  FIELD(jnt_range, m.njnt, 2), FIELD(jnt_limited, m.njnt, 1), FIELD(jnt_stiffness, m.njnt, 1);
  FIELD(jnt_margin, m.njnt, 1), FIELD(jnt_solref, m.njnt, mjNREF), FIELD(jnt_solimp, m.njnt, mjNIMP);
  FIELD(dof_damping, m.nv, 1), FIELD(dof_armature, m.nv, 1), FIELD(dof_frictionloss, m.nv, 1);
  FIELD(geom_type, m.ngeom, 1), FIELD(geom_bodyid, m.ngeom, 1), FIELD(geom_contype, m.ngeom, 1);
  FIELD(geom_conaffinity, m.ngeom, 1), FIELD(geom_condim, m.ngeom, 1), FIELD(geom_priority, m.ngeom, 1);
  FIELD(geom_size, m.ngeom, 3), FIELD(geom_pos, m.ngeom, 3), FIELD(geom_quat, m.ngeom, 4);
  FIELD(geom_friction, m.ngeom, 3), FIELD(geom_margin, m.ngeom, 1), FIELD(geom_gap, m.ngeom, 1);
  FIELD(geom_solmix, m.ngeom, 1), FIELD(geom_solref, m.ngeom, mjNREF), FIELD(geom_solimp, m.ngeom, mjNIMP);
  FIELD(site_pos, m.nsite, 3), FIELD(site_bodyid, m.nsite, 1);
  FIELD(actuator_trnid, m.nu, 2), FIELD(actuator_gear, m.nu, 6), FIELD(actuator_ctrlrange, m.nu, 2);
  FIELD(actuator_gainprm, m.nu, mjNGAIN), FIELD(actuator_biasprm, m.nu, mjNBIAS);
#undef FIELD
  return all;
}

std::vector<std::string> names_of(const mjModel& m, mjtObj type, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const char* const name = mj_id2name(&m, type, i);
    names.emplace_back(name ? name : "");
  }
  return names;
}

/// Compares what `document` holds with the model; a field that is not known here fails. Gives the largest difference.
double largest_difference(const json& document, const mjModel& m) {
  const auto all = numbers_of(m);
  const std::map<std::string, std::vector<std::string>> names{{"body", names_of(m, mjOBJ_BODY, m.nbody)},
                                                              {"joint", names_of(m, mjOBJ_JOINT, m.njnt)},
                                                              {"geom", names_of(m, mjOBJ_GEOM, m.ngeom)},
                                                              {"site", names_of(m, mjOBJ_SITE, m.nsite)}};
  double largest = 0;
  for (const auto& [field, value] : document.items()) {
    if (field == "names") {
      for (const auto& [kind, wanted] : value.items()) EXPECT_EQ(names.at(kind), wanted) << kind;
      continue;
    }
    if (!all.contains(field)) {
      ADD_FAILURE() << "the test does not know " << field;
      continue;
    }
    const auto wanted = value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()};
    const std::vector<double>& found = all.at(field);
    EXPECT_EQ(found.size(), wanted.size()) << field;
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
      EXPECT_NEAR(found[i], wanted[i], 1e-12) << field << "[" << i << "]";
      largest = std::max(largest, std::abs(found[i] - wanted[i]));
    }
  }
  return largest;
}

class MujocoModels : public testing::TestWithParam<const char*> {};

TEST_P(MujocoModels, compile_to_the_golden_numbers) {
  const std::string name = GetParam();
  std::string file = name;
  std::ranges::replace(file, '-', '_');
  const json document = read_golden("mujoco/" + file + ".model.json");
  EXPECT_GE(document.size(), 50U);
  const double largest = largest_difference(document, *built_in_model(name));
  std::cout << name << ": " << document.size() << " fields, largest difference " << largest << '\n';
}

INSTANTIATE_TEST_SUITE_P(All, MujocoModels,
                         testing::Values("swimmer", "hopper", "walker2d", "half-cheetah", "ant",
                                         "inverted-double-pendulum", "reacher"));

TEST(MujocoModel, is_compiled_once_and_shared) {
  EXPECT_EQ(built_in_model("hopper"), built_in_model("hopper"));
  EXPECT_NE(built_in_model("hopper"), built_in_model("ant"));
}

TEST(MujocoModel, unknown_names_are_refused) {
  expect_error(ErrorCode::unknown_name, "'hoper.xml'. Did you mean 'hopper.xml'?", [] { built_in_model("hoper"); });
  expect_error(ErrorCode::unknown_name, "'hopper'", [] { built_in_text("hopper"); });
}

TEST(MujocoModel, text_is_that_of_the_file) {
  for (const BuiltInFile& file : built_in_files()) {
    const std::string text =
        read_bytes(std::string(MERCER_TEST_DATA) + "/../../src/env/mujoco/models/" + std::string(file.name));
    EXPECT_FALSE(text.empty()) << file.name;
    EXPECT_EQ(file.text, text);
  }
}

}  // namespace
}  // namespace mercer
