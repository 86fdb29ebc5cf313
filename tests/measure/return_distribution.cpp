#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/certificate.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Draw = double (*)(Random&);
double even(Random& random) { return random.uniform(); }
double coin(Random& random) { return random.uniform() < 0.3 ? -1 : 1; }
double heavy(Random& random) { return std::pow(1 - random.uniform(), -2); }  // has no mean
double below_even(double x) { return std::clamp(x, 0.0, 1.0); }
double below_coin(double x) { return x < -1 ? 0 : x < 1 ? 0.3 : 1; }
double below_heavy(double x) { return x < 1 ? 0 : 1 - std::pow(x, -0.5); }

struct Law {
  const char* name;
  Draw draw;
  double (*below)(double);
};
const Law laws[] = {{"even", even, below_even}, {"coin", coin, below_coin}, {"heavy", heavy, below_heavy}};

// The twin: the farthest that the shares of a sample are from the distribution function, on both sides of every number.
double farthest(std::vector<double> x, const Law& law) {
  std::ranges::sort(x);
  double most = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto at_most = std::ranges::upper_bound(x, x[i]) - x.begin(),
               under = std::ranges::lower_bound(x, x[i]) - x.begin();
    most = std::max({most, std::abs(static_cast<double>(at_most) / n - law.below(x[i])),
                     std::abs(static_cast<double>(under) / n - law.below(std::nextafter(x[i], -1e300)))});
  }
  return most;
}

TEST(ReturnDistribution, the_band_holds_at_every_number_together) {
  constexpr int samples = 2000;
  for (const Law& law : laws) {
    for (const std::size_t n : {std::size_t{5}, std::size_t{100}}) {
      int missed = 0;
      double slack = 1;
      for (std::uint64_t i = 0; i < samples; ++i) {
        Random random({i, Stage::simulate, n, 0});
        std::vector<double> x(n);
        for (double& value : x) value = law.draw(random);
        const double far = farthest(x, law), band = dkw_band(n, 0.1);
        missed += far > band ? 1 : 0;
        slack = std::min(slack, band - far);
      }
      std::printf("%s, %zu numbers: %d of %d outside the band, nominal %d; least slack %.4f\n", law.name, n, missed,
                  samples, samples / 10, slack);
      EXPECT_LE(missed, samples / 10 + 4 * std::sqrt(samples * 0.09)) << law.name;
    }
  }
  EXPECT_NEAR(dkw_band(10000, 0.05), 0.013581, 1e-6);
  EXPECT_EQ(dkw_band(1, 0.05), 1) << "a share is not off by more";
}

// As a certificate does it: whoever stops at the worst of several looks still has bands for both policies.
TEST(ReturnDistribution, holds_at_whatever_look_one_stops) {
  constexpr int samples = 1000;
  int missed = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    Random random({i, Stage::simulate, 77, 0});
    std::vector<double> first, second;
    bool outside = false;
    std::size_t look = 0;
    for (std::size_t n = 20; n <= 640; n *= 2) {
      while (first.size() < n) {
        first.push_back(even(random));
        second.push_back(coin(random));
      }
      const ReturnDistribution made = return_distribution(first, second, 0.2, ++look);
      for (std::size_t j = 0; j < made.returns.size(); ++j) {
        outside |= std::abs(made.teacher[j] - below_even(made.returns[j])) > made.band;
        outside |= std::abs(made.embedding[j] - below_coin(made.returns[j])) > made.band;
      }
    }
    missed += outside ? 1 : 0;
  }
  std::printf("%d of %d samples outside at some look, nominal %d\n", missed, samples, samples / 5);
  EXPECT_LE(missed, samples / 5);
}

TEST(ReturnDistribution, lists_shares_at_the_returns_that_are_printed) {
  std::vector<double> first, second;
  for (int i = 0; i < 1000; ++i) {
    first.push_back(-1000.0 / 3 - i);
    second.push_back(i < 500 ? first.back() : -1e-3);
  }
  const ReturnDistribution made = return_distribution(first, second, 0.05);
  ASSERT_TRUE(std::ranges::is_sorted(made.returns));
  EXPECT_EQ(made.episodes, 1000U);
  for (std::size_t i = 0; i < made.returns.size(); ++i) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", made.returns[i]);
    EXPECT_EQ(std::strtod(text, nullptr), made.returns[i]) << "printed in full";
    const auto share = [&](const std::vector<double>& of) {
      return static_cast<double>(std::ranges::count_if(of, [&](double x) { return x <= made.returns[i]; })) / 1000;
    };
    EXPECT_EQ(made.teacher[i], share(first));
    EXPECT_EQ(made.embedding[i], share(second));
  }
  EXPECT_EQ(made.teacher.back(), 1);
  EXPECT_DOUBLE_EQ(made.band, std::sqrt(std::log(80.0) / 2000));
  expect_error(ErrorCode::shape_mismatch, "1000 and 2 returns", [&] {
    return_distribution(first, std::vector<double>{1, 2}, 0.05);
  });
  expect_error(ErrorCode::out_of_range, "legal: between 0 and 1", [&] { return_distribution(first, second, 1); });
}

TEST(ReturnDistribution, stands_in_the_certificate_rounded_outwards) {
  Certificate certificate;
  certificate.confidence = 0.9;
  certificate.distribution = {{-2.5, 7}, {0.12345, 1}, {0.2, 0.98765}, 0.01, 0.9, 400};
  const Certificate is = certificate_from_json(certificate_json(certificate), "x");
  EXPECT_EQ(certificate_json(is), certificate_json(certificate));
  const std::string page = certificate_page(certificate);
  for (const char* part :
       {"share of episodes, guaranteed with 90% confidence for both policies and all returns together",
        "12.35% (11.34% .. 13.35%)", "98.77% (97.76% .. 99.77%)", "100.00% (99.00% .. 100.00%)"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  }
  std::istringstream lines(page.substr(page.find("return at most")));
  std::string heading, row;
  std::getline(lines, heading);
  for (std::size_t i = 0; i < 2 && std::getline(lines, row); ++i) EXPECT_EQ(row.size(), heading.size()) << page;
  std::string broken = certificate_json(certificate);
  broken.replace(broken.find("-2.5,"), 5, "");
  expect_error(ErrorCode::bad_format, "has 1 returns and 2 and 2 shares", [&] { certificate_from_json(broken, "x"); });
}

}  // namespace
}  // namespace mercer
