#include <cmath>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

struct Sample {
  Numbers teacher, student;
};

Sample sample(std::size_t count, double offset, double loss, double noise) {
  Sample out;
  for (std::size_t i = 0; i < count; ++i) {
    Random random({3, Stage::task, i, 0});
    out.teacher.push_back(offset + 20 * random.uniform());
    out.student.push_back(out.teacher.back() - loss + noise * (random.uniform() - 0.5));
  }
  return out;
}

Numbers alternating() {
  Numbers out(400);
  for (std::size_t i = 0; i < 400; ++i) out[i] = i % 2 == 0 ? 1 : -1;
  return out;
}

TEST(LossBound, tells_the_measured_loss_and_stays_above_it) {
  const Sample of = sample(4000, -60, 1, 2);
  for (const LossMethod method : {LossMethod::betting, LossMethod::predictable_bernstein,
                                  LossMethod::empirical_bernstein, LossMethod::hoeffding}) {
    const LossBound bound = certify_loss(of.teacher, of.student, {-100, 0}, {.method = method});
    EXPECT_NEAR(bound.loss_mean, 1, 0.05);
    EXPECT_NEAR(bound.loss_percent, 2, 0.1);
    EXPECT_GT(bound.upper_loss, bound.loss_mean);
    EXPECT_LT(bound.lower_loss, bound.loss_mean);
    ASSERT_TRUE(bound.upper_percent);
    EXPECT_GT(*bound.upper_percent, bound.loss_percent);
    std::cout << name(method) << ": " << bound.upper_loss << ", " << *bound.upper_percent << "%\n";
  }
}

// Capital that was won on the first episodes is lost again later, and the bound by betting remembers the best.
TEST(LossBound, is_never_below_the_loss_that_stands_beside_it) {
  Numbers teacher(1000, 50), student(1000, 100);
  for (std::size_t i = 300; i < 1000; ++i) student[i] = 10;
  const LossBound bound = certify_loss(teacher, student, {0, 100}, {.confidence = 0.6});
  EXPECT_LT(betting_upper(Numbers(300, -50), {-100, 100}, 0.4), 0);
  EXPECT_GE(bound.upper_loss, bound.loss_mean);
  EXPECT_LE(bound.lower_loss, bound.loss_mean);
  EXPECT_GE(*bound.upper_percent, bound.loss_percent);
}

// The definition, by brute force: the reported x passes the test on E[(1 + x) G - G'], and a smaller one does not.
TEST(LossBound, percentage_is_the_smallest_that_passes_hoeffdings_test) {
  const Sample of = sample(1000, -60, 1, 2);
  const LossBound bound = certify_loss(of.teacher, of.student, {-100, 0}, {.method = LossMethod::hoeffding});
  const auto upper = [&](double x) {
    double mean = 0;
    for (std::size_t i = 0; i < 1000; ++i) mean += ((1 + x) * of.teacher[i] - of.student[i]) / 1000;
    return mean + (200 + 100 * x) * std::sqrt(std::log(1 / 0.05) / 2000);
  };
  const double x = *bound.upper_percent / 100;
  EXPECT_NEAR(upper(x), 0, 1e-7);
  EXPECT_GT(upper(x - 0.01), 0);
}

// Whoever multiplies all returns by a number promises the same percentage.
TEST(LossBound, percentage_has_no_unit) {
  Sample of = sample(2000, -60, 1, 2);
  const double once = *certify_loss(of.teacher, of.student, {-100, 0}).upper_percent;
  for (double& value : of.teacher) value *= 7;
  for (double& value : of.student) value *= 7;
  EXPECT_NEAR(*certify_loss(of.teacher, of.student, {-700, 0}).upper_percent, once, 1e-6);
}

TEST(LossBound, without_a_range_it_is_students_estimate) {
  const Sample of = sample(400, -60, 1, 2);
  Numbers loss(400);
  for (std::size_t i = 0; i < 400; ++i) loss[i] = of.teacher[i] - of.student[i];
  const LossBound bound = estimate_loss(of.teacher, of.student, 0.9),
                  known = certify_loss(of.teacher, of.student, {-100, 0});
  EXPECT_EQ(bound.loss_mean, known.loss_mean);
  EXPECT_EQ(bound.loss_percent, known.loss_percent);
  EXPECT_EQ(bound.upper_loss, student_t_interval(loss, 1 - 0.9, Sides::upper).high);
  EXPECT_NEAR(*bound.upper_percent, bound.upper_loss / bound.loss_mean * bound.loss_percent, 1e-12);
  const LossBound equal = estimate_loss(of.teacher, of.teacher);
  EXPECT_EQ(equal.upper_loss, 0);
  EXPECT_EQ(equal.upper_percent, 0);
  const LossBound around_zero = estimate_loss(alternating(), Numbers(400, -1.0));
  EXPECT_FALSE(around_zero.upper_percent);
  EXPECT_FALSE(around_zero.no_percent.empty());
  expect_error(ErrorCode::shape_mismatch, "paired", [&] { estimate_loss(of.teacher, Numbers(3, 0.0)); });
}

