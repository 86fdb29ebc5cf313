// Changed physics: a scaled model is the one that a file with the scaled numbers compiles to.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/mujoco/built_in.hpp"
#include "env/mujoco/compile.hpp"
#include "env/mujoco/physics.hpp"
#include "mercer/perturb.hpp"
#include "support/errors.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

// Hopper's file with words of it replaced.
ModelPointer changed_hopper(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text(built_in_text("hopper.xml"));
  for (const auto& [from, to] : changes) {
    std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  return compile_text("changed.xml", text, lock_compiler());
}

ModelPointer scaled_hopper(const std::map<std::string, double>& by_name) {
  const ModelPointer base = built_in_model("hopper");
  std::vector<Factor> factors = whole_factors();
  std::ranges::move(part_factors(*base), std::back_inserter(factors));
  std::vector<double> values(factors.size(), 1);
  std::size_t found = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const auto given = by_name.find(factors[i].parameter.name);
    if (given == by_name.end()) continue;
    values[i] = given->second;
    ++found;
  }
  EXPECT_EQ(found, by_name.size());
  return scaled_model(*base, factors, values);
}

void expect_same(const mjtNum* a, const mjtNum* b, int count, const char* what) {
  for (int i = 0; i < count; ++i) EXPECT_NEAR(a[i], b[i], 1e-12 * std::max(1.0, std::abs(b[i]))) << what << " " << i;
}

void expect_same_physics(const mjModel& a, const mjModel& b) {
  expect_same(a.body_mass, b.body_mass, a.nbody, "body_mass");
  expect_same(a.body_subtreemass, b.body_subtreemass, a.nbody, "body_subtreemass");
  expect_same(a.body_inertia, b.body_inertia, 3 * a.nbody, "body_inertia");
  expect_same(a.body_invweight0, b.body_invweight0, 2 * a.nbody, "body_invweight0");
  expect_same(a.dof_invweight0, b.dof_invweight0, a.nv, "dof_invweight0");
  expect_same(a.dof_M0, b.dof_M0, a.nv, "dof_M0");
  expect_same(a.dof_damping, b.dof_damping, a.nv, "dof_damping");
  expect_same(a.geom_friction, b.geom_friction, 3 * a.ngeom, "geom_friction");
  expect_same(a.actuator_gear, b.actuator_gear, 6 * a.nu, "actuator_gear");
  expect_same(a.actuator_acc0, b.actuator_acc0, a.nu, "actuator_acc0");
  expect_same(a.opt.gravity, b.opt.gravity, 3, "gravity");
  expect_same(&a.stat.meaninertia, &b.stat.meaninertia, 1, "meaninertia");
  expect_same(&a.stat.meanmass, &b.stat.meanmass, 1, "meanmass");
}

TEST(MujocoPhysics, scaled_models_are_those_of_a_file_with_the_scaled_numbers) {
  const auto check = [](const std::map<std::string, double>& factors,
                        const std::vector<std::pair<std::string, std::string>>& changes) {
    SCOPED_TRACE(factors.begin()->first);
    const ModelPointer file = changed_hopper(changes);
    expect_same_physics(*scaled_hopper(factors), *file);
  };
  check({{"mass", 1.2}}, {{"<geom type=\"capsule\"", "<geom type=\"capsule\" density=\"1200\""}});
  check({{"mass.torso", 1.3}}, {{"<geom name=\"torso_geom\"", "<geom name=\"torso_geom\" density=\"1300\""}});
  check({{"mass", 0.5}, {"mass.foot", 1.4}},
        {{"<geom type=\"capsule\"", "<geom type=\"capsule\" density=\"500\""},
         {"<geom name=\"foot_geom\"", "<geom name=\"foot_geom\" density=\"700\""}});
  check({{"friction.foot_geom", 0.5}}, {{"friction=\"2\"", "friction=\"1 0.0025 0.00005\""}});
  check({{"gear", 0.9}}, {{"gear=\"200\"", "gear=\"180\""}});
  check({{"gear.leg_joint", 0.5}}, {{"<motor joint=\"leg_joint\"", "<motor joint=\"leg_joint\" gear=\"100\""}});
  check({{"damping", 2}}, {{"damping=\"1\"", "damping=\"2\""}});
  check({{"damping.foot_joint", 3}}, {{"<joint name=\"foot_joint\"", "<joint name=\"foot_joint\" damping=\"3\""}});
  check({{"gravity", 0.5}}, {{"<option ", "<option gravity=\"0 0 -4.905\" "}});
}

