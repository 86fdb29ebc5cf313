// A simulator whose state is no longer finite.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/train.hpp"
#include "mercer/warning.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/single_episode.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// A wheel whose motor is far too strong: any push beyond 1e-6 is more than the simulator can take.
class WildWheel {
 public:
  WildWheel() {
    write_bytes(folder_ / "wheel.xml", R"(<mujoco>
  <worldbody><body><joint name="axle"/><geom size="0.1" mass="1"/></body></worldbody>
  <actuator><motor joint="axle" gear="1e15" ctrllimited="true" ctrlrange="-1 1"/></actuator>
</mujoco>)");
    write_bytes(folder_ / "wheel.toml", R"(model = "wheel.xml"
time_limit = 10
[[observe]]
joint = "axle"
[[reward]]
constant = 1
[start]
position.uniform = 0.1
)");
    env_ = make_env("mujoco:" + (folder_ / "wheel.toml").string());
  }
  const Env& operator*() const { return *env_; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Env> env_;
};

TEST(MujocoBroken, columns_keep_the_last_finite_state) {
  const WildWheel wheel;
  SingleEpisode play(*wheel, 1, 0);
  EXPECT_EQ(play.step({0}), 1);
  EXPECT_FALSE(play.broken());
  const std::vector<double> state = play.state();
  EXPECT_EQ(play.step({1}), 0);
  EXPECT_TRUE(play.broken());
  EXPECT_FALSE(play.terminated());
  EXPECT_EQ(play.state(), state);
  // What was broken leaves no traces: the next step from there is an ordinary one.
  EXPECT_EQ(play.step({0}), 1);
  EXPECT_FALSE(play.broken());
  EXPECT_EQ(play.step({std::nan("")}), 0);
  EXPECT_TRUE(play.broken());
}

TEST(MujocoBroken, rollouts_count_and_refuse) {
  const WildWheel wheel;
  std::vector<std::string> warnings;
  set_warning_sink([&](const std::string& sentence) { warnings.push_back(sentence); });
  RolloutOptions options;
  options.episodes = 1;
  const Rollouts one = rollout(*wheel, UniformPolicy((*wheel).task()), options);
  set_warning_sink({});
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("task 'wheel' failed in 1 of 1 episodes"), std::string::npos) << warnings[0];
  EXPECT_EQ(one.returns[0], 0);
  EXPECT_EQ(one.terminated[0], 1);
  options.episodes = 20;
  expect_error(ErrorCode::not_finite, "failed in 20 of 20 episodes",
               [&] { rollout(*wheel, UniformPolicy((*wheel).task()), options); });
}

TEST(MujocoBroken, training_counts_and_refuses) {
  const WildWheel wheel;
  for (const AlgorithmOptions& algorithm : {AlgorithmOptions(SacOptions{}), AlgorithmOptions(ArsOptions{})}) {
    const TemporaryFolder folder;
    TrainOptions options;
    options.algorithm = algorithm;
    options.steps = 40;
    options.snapshots = {40};
    options.folder = folder.path();
    expect_error(ErrorCode::not_finite, "the simulator of task 'wheel' failed in ", [&] { train(*wheel, options); });
    EXPECT_TRUE(std::filesystem::exists(folder / "policy.safetensors")) << "what was learned is kept";
  }
}

}  // namespace
}  // namespace mercer
