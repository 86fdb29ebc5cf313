#include <cmath>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

Contract discrete_contract(std::size_t actions) {
  Contract contract;
  contract.observation = Space::box({{"x", {-1, 1}, "", false}});
  contract.action = Space::discrete("a", actions);
  return contract;
}

// q(s, a) from a function of the state and the first and last action coordinate in [-1, 1].
BatchFunction make_q(double (*q)(double state, double first, double last)) {
  return [q](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t i = 0; i < in.cols(); ++i) out(0, i) = q(in(0, i), in(1, i), in(in.rows() - 1, i));
  };
}

Contract box_contract(std::size_t actions) {
  Contract contract = squashed_contract(1, actions);
  contract.squash = Squash::none;
  return contract;
}

TEST(DiscreteBoltzmannPolicy, is_the_softmax_of_q) {
  const std::vector<double> q{1, 3, -2, 3};
  const BatchFunction fixed = [q](MatrixView<const double>, MatrixView<double> out) {
    for (std::size_t r = 0; r < 4; ++r) std::ranges::fill(out.row(r), q[r]);
  };
  for (const double temperature : {0.1, 1.0, 20.0}) {
    const DiscreteBoltzmannPolicy policy("b", discrete_contract(4), fixed, temperature);
    const DensityProbe probe(policy, {0});
    const std::vector<double> p = probe.density({0, 1, 2, 3, 4, 0.5, -1});
    double total = 0;
    for (const double value : q) total += std::exp(value / temperature);
    for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(p[a], std::exp(q[a] / temperature) / total, 1e-14);
    for (const std::size_t a : {4, 5, 6}) EXPECT_EQ(p[a], 0);
    constexpr std::size_t n = 40'000;
    std::vector<double> counts(4);
    for (const double action : probe.draws(n, 9)) ++counts[static_cast<std::size_t>(action)];
    for (std::size_t a = 0; a < 4; ++a) {
      EXPECT_NEAR(counts[a] / n, p[a], 5 * std::sqrt(p[a] * (1 - p[a]) / n) + 1e-9);
    }
    double mean = 0;
    const double state = 0;
    policy.mean_action({&state, 1, 1}, {&mean, 1, 1});
    EXPECT_EQ(mean, 1) << "the first of equals";
  }
}

// A bend inside a cell, a steep slope, a smooth peak: what networks make.
double bent(double, double a, double) { return 3 * std::abs(a - 0.217); }
double steep(double, double a, double) { return 80 * a; }
double peaked(double s, double a, double) { return -40 * (a - s) * (a - s); }
double wavy(double, double a, double b) { return 2 * std::sin(3 * a) * std::cos(2 * b) + a * b; }

TEST(BoxBoltzmannPolicy, density_integrates_to_one) {
  for (const auto& [q, tolerance] : {std::pair{&bent, 2e-4}, {&steep, 1e-5}, {&peaked, 1e-4}, {&wavy, 1e-5}}) {
    const BoxBoltzmannPolicy policy("b", box_contract(1), make_q(q), 1);
    const double integral = DensityProbe(policy, {0.3}).integral(20'000);
    EXPECT_NEAR(integral, 1, tolerance);
    std::cout << "integral - 1 = " << integral - 1 << ", slack " << tolerance - std::abs(integral - 1) << '\n';
  }
  const BoxBoltzmannPolicy plane("b", box_contract(2), make_q(&wavy), 0.7);
  EXPECT_NEAR(DensityProbe(plane, {0}).integral(60), 1, 1e-3);
  const BoxBoltzmannPolicy space("b", box_contract(3), make_q(&wavy), 2);
  EXPECT_NEAR(DensityProbe(space, {0}).integral(8), 1, 1e-2);
}

TEST(BoxBoltzmannPolicy, draws_follow_the_density) {
  for (const auto q : {&bent, &steep, &peaked, &wavy}) {
    const BoxBoltzmannPolicy policy("b", box_contract(1), make_q(q), 1);
    EXPECT_LT(DensityProbe(policy, {0.3}).distance_of_draws(10'000, 2), ks_limit(10'000) + 1e-3);
  }
}

// exp(80 a) on [-1, 1] has mean coth(80) - 1/80; the box is twice as wide.
TEST(BoxBoltzmannPolicy, mean_action_is_the_mean) {
  const double state = 0;
  double action = 0;
  BoxBoltzmannPolicy("b", box_contract(1), make_q(&steep), 1).mean_action({&state, 1, 1}, {&action, 1, 1});
  EXPECT_NEAR(action, 2 * (1 / std::tanh(80.0) - 1 / 80.0), 1e-9);
}

TEST(BoxBoltzmannPolicy, refuses_what_it_cannot_do) {
  expect_error(ErrorCode::out_of_range, "legal: 1 to 3",
               [] { BoxBoltzmannPolicy("b", box_contract(4), make_q(&wavy), 1); });
  for (const double temperature : {0.0, -1.0, std::nan("")}) {
    expect_error(ErrorCode::out_of_range, "temperature",
                 [&] { BoxBoltzmannPolicy("b", box_contract(1), make_q(&wavy), temperature); });
  }
}

TEST(Greedy, finds_the_peak_of_q) {
  const BatchFunction best = greedy_point(make_q(&peaked), 1);
  for (const double peak : {-1.0, -0.77, 0.0123, 0.5, 1.0, 3.0}) {
    double found = 0;
    best({&peak, 1, 1}, {&found, 1, 1});
    EXPECT_NEAR(found, std::min(peak, 1.0), 1e-3);
  }
}

TEST(Greedy, takes_the_first_of_equal_actions) {
  const BatchFunction q = [](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t i = 0; i < in.cols(); ++i) out(r, i) = r == 0 ? -in(0, i) : 1;
    }
  };
  const std::vector<double> states{0, -5};
  std::vector<double> actions(2);
  greedy_index(q, 3)({states.data(), 1, 2}, {actions.data(), 1, 2});
  EXPECT_EQ(actions, (std::vector<double>{1, 0}));
}

}  // namespace
}  // namespace mercer
