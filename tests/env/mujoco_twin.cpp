// The tasks of MuJoCo beside a plain loop around one mjData that nobody loads or stores, with rewards, observations and
// ends written out by hand.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "env/mujoco/model.hpp"
#include "mercer/env.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

double sum_of_squares(const Numbers& numbers) {
  double sum = 0;
  for (const double one : numbers) sum += one * one;
  return sum;
}

double limited(double value, double limit) { return std::clamp(value, -limit, limit); }

struct TwinTask {
  const char* spec;
  const char* model;
  int frames;
  std::function<Numbers(const mjModel&, const mjData&)> observe;
  // what the reward remembers of the time before a step
  std::function<Numbers(const mjData&)> before;
  std::function<double(const mjData&, const Numbers& before, const Numbers& action, double dt)> reward;
  std::function<bool(const mjData&)> ends;
};

Numbers state_from(const mjModel& m, const mjData& d, int first, double limit = HUGE_VAL) {
  Numbers out(d.qpos + first, d.qpos + m.nq);
  for (int i = 0; i < m.nv; ++i) out.push_back(limited(d.qvel[i], limit));
  return out;
}

Numbers first_position(const mjData& d) { return {d.qpos[0]}; }

double run(const mjData& d, const Numbers& before, const Numbers& action, double dt, double alive, double control) {
  return (d.qpos[0] - before[0]) / dt + alive - control * sum_of_squares(action);
}

bool any_beyond(const mjtNum* first, const mjtNum* last, double limit) {
  return std::any_of(first, last, [&](double value) { return std::abs(value) >= limit; });
}

std::vector<TwinTask> twin_tasks() {
  const auto never = [](const mjData&) { return false; };
  const auto ant_end = [](const mjData& d) { return d.qpos[2] < 0.2 || d.qpos[2] > 1; };
  const auto ant_before = [](const mjData& d) { return Numbers{d.xpos[3]}; };
  const auto ant_reward = [](const mjData& d, const Numbers& before, const Numbers& action, double dt) {
    return (d.xpos[3] - before[0]) / dt + 1 - 0.5 * sum_of_squares(action);
  };
  const auto contacts = [](const mjData& d) {
    Numbers out;
    for (int k = 0; k < 84; ++k) out.push_back(limited(d.cfrc_ext[k], 1));
    return out;
  };
  return {
      {"swimmer", "swimmer", 4, [](const mjModel& m, const mjData& d) { return state_from(m, d, 2); }, first_position,
       [](const mjData& d, const Numbers& b, const Numbers& a, double dt) { return run(d, b, a, dt, 0, 1e-4); }, never},
      {"hopper", "hopper", 4, [](const mjModel& m, const mjData& d) { return state_from(m, d, 1, 10); }, first_position,
       [](const mjData& d, const Numbers& b, const Numbers& a, double dt) { return run(d, b, a, dt, 1, 1e-3); },
       [](const mjData& d) {
         return d.qpos[1] <= 0.7 || std::abs(d.qpos[2]) >= 0.2 || any_beyond(d.qpos + 2, d.qpos + 6, 100) ||
                any_beyond(d.qvel, d.qvel + 6, 100);
       }},
      {"walker2d", "walker2d", 4, [](const mjModel& m, const mjData& d) { return state_from(m, d, 1, 10); },
       first_position,
       [](const mjData& d, const Numbers& b, const Numbers& a, double dt) { return run(d, b, a, dt, 1, 1e-3); },
       [](const mjData& d) { return d.qpos[1] <= 0.8 || d.qpos[1] >= 2 || std::abs(d.qpos[2]) >= 1; }},
      {"half-cheetah", "half-cheetah", 5, [](const mjModel& m, const mjData& d) { return state_from(m, d, 1); },
       first_position,
       [](const mjData& d, const Numbers& b, const Numbers& a, double dt) { return run(d, b, a, dt, 0, 0.1); }, never},
      {"ant", "ant", 5, [](const mjModel& m, const mjData& d) { return state_from(m, d, 2); }, ant_before, ant_reward,
       ant_end},
      {"ant:contact-forces=true", "ant", 5,
       [=](const mjModel& m, const mjData& d) {
         Numbers out = state_from(m, d, 2);
         const Numbers forces = contacts(d);
         out.insert(out.end(), forces.begin(), forces.end());
         return out;
       },
       ant_before,
       [=](const mjData& d, const Numbers& before, const Numbers& action, double dt) {
         return ant_reward(d, before, action, dt) - 5e-4 * sum_of_squares(contacts(d));
       },
       ant_end},
      {"inverted-double-pendulum", "inverted-double-pendulum", 5,
       [](const mjModel&, const mjData& d) {
         Numbers out{d.qpos[0], std::sin(d.qpos[1]), std::sin(d.qpos[2]), std::cos(d.qpos[1]), std::cos(d.qpos[2])};
         for (int i = 0; i < 3; ++i) out.push_back(limited(d.qvel[i], 10));
         for (int i = 0; i < 3; ++i) out.push_back(limited(d.qfrc_constraint[i], 10));
         return out;
       },
       first_position,
       [](const mjData& d, const Numbers&, const Numbers&, double) {
         const double x = d.site_xpos[0], y = d.site_xpos[2], v1 = d.qvel[1], v2 = d.qvel[2];
         return 10 - 0.01 * x * x - (y - 2) * (y - 2) - 1e-3 * v1 * v1 - 5e-3 * v2 * v2;
       },
       [](const mjData& d) { return d.site_xpos[2] <= 1; }},
      {"reacher", "reacher", 2,
       [](const mjModel&, const mjData& d) {
         Numbers out{std::cos(d.qpos[0]), std::cos(d.qpos[1]), std::sin(d.qpos[0]), std::sin(d.qpos[1])};
         for (const double one : {d.qpos[2], d.qpos[3], d.qvel[0], d.qvel[1]}) out.push_back(one);
         for (int k = 0; k < 3; ++k) out.push_back(d.xpos[9 + k] - d.xpos[12 + k]);
         return out;
       },
       [](const mjData& d) {
         return Numbers{std::hypot(d.xpos[9] - d.xpos[12], d.xpos[10] - d.xpos[13], d.xpos[11] - d.xpos[14])};
       },
       [](const mjData&, const Numbers& before, const Numbers& action, double) {
         return -before[0] - sum_of_squares(action);
       },
       never}};
}

