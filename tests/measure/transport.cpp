#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

struct Points {
  std::vector<double> numbers;
  std::size_t dimensions, count;
  MatrixView<const double> view() const { return {numbers.data(), dimensions, count}; }
};

Points cloud(std::size_t dimensions, std::size_t count, std::uint64_t item, double shift = 0) {
  Points out{std::vector<double>(dimensions * count), dimensions, count};
  Random random({11, Stage::task, item, 0});
  for (double& value : out.numbers) value = random.normal() + shift;
  return out;
}

double gap(const Points& x, std::size_t i, const Points& y, std::size_t j) {
  double squares = 0;
  for (std::size_t d = 0; d < x.dimensions; ++d) {
    const double difference = x.view()(d, i) - y.view()(d, j);
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

// The least mean distance over all pairings.
double by_permutations(const Points& x, const Points& y) {
  std::vector<std::size_t> order(x.count);
  std::iota(order.begin(), order.end(), 0);
  double least = INFINITY;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < x.count; ++i) sum += gap(x, i, y, order[i]);
    least = std::min(least, sum / static_cast<double>(x.count));
  } while (std::ranges::next_permutation(order).found);
  return least;
}

TEST(Transport, equals_the_best_pairing) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t count = 1 + seed % 7;
    const Points x = cloud(1 + seed % 3, count, seed), y = cloud(1 + seed % 3, count, seed + 1000, 0.3);
    const double expected = by_permutations(x, y);
    EXPECT_NEAR(transport_distance({x.view()}, {y.view()}), expected, 1e-11 * expected);
  }
}

// Whole weights are points that stand several times in the same place.
TEST(Transport, equals_the_best_pairing_of_repeated_points) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Points x = cloud(2, 3, seed), y = cloud(2, 4, seed + 50);
    const std::vector<double> wx{1, 2, 4}, wy{3, 1, 1, 2};
    const auto repeated = [](const Points& points, const std::vector<double>& weights) {
      Points out{{}, points.dimensions, 7};
      for (std::size_t d = 0; d < points.dimensions; ++d) {
        for (std::size_t i = 0; i < points.count; ++i) {
          out.numbers.insert(out.numbers.end(), static_cast<std::size_t>(weights[i]), points.view()(d, i));
        }
      }
      return out;
    };
    const double expected = by_permutations(repeated(x, wx), repeated(y, wy));
    EXPECT_NEAR(transport_distance({x.view(), wx}, {y.view(), wy}), expected, 1e-11 * expected);
  }
}

TEST(Transport, equals_the_area_between_distribution_functions_on_a_line) {
  for (const std::size_t count : {2, 30, 301, 1500}) {
    const Points x = cloud(1, count, 1), y = cloud(1, count + 7, 2, 1);
    std::vector<double> weights(count + 7);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i % 5);
    const double expected = wasserstein(x.numbers, y.numbers, {}, weights);
    EXPECT_NEAR(transport_distance({x.view()}, {y.view(), weights}), expected, 1e-9 * expected);
  }
}

// Points on a grid have ties everywhere: most pivots move nothing.
TEST(Transport, ends_with_ties) {
  Points x{{}, 2, 400}, y{{}, 2, 400};
  for (std::size_t d = 0; d < 2; ++d) {
    for (std::size_t i = 0; i < 400; ++i) {
      const auto place = static_cast<double>(d == 0 ? i % 20 : i / 20);
      x.numbers.push_back(place);
      y.numbers.push_back(place + (d == 0 ? 3 : 0));
    }
  }
  EXPECT_NEAR(transport_distance({x.view()}, {y.view()}), 3, 1e-9);
  EXPECT_NEAR(transport_distance({x.view()}, {x.view()}), 0, 1e-12);
}

TEST(Transport, of_the_largest_size_is_between_its_bounds) {
  const Points x = cloud(3, most_transport_points, 1), y = cloud(3, most_transport_points, 2, 0.5);
  double identity = 0, mean = 0;
  for (std::size_t i = 0; i < x.count; ++i) identity += gap(x, i, y, i) / static_cast<double>(x.count);
  for (std::size_t d = 0; d < 3; ++d) {
    double shift = 0;
    for (std::size_t i = 0; i < x.count; ++i) {
      shift += (x.view()(d, i) - y.view()(d, i)) / static_cast<double>(x.count);
    }
    mean += shift * shift;
  }
  const double distance = transport_distance({x.view()}, {y.view()});
  EXPECT_GE(distance, std::sqrt(mean));
  EXPECT_GE(distance, sliced_wasserstein({x.view()}, {y.view()}));
  EXPECT_LE(distance, identity);
}

TEST(Sliced, is_the_distance_on_a_line_and_below_it_elsewhere) {
  const Points x = cloud(1, 40, 1), y = cloud(1, 50, 2, 1);
  EXPECT_NEAR(sliced_wasserstein({x.view()}, {y.view()}, 5), wasserstein(x.numbers, y.numbers), 1e-12);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Points a = cloud(4, 60, seed), b = cloud(4, 60, seed + 9, 0.4);
    EXPECT_LT(sliced_wasserstein({a.view()}, {b.view()}, 64, seed), transport_distance({a.view()}, {b.view()}));
  }
}

TEST(Transport, refuses_what_does_not_fit) {
  const Points x = cloud(2, 3, 1), y = cloud(3, 3, 2), many = cloud(2, 2001, 3);
  const std::vector<double> two{1, 1}, negative{1, 1, -1}, nothing{0, 0, 0};
  expect_error(ErrorCode::shape_mismatch, "dimensions", [&] { transport_distance({x.view()}, {y.view()}); });
  expect_error(ErrorCode::shape_mismatch, "2 weights", [&] { transport_distance({x.view(), two}, {x.view()}); });
  expect_error(ErrorCode::bad_distribution, "-1", [&] { transport_distance({x.view(), negative}, {x.view()}); });
  expect_error(ErrorCode::bad_distribution, "sum to 0", [&] { transport_distance({x.view(), nothing}, {x.view()}); });
  expect_error(ErrorCode::too_large, "2001", [&] { transport_distance({x.view()}, {many.view()}); });
}

}  // namespace
}  // namespace mercer
