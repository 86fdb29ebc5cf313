#include <cmath>

#include <gtest/gtest.h>

#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

using mercer::Evolution;

namespace {

// Lowest value at the centre after some generations.
template <class Function>
double minimise(const Function& function, std::vector<double> start, int generations, std::uint64_t seed = 1) {
  Evolution search(start, 0.5, seed);
  std::vector<double> values(search.population()), point(start.size());
  for (int g = 0; g < generations; ++g) {
    const auto tried = search.ask();
    for (std::size_t i = 0; i < tried.cols(); ++i) {
      for (std::size_t d = 0; d < tried.rows(); ++d) point[d] = tried(d, i);
      values[i] = function(point);
    }
    search.tell(values);
  }
  return function(std::vector<double>(search.mean().begin(), search.mean().end()));
}

double ellipsoid(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double along = x[i] - (i > 0 ? 0.5 * x[i - 1] : 0) - 1;
    sum += std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(x.size() - 1)) * along * along;
  }
  return sum;
}

double rosenbrock(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
  }
  return sum;
}

}  // namespace

TEST(Evolution, FindsTheBottomOfAnIllConditionedBowl) {
  EXPECT_LT(minimise(ellipsoid, std::vector<double>(8, 0.0), 400), 1e-8);
}

TEST(Evolution, FollowsACurvedValley) { EXPECT_LT(minimise(rosenbrock, {-1, 1, -1, 1}, 400), 1e-6); }

TEST(Evolution, OneNumberIsEnough) {
  EXPECT_LT(minimise([](const std::vector<double>& x) { return (x[0] - 3) * (x[0] - 3); }, {0}, 100), 1e-10);
}

TEST(Evolution, OnlyTheOrderOfValuesMatters) {
  const auto stretched = [](const std::vector<double>& x) { return std::cbrt(ellipsoid(x)); };
  const std::vector<double> start(4, 0.9);
  EXPECT_DOUBLE_EQ(minimise(stretched, start, 60), std::cbrt(minimise(ellipsoid, start, 60)));
}

TEST(Evolution, TheCentreIsGoodUnderNoise) {
  std::uint64_t calls = 0;
  const auto noisy = [&](const std::vector<double>& x) {
    mercer::Random random({7, mercer::Stage::task, calls++, 0});
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum + 0.01 * random.normal();
  };
  double left = 0;
  const auto honest = [&](const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return sum;
  };
  const std::vector<double> start(6, 1.0);
  Evolution search(start, 0.3, 3);
  std::vector<double> values(search.population()), point(start.size());
  for (int g = 0; g < 150; ++g) {
    const auto tried = search.ask();
    for (std::size_t i = 0; i < tried.cols(); ++i) {
      for (std::size_t d = 0; d < tried.rows(); ++d) point[d] = tried(d, i);
      values[i] = noisy(point);
    }
    search.tell(values);
  }
  left = honest(std::vector<double>(search.mean().begin(), search.mean().end()));
  EXPECT_LT(left, 0.02);
}

TEST(Evolution, NaNIsWorst) {
  const auto half_broken = [](const std::vector<double>& x) {
    return x[0] > 0.5 ? std::nan("") : (x[0] - 0.4) * (x[0] - 0.4);
  };
  EXPECT_LT(minimise(half_broken, {-2}, 100), 1e-8);
}

TEST(Evolution, SameSeedSameSearch) {
  EXPECT_EQ(minimise(ellipsoid, std::vector<double>(5, 0.0), 20, 9),
            minimise(ellipsoid, std::vector<double>(5, 0.0), 20, 9));
  EXPECT_NE(minimise(ellipsoid, std::vector<double>(5, 0.0), 20, 9),
            minimise(ellipsoid, std::vector<double>(5, 0.0), 20, 8));
}

TEST(Evolution, RefusesWhatCannotBe) {
  const std::vector<double> none, one{0};
  EXPECT_THROW(Evolution(none, 1, 1), mercer::Error);
  EXPECT_THROW(Evolution(one, 0, 1), mercer::Error);
  Evolution search(one, 1, 1);
  search.ask();
  EXPECT_THROW(search.tell(one), mercer::Error);
}
