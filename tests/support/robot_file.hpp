#pragma once

#include <memory>
#include <string>

#include "mercer/env.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {

/// A pole on a cart and a loose ball.
inline constexpr const char* pole_model = R"(<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slider" type="slide" axis="1 0 0"/>
      <geom name="cart" size="0.1" mass="1" contype="0"/>
      <body name="pole">
        <joint name="hinge" axis="0 1 0"/>
        <geom name="pole" type="capsule" fromto="0 0 0 0 0 1" size="0.02" mass="0.1" contype="0"/>
        <site name="tip" pos="0 0 1"/>
      </body>
    </body>
    <site name="goal" pos="0.5 0 1"/>
    <body name="ball" pos="0 3 0"><freejoint name="loose"/><geom size="0.1" mass="1" contype="0"/></body>
  </worldbody>
  <actuator><motor name="push" joint="slider" gear="10" ctrllimited="true" ctrlrange="-2 1"/></actuator>
  <sensor><gyro name="turning" site="tip"/><jointpos name="angle" joint="hinge"/><clock name="clock"/></sensor>
</mujoco>)";

/// Its cart is observed. 9 lines.
inline const std::string pole_robot = R"(model = "pole.xml"
frame_skip = 2

[[observe]]
joint = "slider"

[[reward]]
constant = 1
)";

/// A robot and its model in files that live as long as the test.
class RobotFile {
 public:
  explicit RobotFile(const std::string& text, const std::string& model = pole_model) {
    write_bytes(folder_ / "pole.xml", model);
    write_bytes(folder_ / "pole.toml", text);
  }
  std::unique_ptr<Env> make(const std::string& settings = "") const {
    return make_env("mujoco:" + (folder_ / "pole.toml").string() + settings);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace mercer
