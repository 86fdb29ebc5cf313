#include "certify/discretisation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(Discretisation, areas_are_distances_to_the_ends_of_the_bins) {
  Random random({1, Stage::simulate, 0, 0});
  for (const std::size_t count : {1, 7, 40, 100}) {
    for (const std::size_t bins : {1, 3, 10, 64}) {
      std::vector<double> x(count);
      for (double& value : x) value = std::round(5 * random.normal()) / 4;  // with ties
      const BinAreas areas = bin_areas(x, bins);
      double ceil = 0, floor = 0;
      for (std::size_t i = 0; i < bins; ++i) {
        EXPECT_LE(areas.ceil[i], 1e-12);
        EXPECT_GE(areas.floor[i], -1e-12);
        ceil -= areas.ceil[i];
        floor += areas.floor[i];
      }
      const auto left = std::span(areas.edges).first(bins), right = std::span(areas.edges).last(bins);
      EXPECT_NEAR(ceil, wasserstein(x, left), 1e-12);
      EXPECT_NEAR(floor, wasserstein(x, right), 1e-12);
    }
  }
}

using Rows = std::vector<std::vector<double>>;  // one for each dimension

DiscretisationVolume volume_of(const Rows& states, const Rows& actions, std::vector<std::size_t> state_bins,
                               std::vector<std::size_t> action_bins) {
  std::vector<double> s, a;
  for (const auto& row : states) s.insert(s.end(), row.begin(), row.end());
  for (const auto& row : actions) a.insert(a.end(), row.begin(), row.end());
  return discretisation_volume({s.data(), states.size(), states[0].size()},
                               {a.data(), actions.size(), actions[0].size()}, state_bins, action_bins);
}

// The twin goes over every product of bins, as the theorem is printed.
TEST(Discretisation, volume_in_several_dimensions_is_the_sum_over_products_of_bins) {
  Random random({5, Stage::simulate, 0, 0});
  for (int trial = 0; trial < 20; ++trial) {
    Rows states(2, std::vector<double>(60)), actions(2, std::vector<double>(60));
    for (Rows* rows : {&states, &actions}) {
      for (auto& row : *rows) {
        for (double& x : row) x = random.normal();
      }
    }
    const std::vector<std::size_t> bS{3, 2}, bA{2, 3};
    std::vector<BinAreas> S{bin_areas(states[0], 3), bin_areas(states[1], 2)};
    const auto inside = [](const BinAreas& areas, std::size_t bin, double x) {
      const bool last = bin + 2 == areas.edges.size();
      return (x >= areas.edges[bin] || bin == 0) && (x < areas.edges[bin + 1] || last);
    };
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        Rows own(2);
        for (std::size_t t = 0; t < 60; ++t) {
          if (!inside(S[0], i, states[0][t]) || !inside(S[1], j, states[1][t])) continue;
          for (std::size_t d = 0; d < 2; ++d) own[d].push_back(actions[d][t]);
        }
        if (own[0].empty()) continue;
        const BinAreas first = bin_areas(own[0], 2), second = bin_areas(own[1], 3);
        for (const double a : first.ceil) {
          for (const double b : second.ceil) sum += std::abs(S[0].ceil[i] * S[1].ceil[j] * a * b);
        }
      }
    }
    EXPECT_NEAR(volume_of(states, actions, bS, bA).fixed, sum, 1e-12 * (1 + sum));
    EXPECT_GT(sum, 0);
  }
}

TEST(Discretisation, no_error_of_the_states_hides_any_of_the_actions) {
  const std::vector<double> states{2, 2, 2, 2}, actions{0, 1, 5, 9};
  EXPECT_EQ(volume_of({states}, {actions}, {3}, {2}).fixed, 0) << "why the volume is no bound";
  EXPECT_LT(bin_areas(actions, 2).ceil[0], -0.1);
}

TEST(Discretisation, the_band_holds_for_trajectories_that_repeat_themselves) {
  EXPECT_NEAR(distribution_band(100, 0.05), std::sqrt(std::log(400.0) / 200) + 0.1, 1e-15);
  Random random({2, Stage::simulate, 0, 0});
  constexpr std::size_t trajectories = 64, repeats = 400;
  const double band = distribution_band(trajectories, 0.05);
  int misses = 0;
  double most = 0;
  for (std::size_t i = 0; i < repeats; ++i) {
    std::vector<double> x(trajectories);  // one uniform number each, however long the trajectory
    for (double& value : x) value = random.uniform();
    std::ranges::sort(x);
    double gap = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      gap = std::max(
          {gap, x[k] - static_cast<double>(k) / trajectories, static_cast<double>(k + 1) / trajectories - x[k]});
    }
    misses += gap > band ? 1 : 0;
    most = std::max(most, gap);
  }
  fmt::print("band {:.3f}, largest gap {:.3f}\n", band, most);
  EXPECT_LE(misses, repeats / 20);
}

TEST(Discretisation, bad_input_is_refused) {
  const std::vector<double> one{1}, two{1, 2}, nan{std::nan("")};
  expect_error(ErrorCode::shape_mismatch, "1 states and 2 actions", [&] { volume_of({one}, {two}, {1}, {1}); });
  expect_error(ErrorCode::shape_mismatch, "of 1 and 1 dimensions, and bins for 2 and 1", [&] {
    volume_of({one}, {one}, {1, 1}, {1});
  });
  expect_error(ErrorCode::out_of_range, "bins", [&] { bin_areas(one, 0); });
  expect_error(ErrorCode::not_finite, "sample 0", [&] { bin_areas(nan, 2); });
  expect_error(ErrorCode::out_of_range, "trajectories", [] { distribution_band(0, 0.05); });
}

}  // namespace
}  // namespace mercer
