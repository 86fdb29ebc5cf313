#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

using Values = std::vector<double>;

void flatten(const nlohmann::json& value, Values& out) {
  if (value.is_number()) {
    out.push_back(value.get<double>());
  } else {
    for (const nlohmann::json& part : value) flatten(part, out);
  }
}
Values flat(const nlohmann::json& value) {
  Values out;
  flatten(value, out);
  return out;
}

struct GoldenCase {
  explicit GoldenCase(const nlohmann::json& golden) : points(flat(golden.at("X"))) {
    const auto d = golden.at("d").get<std::size_t>();
    start.dimensions = d;
    start.covariance = golden.at("cov") == "full" ? Covariance::full : Covariance::diagonal;
    start.weights = flat(golden.at("weights_init"));
    start.means = flat(golden.at("means_init"));
    const Values precisions = flat(golden.at("precisions_init"));
    for (const double precision : precisions) start.variances.push_back(precision == 0 ? 0 : 1 / precision);
    options.floor = golden.at("reg_covar").get<double>();
    options.covariance = start.covariance;
  }
  MatrixView<const double> view() const { return {points.data(), points.size() / start.dimensions, start.dimensions}; }

  Values points;
  Mixture start;
  MixtureOptions options;
};

// golden/kernels/gmm.json: scikit-learn 1.2.1 from the same start, after 1, 2, 10 and 50 rounds.
TEST(Mixture, equals_scikit_learn_round_by_round) {
  double worst = 0;
  const nlohmann::json document = read_golden("kernels/gmm.json").at("cases");
  for (const nlohmann::json& golden : document) {
    GoldenCase own(golden);
    for (const nlohmann::json& step : golden.at("steps")) {
      own.options.iterations = step.at("iters").get<std::size_t>();
      const MixtureFit fit = fit_mixture(own.view(), own.start.size(), {}, own.start, own.options);
      const double difference = std::max({largest_difference(fit.mixture.weights, flat(step.at("weights"))),
                                          largest_difference(fit.mixture.means, flat(step.at("means"))),
                                          largest_difference(fit.mixture.variances, flat(step.at("covariances")))});
      worst = std::max(worst, difference);
      EXPECT_LT(difference, 1e-6) << own.options.iterations;
      EXPECT_EQ(fit.log_likelihoods.size(), own.options.iterations + 1);
      EXPECT_NEAR(fit.log_likelihoods.back(), step.at("mean_loglik").get<double>(), 1e-6);
    }
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

// The twin: one round in one dimension with plain sums and densities, weights counted by repeating points.
Mixture direct_round(const Mixture& old, const Values& points, double floor) {
  const std::size_t k = old.size();
  Values mass(k), first(k), second(k);
  std::vector<Values> shares;
  for (const double x : points) {
    Values density(k);
    double sum = 0;
    for (std::size_t c = 0; c < k; ++c) {
      const double z = x - old.means[c];
      density[c] = old.weights[c] * std::exp(-0.5 * z * z / old.variances[c]) /
                   std::sqrt(2 * std::numbers::pi * old.variances[c]);
      sum += density[c];
    }
    for (double& value : density) value /= sum;
    shares.push_back(density);
  }
  Mixture next = old;
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t i = 0; i < points.size(); ++i) mass[c] += shares[i][c];
    for (std::size_t i = 0; i < points.size(); ++i) first[c] += shares[i][c] * points[i] / mass[c];
    for (std::size_t i = 0; i < points.size(); ++i) {
      second[c] += shares[i][c] * (points[i] - first[c]) * (points[i] - first[c]) / mass[c];
    }
    next.weights[c] = mass[c] / static_cast<double>(points.size());
    next.means[c] = first[c];
    next.variances[c] = second[c] + floor;
  }
  return next;
}

TEST(Mixture, weighted_points_count_as_if_they_were_repeated) {
  const Values points{-2, -1, 0.5, 1, 3}, weights{1, 2, 3, 1, 2};
  Values repeated;
  for (std::size_t i = 0; i < 5; ++i) repeated.insert(repeated.end(), static_cast<std::size_t>(weights[i]), points[i]);
  const Mixture start{1, Covariance::diagonal, {0.4, 0.6}, {-1, 1}, {1, 0.5}};
  Mixture expected = start;
  for (int round = 0; round < 5; ++round) expected = direct_round(expected, repeated, 1e-6);
  const MixtureFit fit = fit_mixture({points.data(), 5, 1}, 2, weights, start, {.iterations = 5});
  EXPECT_LT(largest_difference(fit.mixture.weights, expected.weights), 1e-12);
  EXPECT_LT(largest_difference(fit.mixture.means, expected.means), 1e-12);
  EXPECT_LT(largest_difference(fit.mixture.variances, expected.variances), 1e-12);
}

