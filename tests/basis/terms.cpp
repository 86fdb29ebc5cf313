#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "core/number_codes.hpp"
#include "mercer/functions.hpp"
#include "mercer/random.hpp"
#include "support/allocation_count.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

std::size_t brute_force_count(const IndexSet& set) {
  std::size_t found = 0;
  std::vector<std::size_t> k(set.dimensions());
  while (true) {
    std::size_t sum = 0, product = 1, copies = 1;
    bool inside = true;
    for (std::size_t d = 0; d < k.size(); ++d) {
      sum += k[d];
      product *= k[d] + 1;
      if (set.periodic[d] != 0 && k[d] > 0) copies *= 2;
      inside = inside && (set.limits.empty() || k[d] <= set.limits[d]);
    }
    if (inside && (set.rule == IndexRule::total ? sum <= set.degree : product <= set.degree + 1)) found += copies;
    std::size_t d = 0;
    while (d < k.size() && ++k[d] > set.degree) k[d++] = 0;
    if (d == k.size()) return found;
  }
}

TEST(IndexSets, have_all_their_members) {
  for (const IndexRule rule : {IndexRule::total, IndexRule::cross}) {
    for (const std::size_t degree : {0U, 1U, 4U, 7U}) {
      for (const auto& periodic : std::vector<std::vector<std::uint8_t>>{{0}, {0, 0, 0}, {1, 0, 0}, {1, 1}}) {
        for (const bool limited : {false, true}) {
          IndexSet set{rule, degree, {}, periodic};
          if (limited) set.limits.assign(periodic.size(), 2);
          const std::size_t count = brute_force_count(set);
          EXPECT_EQ(count_indices(set, 1U << 20), count);
          EXPECT_EQ(list_indices(set).size(), count * set.dimensions());
          EXPECT_EQ(count_indices(set, 3), std::min<std::size_t>(count, 3));
        }
      }
    }
  }
  expect_error(ErrorCode::too_large, "65536", [] {
    list_indices({IndexRule::total, 16, {}, std::vector<std::uint8_t>(20)});
  });
}

// One of everything, on three axes of which one is periodic and one bent.
struct Everything {
  Coordinates coordinates{{{-1, 3}, false, {40, 100, 200}}, {{-2, 2}, true}, {{0, 10}, false, {64, 128, 192}}};
  Terms terms = no_terms({0, 1, 0});

  explicit Everything(Family family, Kernel kernel) {
    add_tensor(terms, family, IndexRule::total, 4);
    add_waves(terms, kernel, 0.9, 3, 10);
    add_ridges(terms, 5, 6, 12, 4);
    for (std::size_t r = 0; r < terms.ridge_count(); ++r) terms.ridges.halvings.push_back(r % 8);
    const std::vector<double> centres{0.1, -0.5, 0.9, 0.2, 0.3, -0.8, -0.9, 0.0, 0.4};
    add_radials(terms, kernel, 5, 0.7, 2, {centres.data(), 3, 3});
  }
  std::vector<double> states(std::size_t count) const {
    std::vector<double> out(3 * count);
    Random random({1, Stage::start, 0, 0});
    for (double& value : out) value = 14 * random.uniform() - 3;  // beyond the ranges, too
    return out;
  }
};

double brute_force(const Everything& all, std::size_t term, const double* state) {
  const Terms& terms = all.terms;
  std::vector<double> x;
  for (std::size_t d = 0; d < 3; ++d) x.push_back(all.coordinates[d].apply(state[d]));
  const std::vector<std::size_t> parts = terms.parts();
  std::vector<double> values(16), w(4);
  if (term < parts[1]) {
    const std::vector<std::uint8_t> indices = list_indices(terms.tensor.set);
    double product = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      evaluate_family(terms.tensor.family, terms.tensor.set.periodic[d] != 0, x[d], values);
      product *= values[indices[3 * terms.tensor.kept[term] + d]];
    }
    return product;
  }
  const auto affine = [&] { return w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3]; };
  if (term < parts[2]) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed, term - parts[1], w);
    return std::sqrt(2) * std::cos(affine());
  }
  if (term < parts[3]) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t ridge = term - parts[2];
      w[i] = terms.ridges.numbers[4 * ridge + i] * from_log_scale(terms.ridges.unit) / (1 << ridge % 8);
    }
    return std::tanh(affine());
  }
  const std::size_t i = term - parts[3];
  double squared = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double centre = -1 + 2 * (terms.radials.centres[3 * i + d] + 0.5) / 32;
    squared += (x[d] - centre) * (x[d] - centre);
  }
  const double width = from_log_scale(terms.radials.length) / (1 << terms.radials.widths[i]);
  return kernel_value(terms.radials.kernel, squared / (width * width));
}

