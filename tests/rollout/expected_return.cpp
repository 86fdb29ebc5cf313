#include <cmath>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/golden.hpp"
#include "support/statistics.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// eta = mu (I - gamma P_pi)^-1 r_pi was solved exactly for the golden process; here it is played.
TEST(ExpectedReturn, of_a_golden_process_is_met_by_playing_it) {
  const TemporaryFolder folder;
  const nlohmann::json golden = read_golden("theory/mdp_106_n4_m2.json");
  std::ofstream(folder / "mdp.json") << golden_mdp(golden).dump();
  const auto env = make_env((folder / "mdp.json").string());
  for (const std::string number : {"1", "2"}) {
    std::ofstream(folder / "pi.json") << nlohmann::json{{"pi", golden.at("pi" + number)}}.dump();
    const auto policy = make_policy("tabular:" + (folder / "pi.json").string(), env->task());
    const Rollouts r = rollout(*env, *policy, {.episodes = 40000, .seed = 41, .keep_steps = false});
    EXPECT_EQ(r.gamma, 0.5);
    EXPECT_EQ(r.steps(), 40000 * 20);  // 20 steps: 0.5^20 < 1e-6

    const double eta = golden.at("expected").at("policy" + number).at("eta").get<double>();
    const SampleMean played(r.discounted_returns);
    const double cut_off =
        std::pow(0.5, 20) / (1 - 0.5) * 1.7209;  // what later steps can add: the largest |r| is 1.7209
    fmt::print("policy {}: played {:.4f} +- {:.4f}, expected {:.4f}\n", number, played.mean, played.error, eta);
    EXPECT_NEAR(played.mean, eta, 5 * played.error + cut_off);
    EXPECT_LT(played.error, 0.01) << "or the comparison says nothing";
  }
}

}  // namespace
}  // namespace mercer
