#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Tasks of MuJoCo are listed in every build. One without MuJoCo names the package that is missing.
TEST(WithoutMujoco, tasks_are_played_or_name_the_package) {
  std::size_t listed = 0;
  for (const EnvEntry& entry : known_envs()) {
    if (entry.group != "MuJoCo" || entry.name == "mujoco") continue;
    ++listed;
    try {
      EXPECT_EQ(make_env(entry.name)->task().name, entry.name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::missing_option);
      EXPECT_NE(error.problem().find(entry.name), std::string::npos);
      EXPECT_NE(error.remedy().find("libmujoco-dev"), std::string::npos);
    }
  }
  EXPECT_EQ(listed, 7U);
}

}  // namespace
}  // namespace mercer