TEST(LossBound, gains_are_promised_too) {
  const Sample of = sample(4000, -60, -10, 2);
  const LossBound bound = certify_loss(of.teacher, of.student, {-100, 0});
  EXPECT_LT(bound.upper_loss, 0);
  EXPECT_LT(*bound.upper_percent, 0);
  EXPECT_GT(*bound.upper_percent, bound.loss_percent);
}

TEST(LossBound, returns_of_both_signs_get_a_percentage_only_away_from_zero) {
  const Sample away = sample(4000, 60, 1, 2);
  EXPECT_TRUE(certify_loss(away.teacher, away.student, {-100, 100}).upper_percent);
  const Sample near = sample(4000, -10, 1, 2);
  const LossBound bound = certify_loss(near.teacher, near.student, {-100, 100});
  EXPECT_FALSE(bound.upper_percent);
  EXPECT_TRUE(std::isfinite(bound.upper_loss));
  expect_error(ErrorCode::missing_option, "absolute limit", [&] { require_percent(bound); });
  const Numbers zeros(100, 0);
  expect_error(ErrorCode::missing_option, "is 0", [&] { require_percent(certify_loss(zeros, zeros, {-1, 0})); });
}

// The lower bound is the upper one of who swaps the policies, to the bit.
TEST(LossBound, lower_bound_is_that_of_the_gain) {
  const Sample of = sample(1000, -60, 1, 2);
  for (const bool anytime : {false, true}) {
    const LossOptions options{.anytime = anytime};
    const LossBound bound = certify_loss(of.teacher, of.student, {-100, 0}, options),
                    swapped = certify_loss(of.student, of.teacher, {-100, 0}, options);
    EXPECT_EQ(bound.lower_loss, -swapped.upper_loss);
    EXPECT_EQ(bound.upper_loss, -swapped.lower_loss);
  }
  const LossBound estimate = estimate_loss(of.teacher, of.student);
  EXPECT_NEAR(estimate.upper_loss + estimate.lower_loss, 2 * estimate.loss_mean, 1e-12);
}

// A promise without a known end costs something, but not much.
TEST(LossBound, anytime_is_a_little_wider) {
  for (const std::size_t count : {1000, 10000, 100000}) {
    const Sample of = sample(count, -60, 1, 20);
    const LossBound fixed = certify_loss(of.teacher, of.student, {-100, 0}),
                    anytime = certify_loss(of.teacher, of.student, {-100, 0}, {.anytime = true});
    EXPECT_GT(anytime.upper_loss, fixed.upper_loss);
    EXPECT_LT(anytime.upper_loss - 1, 1.35 * (fixed.upper_loss - 1));
    EXPECT_LT(*anytime.upper_percent - 2, 1.35 * (*fixed.upper_percent - 2));
  }
}

TEST(LossBound, a_mean_return_of_zero_gives_no_percentage) {
  const Numbers zeros(100, 0), gains(100, 0.5);
  for (const LossBound& bound :
       {certify_loss(zeros, gains, {0, 1}), certify_loss(zeros, gains, {-1, 1}), estimate_loss(zeros, gains)}) {
    EXPECT_TRUE(std::isnan(bound.loss_percent));
    EXPECT_FALSE(bound.upper_percent);
    EXPECT_EQ(bound.no_percent, "the teacher's mean return is 0");
    EXPECT_EQ(bound.loss_mean, -0.5);
    EXPECT_LT(bound.upper_loss, 0);
  }
}

TEST(LossBound, equal_policies_lose_little_and_more_episodes_promise_less) {
  double before = 1e9;
  for (const std::size_t count : {100, 1000, 10000, 100000}) {
    const Sample of = sample(count, -60, 0, 0);
    const double now = *certify_loss(of.teacher, of.teacher, {-100, 0}).upper_percent;
    EXPECT_GT(now, 0);
    EXPECT_LT(now, before / 5);
    before = now;
  }
  EXPECT_LT(before, 0.02);
}

TEST(LossBound, refuses_what_cannot_be_paired_or_is_out_of_range) {
  expect_error(ErrorCode::shape_mismatch, "cannot be paired", [] {
    certify_loss(Numbers{1, 2, 3}, Numbers{1, 2}, {0, 3});
  });
  expect_error(ErrorCode::out_of_range, "declared range", [] { certify_loss(Numbers{1, 4}, Numbers{1, 2}, {0, 3}); });
  expect_error(ErrorCode::not_finite, "finite bounds", [] {
    certify_loss(Numbers{1, 2}, Numbers{1, 2}, {-INFINITY, 3});
  });
  expect_error(ErrorCode::unknown_name, "betting", [] { parse<LossMethod>("beting"); });
}

TEST(Attempts, spend_no_more_than_there_is) {
  double spent = 0;
  for (std::size_t j = 1; j <= 1000; ++j) spent += 1 - confidence_of_attempt(0.95, j);
  EXPECT_LT(spent, 0.05);
  EXPECT_NEAR(spent, 0.05 * 1000 / 1001, 1e-9);
  expect_error(ErrorCode::out_of_range, "attempt", [] { confidence_of_attempt(0.95, 0); });
}

}  // namespace
}  // namespace mercer
