#include <algorithm>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(WithoutBox2D, tasks_are_listed_and_name_the_package) {
  for (const char* name : {"lunar-lander", "lunar-lander-continuous", "bipedal-walker"}) {
    EXPECT_TRUE(std::ranges::any_of(known_envs(), [&](const EnvEntry& entry) { return entry.name == name; })) << name;
    expect_error(ErrorCode::missing_option, "libbox2d-dev", [&] { make_env(name); });
  }
}

}  // namespace
}  // namespace mercer
