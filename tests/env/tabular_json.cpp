#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/mdp_file.hpp"

namespace mercer {
namespace {

using TabularJson = MdpFile;

TEST_F(TabularJson, reads_every_number) {
  document["horizon"] = 33;
  document["terminal"] = {1, 3};
  document["name"] = "a comment";
  const TabularMdp mdp = read();
  ASSERT_EQ(mdp.n, 4);
  ASSERT_EQ(mdp.m, 2);
  for (std::size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(mdp.mu[s], document["mu"][s].get<double>());
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_EQ(mdp.r[s * 2 + a], document["r"][s][a].get<double>());
      for (std::size_t next = 0; next < 4; ++next)
        EXPECT_EQ(mdp.P[(s * 2 + a) * 4 + next], document["P"][s][a][next].get<double>());
    }
  }
  EXPECT_EQ(mdp.gamma, 0.5);
  EXPECT_EQ(mdp.horizon, 33);
  EXPECT_EQ(mdp.terminal, (std::vector<std::uint8_t>{0, 1, 0, 1}));
}

// Without a horizon: the fewest steps with gamma^steps <= 1e-6. 0.5^20 = 9.5e-7; 0.9^132 = 9.1e-7; 0.99^1375 = 1e-6.
TEST_F(TabularJson, horizon_follows_from_the_discount) {
  EXPECT_EQ(read().horizon, 20);
  for (const auto& [gamma, steps] : {std::pair{0.9, 132U}, {0.99, 1375U}, {0.0, 1U}, {1e-9, 1U}}) {
    document["gamma"] = gamma;
    EXPECT_EQ(read().horizon, steps) << gamma;
    if (gamma < 0.5) continue;
    EXPECT_LE(std::pow(gamma, steps), 1e-6);
    EXPECT_GT(std::pow(gamma, steps - 1), 1e-6);
  }
  document["gamma"] = 1;
  refused(ErrorCode::missing_option, "gamma is 1 and there is no \"horizon\"");
  document["horizon"] = 5;
  EXPECT_EQ(read().horizon, 5);
}

TEST_F(TabularJson, names_the_row_that_is_no_distribution) {
  document["P"][2][1] = {0.5, 0.5, 0.25, 0};
  refused(ErrorCode::bad_distribution, "mdp.json': P[2][1] sums to 1.25");
  document["P"][2][1] = {1.5, -0.5, 0, 0};
  refused(ErrorCode::bad_distribution, "P[2][1][0] is 1.5");
  document["P"][2][1] = {-0.5, 0.5, 1, 0};
  refused(ErrorCode::bad_distribution, "P[2][1][0] is -0.5");
  document["P"][2][1] = {0, 0, 1, 0};
  document["mu"] = {0, 0, 0.5, 0};
  refused(ErrorCode::bad_distribution, "mu sums to 0.5");
}

TEST_F(TabularJson, is_a_task_by_name) {
  read();
  const std::string file = (folder / "mdp.json").string();
  EXPECT_EQ(make_env("tabular:" + file)->task().state.count, 4);
  EXPECT_EQ(make_env(file)->task().name, "tabular");  // a file alone is short for it
  std::filesystem::create_directory(folder / "seed=1");
  std::filesystem::copy(file, folder / "seed=1");
  EXPECT_EQ(make_env((folder / "seed=1").string() + "/mdp.json")->task().state.count, 4);
  expect_error(ErrorCode::missing_option, "needs a file", [] { make_env("tabular"); });
}

}  // namespace
}  // namespace mercer