TEST(MujocoPhysics, perturbed_tasks_move_as_the_changed_model) {
  const auto env = make_env("hopper:mass=1.2"), unchanged = make_env("hopper");
  const ModelPointer file = changed_hopper({{"<geom type=\"capsule\"", "<geom type=\"capsule\" density=\"1200\""}});
  const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(file.get()), mj_deleteData);
  SingleEpisode play(*env, 1, 0), nominal(*unchanged, 1, 0);
  const std::vector<double> start = play.state();
  EXPECT_EQ(start, nominal.state());  // the same episode, with another robot
  std::copy_n(start.begin(), 6, data->qpos);
  std::copy_n(start.begin() + 6, 6, data->qvel);
  mj_forward(file.get(), data.get());
  const std::vector<double> action{0.3, -0.2, 0.1};
  for (int t = 0; t < 10; ++t) {
    play.step(action);
    nominal.step(action);
    std::ranges::copy(action, data->ctrl);
    for (int k = 0; k < 4; ++k) mj_step(file.get(), data.get());
  }
  for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(play.state()[d], data->qpos[d], 1e-9) << d;
  EXPECT_GT(std::abs(play.state()[9] - nominal.state()[9]), 1e-4);
}

// A column of a task that draws its physics is, to the bit, the task with those values.
TEST(MujocoPhysics, drawn_physics_is_that_of_the_fixed_task) {
  const auto drawn = make_env("hopper:mass=0.8..1.2,friction.foot_geom=0.5..1,gear=1.1");
  EXPECT_EQ(drawn->task().state.dimensions(), 14);
  EXPECT_EQ(drawn->task().state.axes[12].name, "mass");
  EXPECT_EQ(drawn->task().observation.dimensions(), 11);
  for (const std::uint64_t episode : {0, 1, 2}) {
    SingleEpisode play(*drawn, 4, episode);
    const double mass = play.state()[12], friction = play.state()[13];
    EXPECT_GE(mass, 0.8);
    EXPECT_LE(mass, 1.2);
    EXPECT_GE(friction, 0.5);
    EXPECT_LE(friction, 1);
    const auto fixed = make_env(fmt::format("hopper:mass={},friction.foot_geom={},gear=1.1", mass, friction));
    SingleEpisode same(*fixed, 4, episode);
    for (std::uint32_t t = 0; t < 20; ++t) {
      const std::vector<double> action(3, std::cos(0.3 * t));
      EXPECT_EQ(play.step(action), same.step(action)) << t;
    }
    std::vector<double> state = play.state();
    EXPECT_EQ(state[12], mass);
    state.resize(12);
    EXPECT_EQ(state, same.state());
  }
}

TEST(MujocoPhysics, models_that_were_dropped_are_made_again) {
  const ModelPointer base = built_in_model("hopper");
  const ModelVariants few(base, whole_factors(), 2), many(base, whole_factors());
  for (int round = 0; round < 2; ++round) {
    for (const double mass : {0.5, 1.0, 1.5, 2.0, 2.5}) {
      const std::vector<double> values{mass, 1, 1, 1, 1};
      const ModelPointer one = few.at(values), other = many.at(values);
      EXPECT_NE(one, other);
      EXPECT_TRUE(std::equal(one->body_mass, one->body_mass + one->nbody, other->body_mass));
      EXPECT_TRUE(std::equal(one->dof_invweight0, one->dof_invweight0 + one->nv, other->dof_invweight0));
      EXPECT_EQ(many.at(values), other);
    }
  }
}

TEST(MujocoPhysics, parts_have_names) {
  EXPECT_EQ(read_perturbations("hopper", "mass.torso=0.8..1.2; gravity=0.9").size(), 2);
  expect_error(ErrorCode::unknown_name, "mass.torsoo", [] { read_perturbations("hopper", "mass.torsoo=0.8..1.2"); });
  expect_error(ErrorCode::out_of_range, "0.05", [] { make_env("hopper:mass=0"); });
  expect_error(ErrorCode::unknown_name, "frictoin", [] { make_env("hopper:frictoin=0.5"); });
  // Disturbances go with them.
  EXPECT_EQ(make_env("half-cheetah:mass.bfoot=1.1,delay=1")->task().observation.dimensions(), 17);
}

}  // namespace
}  // namespace mercer