TEST(Mixture, likelihood_never_falls) {
  for (const Covariance covariance : {Covariance::diagonal, Covariance::full}) {
    const Table table = random_table({400, 2}, 3);
    const MixtureFit fit =
        fit_mixture(table.matrix(), 5, {}, {}, {.iterations = 60, .covariance = covariance, .seed = 4});
    for (std::size_t i = 1; i < fit.log_likelihoods.size(); ++i) {
      EXPECT_GE(fit.log_likelihoods[i], fit.log_likelihoods[i - 1] - 1e-6);  // the floor may cost a little
    }
    double sum = 0;
    for (const double weight : fit.mixture.weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

// Two clouds far apart, 3 to 1: k-means++ cannot start with both means in one.
TEST(Mixture, finds_two_clouds) {
  Values points;
  Random random({9, Stage::task, 0, 0});
  for (int i = 0; i < 400; ++i) points.push_back((i % 4 == 0 ? 50 : -50) + random.normal());
  MixtureFit fit = fit_mixture({points.data(), points.size(), 1}, 2, {}, {}, {.iterations = 200, .tolerance = 1e-9});
  EXPECT_LT(fit.log_likelihoods.size(), 100U);  // the tolerance stops it
  if (fit.mixture.means[0] > 0) {
    std::swap(fit.mixture.means[0], fit.mixture.means[1]);
    std::swap(fit.mixture.weights[0], fit.mixture.weights[1]);
  }
  EXPECT_NEAR(fit.mixture.means[0], -50, 0.3);
  EXPECT_NEAR(fit.mixture.means[1], 50, 0.4);
  EXPECT_NEAR(fit.mixture.weights[0], 0.75, 1e-12);
  EXPECT_EQ(fit.mixture.parameters(), 5U);  // 3 K - 1
}

TEST(Mixture, log_density_does_not_underflow) {
  const Mixture mixture{1, Covariance::diagonal, {0.5, 0.5}, {0, 1}, {1, 1}};
  const Values far{100};
  // -99^2 / 2 - log(2 pi) / 2 + log 0.5, the other component nothing beside it
  EXPECT_NEAR(log_density(mixture, {far.data(), 1, 1})[0], -4900.5 - 0.9189385332046727 - 0.6931471805599453, 1e-9);
}

TEST(Mixture, full_covariance_density_equals_the_formula) {
  const Mixture mixture{2, Covariance::full, {1}, {1, -1}, {2, 0.6, 0.6, 0.5}};
  const Values x{0.3, 0.4};
  // det = 2 * 0.5 - 0.36 = 0.64; z^T S^-1 z with z = (-0.7, 1.4): (0.5 * 0.49 + 2 * 1.96 + 2 * 0.6 * 0.98) / 0.64
  const double quadratic = (0.5 * 0.49 + 2 * 1.96 + 1.2 * 0.98) / 0.64;
  const double expected = -0.5 * quadratic - std::log(2 * std::numbers::pi) - 0.5 * std::log(0.64);
  EXPECT_NEAR(log_density(mixture, {x.data(), 1, 2})[0], expected, 1e-13);
}

TEST(FixedMixture, only_weights_change_and_likelihood_rises) {
  const Values low{-3}, high{3};
  const Mixture fixed = fixed_mixture(8, low, high);
  EXPECT_EQ(fixed.variances, (Values{0.1, 0.5, 1, 2, 0.1, 0.5, 1, 2}));
  EXPECT_NEAR(fixed.means[0], -2.625, 1e-15);
  EXPECT_NEAR(fixed.means[7], 2.625, 1e-15);
  const Table points = random_table({300, 1}, 5);
  const MixtureFit fit = fit_mixture(points.matrix(), 8, {}, fixed, {.iterations = 30, .weights_only = true});
  EXPECT_EQ(fit.mixture.means, fixed.means);
  EXPECT_EQ(fit.mixture.variances, fixed.variances);
  EXPECT_NE(fit.mixture.weights, fixed.weights);
  for (std::size_t i = 1; i < fit.log_likelihoods.size(); ++i) {
    EXPECT_GE(fit.log_likelihoods[i], fit.log_likelihoods[i - 1] - 1e-13);
  }
  const Values low2{0, 10}, high2{1, 20};
  const Mixture drawn = fixed_mixture(50, low2, high2, 3);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_TRUE(drawn.means[2 * i] >= 0 && drawn.means[2 * i] <= 1);
    EXPECT_TRUE(drawn.means[2 * i + 1] >= 10 && drawn.means[2 * i + 1] <= 20);
  }
}

TEST(Mixture, any_number_of_threads_gives_the_same) {
  const Table table = random_table({3000, 2}, 6);
  const auto fit = [&] { return fit_mixture(table.matrix(), 3, {}, {}, {.iterations = 5}).mixture.means; };
  const Values all = fit();
  const ThreadLimit limit(1);
  EXPECT_EQ(fit(), all);
}

// The error of frequencies from K draws falls as 1 / sqrt(K): a hundred times the draws, a tenth of the error.
TEST(SampleRows, frequencies_come_closer_as_one_over_the_root_of_k) {
  const Table policy = random_policy(400, 6, 1);
  const auto error = [&](std::size_t k) {
    Table sampled = policy;
    sample_rows(sampled.matrix(), k, 7);
    for (const double value : sampled.values) {
      EXPECT_NEAR(value * static_cast<double>(k), std::round(value * static_cast<double>(k)), 1e-9);
    }
    return std::sqrt(squared_distance(sampled.values, policy.values));
  };
  EXPECT_NEAR(error(20) / error(2000), 10, 1);
}

TEST(SampleRows, a_row_draws_the_same_whatever_stands_below_it) {
  Table all = random_policy(200, 5, 2), some = all;
  sample_rows(all.matrix(), 10, 1);
  sample_rows(some.matrix().row_block(0, 3), 10, 1);
  EXPECT_EQ(Values(all.values.begin(), all.values.begin() + 15), Values(some.values.begin(), some.values.begin() + 15));
}

TEST(Mixture, bad_input_is_refused) {
  const Values points{1, 2, 3};
  const MatrixView<const double> view(points.data(), 3, 1);
  const auto fit = [&](std::size_t k, Values weights, std::optional<Mixture> start, MixtureOptions options) {
    fit_mixture(view, k, weights, start, options);
  };
  expect_error(ErrorCode::out_of_range, "number of components is 0", [&] { fit(0, {}, {}, {}); });
  expect_error(ErrorCode::shape_mismatch, "needed are 3", [&] { fit(1, {1, 2}, {}, {}); });
  expect_error(ErrorCode::out_of_range, "negative or all zero", [&] { fit(1, {1, -2, 1}, {}, {}); });
  expect_error(ErrorCode::out_of_range, "negative or all zero", [&] { fit(1, {0, 0, 0}, {}, {}); });
  expect_error(ErrorCode::out_of_range, "floor of the variances is 0", [&] { fit(1, {}, {}, {.floor = 0}); });
  const Mixture one{1, Covariance::diagonal, {1}, {0}, {1}};
  expect_error(ErrorCode::shape_mismatch, "needed are 2", [&] { fit(2, {}, one, {}); });
  Mixture flat_one = one;
  flat_one.variances = {0};
  expect_error(ErrorCode::out_of_range, "a variance is 0", [&] { fit(1, {}, flat_one, {}); });
  Mixture heavy = one;
  heavy.weights = {2};
  expect_error(ErrorCode::bad_distribution, "weights of a mixture", [&] { fit(1, {}, heavy, {}); });
  const Mixture twisted{2, Covariance::full, {1}, {0, 0}, {1, 2, 2, 1}};
  expect_error(ErrorCode::out_of_range, "component 0 is not positive definite", [&] {
    log_density(twisted, {points.data(), 1, 2});
  });
  expect_error(ErrorCode::shape_mismatch, "hold no mixture", [] { fit_mixture({nullptr, 0, 1}, 1); });
  const Values bad{NAN};
  expect_error(ErrorCode::not_finite, "nan", [&] { fit_mixture({bad.data(), 1, 1}, 1); });
  Values row{0.5, 0.6};
  expect_error(ErrorCode::bad_distribution, "row 0", [&] { sample_rows({row.data(), 1, 2}, 3, 0); });
  expect_error(ErrorCode::out_of_range, "number of sampled actions is 0", [&] {
    sample_rows({row.data(), 1, 2}, 0, 0);
  });
  const Values corner{1};
  expect_error(ErrorCode::out_of_range, "dimension 0 of the box is [1, 1]", [&] { fixed_mixture(2, corner, corner); });
}

}  // namespace
}  // namespace mercer
