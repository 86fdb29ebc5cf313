#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/golden.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

// How often each state is visited after the first 100 steps, compared with the golden stationary distribution. The
// slowest of these chains forgets its start by a factor 0.81 a step: 6e-10 is left after 100.
double largest_excess(const Env& env, const Policy& policy, const std::vector<double>& rho, std::uint64_t seed) {
  constexpr std::size_t episodes = 100, skipped = 100, counted = 400;
  const Rollouts r = rollout(env, policy, {.episodes = episodes, .seed = seed, .horizon = skipped + counted});
  double worst = -HUGE_VAL;
  for (std::size_t s = 0; s < rho.size(); ++s) {
    std::vector<double> share(episodes);  // one number per episode: those are independent, steps are not
    for (std::size_t e = 0; e < episodes; ++e) {
      const auto begin = r.states.begin() + static_cast<std::ptrdiff_t>(e * (skipped + counted) + skipped);
      share[e] = static_cast<double>(std::count(begin, begin + counted, static_cast<double>(s))) / counted;
    }
    // Five standard errors; and 5e-4 for states so rare that the error itself is not known (20 visits in 40000 steps).
    const SampleMean measured(share);
    worst = std::max(worst, std::abs(measured.mean - rho[s]) - 5 * measured.error - 5e-4);
  }
  return worst;
}

TEST(Stationary, chains_settle_as_the_golden_data_say) {
  int compared = 0;
  const nlohmann::json document = read_golden("theory/chain.json");
  for (const nlohmann::json& golden : document.at("cases")) {
    const auto n = golden.at("N").get<std::size_t>();
    if (n > 8) continue;
    const auto alpha = golden.at("alpha").get<double>();
    const auto rho = golden.at("rho").get<std::vector<double>>();

    // The walk that goes right with probability alpha: by a policy that wavers, or by a chain that slips.
    std::vector<double> wavering, right;
    for (std::size_t s = 0; s < n; ++s) {
      wavering.insert(wavering.end(), {1 - alpha, alpha});
      right.insert(right.end(), {0, 1});
    }
    const auto firm = make_env(fmt::format("chain:n={}", n));
    const auto slippery = make_env(fmt::format("chain:n={},alpha={}", n, alpha));
    const double a = largest_excess(*firm, TabularPolicy("wavering", n, 2, wavering), rho, 31);
    const double b = largest_excess(*slippery, TabularPolicy("right", n, 2, right), rho, 32);
    EXPECT_LE(a, 0) << "wavering policy, N = " << n << ", alpha = " << alpha;
    EXPECT_LE(b, 0) << "slippery chain, N = " << n << ", alpha = " << alpha;
    ++compared;
  }
  EXPECT_EQ(compared, 10);  // N = 2 and 5, five alphas each
}

}  // namespace
}  // namespace mercer