TEST(TermFunctions, agree_with_each_term_by_itself) {
  for (const Family family : {Family::legendre, Family::chebyshev, Family::cosine, Family::hermite}) {
    for (const Kernel kernel : {Kernel::gaussian, Kernel::matern32, Kernel::matern52}) {
      const Everything all(family, kernel);
      const std::size_t size = all.terms.size(), count = 21;
      ASSERT_GT(size, 64U);
      std::vector<double> coefficients(2 * size);
      for (std::size_t j = 0; j < coefficients.size(); ++j) coefficients[j] = std::sin(static_cast<double>(j));
      const TermFunction function(all.terms, all.coordinates, coefficients);
      const std::vector<double> states = all.states(count);
      std::vector<double> features(size * count), sums(2 * count), squashed(2 * count);
      const MatrixView<const double> view(states.data(), 3, count);
      function.features(view, {features.data(), size, count});
      function(view, {sums.data(), 2, count});
      const std::vector<double> centre{1, 2}, scale{3, -1};
      const std::vector<Range> clip{{-9, 9}, {1.5, 9}};
      function.act(view, true, centre, scale, clip, {squashed.data(), 2, count});
      std::vector<double> one(count);  // a single output goes another way
      function.with(std::span(coefficients).first(size))(view, {one.data(), 1, count});
      for (std::size_t i = 0; i < count; ++i) {
        const double state[3] = {view(0, i), view(1, i), view(2, i)};
        double sum[2] = {};
        for (std::size_t t = 0; t < size; ++t) {
          const double expected = brute_force(all, t, state);
          EXPECT_NEAR(features[t * count + i], expected, 1e-12 * (1 + std::abs(expected))) << t;
          for (std::size_t o = 0; o < 2; ++o) sum[o] += coefficients[o * size + t] * expected;
        }
        for (std::size_t o = 0; o < 2; ++o) {
          EXPECT_NEAR(sums[o * count + i], sum[o], 1e-10 * (1 + std::abs(sum[o])));
          const double action = centre[o] + scale[o] * std::tanh(sum[o]);
          EXPECT_NEAR(squashed[o * count + i], std::clamp(action, clip[o].low, clip[o].high), 1e-9);
        }
        EXPECT_NEAR(one[i], sum[0], 1e-10 * (1 + std::abs(sum[0])));
      }
    }
  }
}

TEST(TermFunctions, multiply_as_many_factors_as_there_are) {
  Terms terms = no_terms(std::vector<std::uint8_t>(6, 0));
  add_tensor(terms, Family::chebyshev, IndexRule::total, 6);
  Coordinates coordinates(6, Coordinate{{-1, 1}, false, {}});
  const std::vector<double> state{0.3, -0.8, 0.5, 0.9, -0.2, 0.7};
  const std::vector<std::uint8_t> indices = list_indices(terms.tensor.set);
  std::vector<double> coefficients;
  double expected = 0;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    double product = coefficients.emplace_back(std::sin(static_cast<double>(t)));
    for (std::size_t d = 0; d < 6; ++d) {
      const unsigned k = indices[t * 6 + d];
      product *= (k > 0 ? std::numbers::sqrt2 : 1) * std::cos(k * std::acos(state[d]));
    }
    expected += product;
  }
  double sum = 0;
  TermFunction(terms, coordinates, coefficients)({state.data(), 6, 1}, {&sum, 1, 1});
  EXPECT_NEAR(sum, expected, 1e-10);
  std::vector<double> twice = coefficients, both(2);
  twice.insert(twice.end(), coefficients.begin(), coefficients.end());
  TermFunction(terms, coordinates, twice)({state.data(), 6, 1}, {both.data(), 2, 1});
  EXPECT_NEAR(both[1], expected, 1e-10);
}

TEST(TermFunctions, do_not_see_the_columns_beside) {
  const Everything all(Family::legendre, Kernel::matern52);
  std::vector<double> coefficients(all.terms.size(), 0.1);
  const TermFunction function = TermFunction(all.terms, all.coordinates, coefficients);
  const std::vector<double> states = all.states(37);
  const MatrixView<const double> view(states.data(), 3, 37);
  std::vector<double> together(37), alone(1);
  function(view, {together.data(), 1, 37});
  const std::size_t before = allocation_count;
  for (std::size_t i = 0; i < 37; ++i) {
    function(view.columns(i, 1), {alone.data(), 1, 1});
    EXPECT_EQ(alone[0], together[i]) << i;
  }
  EXPECT_EQ(allocation_count, before);
  coefficients.assign(all.terms.size(), -0.1);
  function.with(coefficients)(view.columns(3, 1), {alone.data(), 1, 1});
  EXPECT_EQ(alone[0], -together[3]);
}