TEST(MujocoTwin, episodes_are_those_of_a_plain_loop_to_the_bit) {
  for (const TwinTask& twin : twin_tasks()) {
    SCOPED_TRACE(twin.spec);
    const auto env = make_env(twin.spec);
    const ModelPointer model = built_in_model(twin.model);
    const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model.get()), mj_deleteData);
    const double dt = twin.frames * model->opt.timestep;
    double worst_reward = 0;
    std::size_t ends = 0;
    for (const std::uint64_t episode : {3, 4}) {
      SingleEpisode play(*env, 5, episode);
      const Numbers start = play.state();
      mj_resetData(model.get(), data.get());
      std::copy_n(start.begin(), model->nq, data->qpos);
      std::copy_n(start.begin() + model->nq, model->nv, data->qvel);
      mj_forward(model.get(), data.get());
      for (std::uint32_t t = 0; t < 200; ++t) {
        ASSERT_EQ(play.observation(), twin.observe(*model, *data)) << "step " << t;
        Random random({7, Stage::action, episode, t});
        Numbers action;
        for (int k = 0; k < model->nu; ++k) action.push_back(2 * random.uniform() - 1);
        const Numbers before = twin.before(*data);
        std::ranges::copy(action, data->ctrl);
        for (int k = 0; k < twin.frames; ++k) mj_step(model.get(), data.get());
        mj_rnePostConstraint(model.get(), data.get());
        const double reward = play.step(action);
        worst_reward = std::max(worst_reward, std::abs(reward - twin.reward(*data, before, action, dt)));
        const Numbers state = play.state();
        ASSERT_TRUE(std::equal(data->qpos, data->qpos + model->nq, state.begin())) << "step " << t;
        ASSERT_TRUE(std::equal(data->qvel, data->qvel + model->nv, state.begin() + model->nq)) << "step " << t;
        ASSERT_EQ(play.terminated(), twin.ends(*data)) << "step " << t;
        ends += play.terminated() ? 1 : 0;
      }
    }
    fmt::print("{}: 400 steps to the bit, rewards to {:.1e}; {} steps at an end\n", twin.spec, worst_reward, ends);
    EXPECT_LE(worst_reward, 1e-12);
  }
}

}  // namespace
}  // namespace mercer
