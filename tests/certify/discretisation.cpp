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

TEST(Discretisation, no_error_of_the_states_hides_any_of_the_actions) {
  const std::vector<double> states{2, 2, 2, 2}, actions{0, 1, 5, 9};
  EXPECT_EQ(discretisation_volume(states, actions, 3, 2).fixed, 0) << "why the volume is no bound";
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
  expect_error(ErrorCode::shape_mismatch, "1 states and 2 actions", [&] { discretisation_volume(one, two, 1, 1); });
  expect_error(ErrorCode::out_of_range, "bins", [&] { bin_areas(one, 0); });
  expect_error(ErrorCode::not_finite, "sample 0", [&] { bin_areas(nan, 2); });
  expect_error(ErrorCode::out_of_range, "trajectories", [] { distribution_band(0, 0.05); });
}

}  // namespace
}  // namespace mercer