TEST(Terms, are_selected_and_described) {
  const Everything all(Family::chebyshev, Kernel::gaussian);
  const std::vector<std::size_t> parts = all.terms.parts(), chosen{parts[4] - 1, 0, parts[2] + 3, parts[1] + 2};
  const Terms few = select_terms(all.terms, chosen);
  EXPECT_EQ(few.size(), 4U);
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_EQ(describe_term(few, 0, names), "1");
  EXPECT_TRUE(describe_term(few, 1, names).starts_with("sqrt(2) cos(")) << describe_term(few, 1, names);
  EXPECT_EQ(describe_term(few, 2, names), describe_term(all.terms, parts[2] + 3, names));
  EXPECT_EQ(few.ridges.halvings, std::vector<std::uint8_t>{3});
  EXPECT_EQ(describe_term(few, 3, names), describe_term(all.terms, parts[4] - 1, names));
  EXPECT_TRUE(describe_term(few, 2, names).starts_with("tanh("));
  EXPECT_TRUE(describe_term(few, 3, names).starts_with("gaussian("));
  expect_error(ErrorCode::out_of_range, "term", [&] { select_terms(all.terms, std::vector<std::size_t>{parts[4]}); });
}

TEST(Terms, refuse_numbers_that_are_not_legal) {
  Terms terms = no_terms({0, 0});
  add_tensor(terms, Family::legendre, IndexRule::total, 2);
  terms.tensor.kept = {0, 6};
  expect_error(ErrorCode::out_of_range, "term 6 of 6", [&] { check_terms(terms); });
  terms.tensor.kept = {1, 1};
  expect_error(ErrorCode::out_of_range, "rising", [&] { check_terms(terms); });
  terms.tensor.kept = {1};
  terms.ridges.numbers = {1, 2};
  expect_error(ErrorCode::shape_mismatch, "missing", [&] { check_terms(terms); });
  terms.ridges.numbers = {1, 2, 8};
  expect_error(ErrorCode::out_of_range, "beyond", [&] { check_terms(terms); });
  terms.ridges.numbers = {1, 2, -7};
  check_terms(terms);
  terms.ridges.halvings = {7};
  check_terms(terms);
  terms.ridges.halvings = {8};
  expect_error(ErrorCode::out_of_range, "halving", [&] { check_terms(terms); });
  terms.ridges.halvings = {0, 0};
  expect_error(ErrorCode::shape_mismatch, "missing", [&] { check_terms(terms); });
}

TEST(Coordinates, of_powers_of_two_hold_what_was_visited) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Space space = Space::box({{"bounded", {-3, 5}, "", true},
                                  {"small", {-infinite, infinite}, "", false},
                                  {"half", {0, infinite}, "", false},
                                  {"large", {-infinite, infinite}, "", false}});
  // Of -1 and 1 the mean is 0 and the deviation 1, so 4 is reached; 4 + 1 with a mean of 1.
  const std::vector<double> states{0, 1, -1, 1, 0, 2, -300, 300};
  const Coordinates made = power_coordinates(space, {states.data(), 4, 2});
  ASSERT_EQ(made.size(), 4U);
  EXPECT_EQ(made[0].range.low, -3);
  EXPECT_EQ(made[0].range.high, 5);
  EXPECT_TRUE(made[0].periodic);
  const double expected[] = {16, 16, 2048};  // 4 and 8, raised to 2^7 below 2048, which is the first above 4 * 300
  for (std::size_t d = 1; d < 4; ++d) {
    EXPECT_EQ(made[d].range.high, expected[d - 1]) << d;
    EXPECT_EQ(made[d].range.low, -expected[d - 1]) << d;
  }
  const std::vector<double> near{0, 1, -1, 1, 0, 2, -3, 3};
  const Coordinates close = power_coordinates(space, {near.data(), 4, 2});
  EXPECT_EQ(close[1].range.high, 4);
  EXPECT_EQ(close[2].range.high, 8);
  EXPECT_EQ(close[3].range.high, 16);
  const std::vector<double> still(8, 0.0), far(8, 1e10);
  EXPECT_EQ(power_coordinates(space, {still.data(), 4, 2})[1].range.high, 0x1p-32);
  expect_error(ErrorCode::out_of_range, "'small' reach", [&] { power_coordinates(space, {far.data(), 4, 2}); });
}

TEST(Coordinates, rise_and_stay_inside) {
  const Coordinate bent{{-1, 3}, false, {40, 100, 200}};
  double before = -2;
  for (double value = -1; value <= 3; value += 0.01) {
    EXPECT_GT(bent.apply(value), before);
    before = bent.apply(value);
  }
  EXPECT_EQ(bent.apply(-5), -1);
  EXPECT_NEAR(bent.apply(7), 1, 1e-15);
  EXPECT_NEAR(bent.apply(1 + 2 * (-1 + 100 / 128.0)), 0, 1e-15);  // the middle one of three knots
  Coordinates some{{{0, 1}, false}};
  std::vector<double> states;
  for (int i = 0; i < 1000; ++i) states.push_back(std::pow(i / 1000.0, 4));
  add_knots(some, {states.data(), 1, states.size()}, 7, 1);
  double mean = 0;
  for (const double value : states) mean += some[0].apply(value) / 1000;
  EXPECT_NEAR(mean, 0, 0.1);  // evenly spread
  expect_error(ErrorCode::out_of_range, "range to scale by", [] {
    coordinates_of(Space::box({{"x", {0, HUGE_VAL}, "", false}}));
  });
}

}  // namespace
}  // namespace mercer
