#include <cmath>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

GaussianPolicy squashed(double mean, double std, std::size_t actions = 1) {
  return {"g", squashed_contract(1, actions), [mean, std](MatrixView<const double>, MatrixView<double> out) {
            for (std::size_t r = 0; r < out.rows(); ++r) {
              std::ranges::fill(out.row(r), r < out.rows() / 2 ? mean : std::log(std));
            }
          }};
}

const std::vector<double> one_state{0};
const MatrixView<const double> state(one_state.data(), 1, 1);

TEST(Gaussian, distances_equal_the_golden_ones) {
  const nlohmann::json cases = read_golden("theory/gaussian_tv.json").at("cases");
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& golden : cases) {
    const double mu1 = golden.at("mu1"), s1 = golden.at("sigma1"), mu2 = golden.at("mu2"), s2 = golden.at("sigma2");
    EXPECT_NEAR(gaussian_total_variation(mu1, s1, mu2, s2), golden.at("tv").get<double>(), 1e-9);
    EXPECT_NEAR(gaussian_total_variation(mu2, s2, mu1, s1), golden.at("tv").get<double>(), 1e-9);
    EXPECT_NEAR(gaussian_divergence(mu1, s1, mu2, s2), golden.at("kl_12").get<double>(), 1e-9);
  }
  EXPECT_EQ(gaussian_total_variation(1, 2, 1, 2), 0);
  EXPECT_NEAR(gaussian_total_variation(0, 1, 0, 1 + 1e-9), 0, 1e-8);
}

// Squashing changes neither total variation nor divergence: quadrature over actions must find the closed forms.
TEST(PolicyDistance, of_squashed_gaussians_is_that_of_gaussians) {
  const nlohmann::json cases = read_golden("theory/gaussian_tv.json").at("cases");
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& golden : cases) {
    const double mu1 = golden.at("mu1"), s1 = golden.at("sigma1"), mu2 = golden.at("mu2"), s2 = golden.at("sigma2");
    const PolicyDistance found = policy_distance(squashed(mu1, s1), squashed(mu2, s2), state);
    EXPECT_NEAR(found.tv, golden.at("tv").get<double>(), 1e-4);
    EXPECT_NEAR(found.kl, golden.at("kl_12").get<double>(), 1e-6);
    EXPECT_NEAR(found.inside, 1, 1e-9);
    EXPECT_LE(found.tv, std::sqrt(found.kl / 2));
    EXPECT_LE(found.mean_gap, found.w1 + 1e-12);
  }
}

// The bounds of an action pile up most of the mass here.
TEST(PolicyDistance, sees_mass_at_the_bounds) {
  const PolicyDistance found = policy_distance(squashed(6, 1), squashed(7, 1), state);
  EXPECT_NEAR(found.inside, 1, 1e-6);
  EXPECT_NEAR(found.tv, gaussian_total_variation(6, 1, 7, 1), 1e-4);
}

TEST(PolicyDistance, w1_agrees_with_many_samples) {
  const GaussianPolicy a = squashed(0.2, 0.5), b = squashed(-0.3, 0.8);
  const double w1 = policy_distance(a, b, state).w1;
  EXPECT_NEAR(sampled_wasserstein(a, b, state, 2000), w1, 0.05);
  const std::vector<double> x = DensityProbe(a, {0}).draws(100'000, 1), y = DensityProbe(b, {0}).draws(100'000, 2);
  EXPECT_NEAR(wasserstein(x, y), w1, 0.01);
}

TEST(PolicyDistance, of_tables_is_summed) {
  const TabularPolicy a("a", 2, 3, {0.2, 0.5, 0.3, 1, 0, 0}), b("b", 2, 3, {0.3, 0.3, 0.4, 0, 0, 1});
  const std::vector<double> states{0, 1};
  const PolicyDistance found = policy_distance(a, b, {states.data(), 1, 2});
  EXPECT_NEAR(found.tv, (0.2 + 1) / 2, 1e-12);
  EXPECT_NEAR(found.most_tv, 1, 1e-12);
  EXPECT_NEAR(found.w1, (0.2 + 2) / 2, 1e-12);
  EXPECT_NEAR(found.mean_gap, (0 + 2) / 2.0, 1e-12);
  EXPECT_TRUE(std::isinf(found.kl));
}

TEST(PolicyDistance, of_several_action_dimensions_is_sampled) {
  const GaussianPolicy a = squashed(0, 0.3, 2), b = squashed(1, 0.3, 2);
  const double gap = 2 * std::tanh(1) * std::sqrt(2);
  EXPECT_NEAR(sampled_wasserstein(a, b, state, 300), gap, 0.2 * gap);
  EXPECT_NEAR(sampled_wasserstein(a, a, state, 100), 0, 1e-9);
  expect_error(ErrorCode::shape_mismatch, "action dimensions", [&] { policy_distance(a, b, state); });
  expect_error(ErrorCode::out_of_range, "draws", [&] { sampled_wasserstein(a, b, state, 0); });
}

}  // namespace
}  // namespace mercer
