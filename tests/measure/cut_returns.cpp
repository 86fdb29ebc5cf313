// Returns without bounds: the promises about what is left of them when they are cut, against their true values.
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "measure/special.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

TEST(GenerousRange, is_the_seen_one_and_half_of_it_on_each_side) {
  const Range range = generous_range(Numbers{1, 3}, Numbers{2, 5});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 7);
  const Range of_one = generous_range(Numbers{}, Numbers{-8, -4});
  EXPECT_EQ(of_one.low, -10);
  EXPECT_EQ(of_one.high, -2);
}

TEST(GenerousRange, of_equal_returns_is_half_of_their_size) {
  const Range negative = generous_range(Numbers{-4, -4}, Numbers{-4}), zero = generous_range(Numbers{0}, Numbers{0});
  EXPECT_EQ(negative.low, -6);
  EXPECT_EQ(negative.high, -2);
  EXPECT_EQ(zero.low, -0.5);
  EXPECT_EQ(zero.high, 0.5);
}

TEST(GenerousRange, needs_finite_returns) {
  expect_error(ErrorCode::shape_mismatch, "no returns", [] { generous_range({}, {}); });
  expect_error(ErrorCode::not_finite, "nan", [] { generous_range(Numbers{1}, Numbers{NAN}); });
  expect_error(ErrorCode::not_finite, "inf", [] { generous_range(Numbers{-INFINITY}, Numbers{1}); });
}

TEST(CutTo, moves_what_is_outside_to_the_nearest_end) {
  EXPECT_EQ(cut_to(Numbers{-5, -1, 0.5, 2, 3, INFINITY}, {-1, 2}), (Numbers{-1, -1, 0.5, 2, 2, 2}));
  EXPECT_TRUE(cut_to(Numbers{}, {0, 1}).empty());
}

// Teacher's returns T; the student's are T, or in one of five episodes T less what it loses.
constexpr double lost = 0.8, how_often = 0.2;

struct Unbounded {
  const char* name;
  std::function<double(Random&)> draw;
  std::function<double(double)> below;  // P(T <= x)
  std::function<double(double)> part;   // E[T; T <= x]

  // E[min(max(T, a), b)]
  double cut_mean(double a, double b) const { return a * below(a) + b * (1 - below(b)) + part(b) - part(a); }
};

Unbounded normal() {
  return {"normal", [](Random& random) { return 10 + 3 * random.normal(); },
          [](double x) { return normal_probability((x - 10) / 3); },
          [](double x) {
            const double z = (x - 10) / 3, density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
            return 10 * normal_probability(z) - 3 * density;
          }};
}

Unbounded log_normal() {
  constexpr double sigma = 1.5;
  return {"log-normal", [](Random& random) { return std::exp(sigma * random.normal()); },
          [](double x) { return x > 0 ? normal_probability(std::log(x) / sigma) : 0; },
          [](double x) {
            return x > 0 ? std::exp(sigma * sigma / 2) * normal_probability(std::log(x) / sigma - sigma) : 0;
          }};
}

Unbounded pareto() {
  constexpr double alpha = 1.2;
  return {"Pareto 1.2", [](Random& random) { return std::pow(1 - random.uniform(), -1 / alpha); },
          [](double x) { return x > 1 ? 1 - std::pow(x, -alpha) : 0; },
          [](double x) { return x > 1 ? alpha / (alpha - 1) * (1 - std::pow(x, 1 - alpha)) : 0; }};
}

// Around 20. Drawn by Bailey's polar method.
Unbounded student_t() {
  constexpr double nu = 1.5, centre = 20;
  const auto draw = [](Random& random) {
    while (true) {
      const double u = 2 * random.uniform() - 1, v = 2 * random.uniform() - 1, w = u * u + v * v;
      if (w > 0 && w <= 1) return centre + u * std::sqrt(nu * (std::pow(w, -2 / nu) - 1) / w);
    }
  };
  const auto below = [](double x) {
    const double t = x - centre, tail = incomplete_beta(nu / 2, 0.5, nu / (nu + t * t)) / 2;
    return t < 0 ? tail : 1 - tail;
  };
  const auto part = [below](double x) {
    const double t = x - centre;
    const double scale = std::tgamma((nu + 1) / 2) / (std::sqrt(nu * std::numbers::pi) * std::tgamma(nu / 2));
    return centre * below(x) - scale * nu / (nu - 1) * std::pow(1 + t * t / nu, (1 - nu) / 2);
  };
  return {"Student t 1.5", draw, below, part};
}

const Unbounded unbounded[] = {normal(), log_normal(), pareto(), student_t()};

struct Truth {
  double loss, percent, outside;
};

Truth truth(const Unbounded& of, Range range) {
  const double teacher = of.cut_mean(range.low, range.high);
  const double student =
      (1 - how_often) * teacher + how_often * (of.cut_mean(range.low + lost, range.high + lost) - lost);
  const double outside =
      1 - of.below(range.high) + (1 - how_often) * of.below(range.low) + how_often * of.below(range.low + lost);
  return {teacher - student, 100 * (teacher - student) / std::abs(teacher), outside};
}

struct PlayedPairs {
  Numbers teacher, student;
};

PlayedPairs draw(const Unbounded& of, std::size_t count, std::uint64_t seed, std::uint64_t item) {
  Random random({seed, Stage::simulate, item, 0});
  PlayedPairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.teacher.push_back(of.draw(random));
    pairs.student.push_back(pairs.teacher.back() - (random.uniform() < how_often ? lost : 0));
  }
  return pairs;
}

Numbers outside(const PlayedPairs& pairs, Range range) {
  Numbers either(pairs.teacher.size());
  const auto is_outside = [&](double value) { return value < range.low || value > range.high; };
  for (std::size_t i = 0; i < either.size(); ++i) {
    either[i] = is_outside(pairs.teacher[i]) || is_outside(pairs.student[i]) ? 1 : 0;
  }
  return either;
}

// The formulas above are right: a large sample agrees within five standard errors.
TEST(CutReturns, true_values_are_those_of_a_large_sample) {
  for (const Unbounded& of : unbounded) {
    const Range range{2, 30};
    const PlayedPairs pairs = draw(of, 400000, 1, 0);
    const Numbers teacher = cut_to(pairs.teacher, range), student = cut_to(pairs.student, range);
    Numbers loss(teacher.size());
    for (std::size_t i = 0; i < loss.size(); ++i) loss[i] = teacher[i] - student[i];
    const auto expect = [&](const Numbers& x, double value) {
      const ReturnSummary found = summarise(x);
      EXPECT_NEAR(found.mean, value, 5 * found.std / std::sqrt(4e5)) << of.name;
    };
    expect(teacher, of.cut_mean(2, 30));
    expect(loss, truth(of, range).loss);
    expect(outside(pairs, range), truth(of, range).outside);
  }
}

// Three promises, each at a third of 5%: they must all hold in 94% of the repetitions. Where no percentage can be
// promised, none is broken.
TEST(CutReturns, promises_hold_together_whatever_the_tails) {
  constexpr std::size_t repetitions = 1000;
  constexpr double delta = 0.05 / 3;
  for (const Unbounded& of : unbounded) {
    std::size_t joint = 0, loss = 0, percent = 0, share = 0, given = 0;
    double width = 0, upper = 0, most = 0, lost_cut = 0, out = 0;
    for (std::size_t r = 0; r < repetitions; ++r) {
      const PlayedPairs pilot = draw(of, 200, 2, r), pairs = draw(of, 1000, 3, r);
      const Range range = generous_range(pilot.teacher, pilot.student);
      const LossBound bound =
          certify_loss(cut_to(pairs.teacher, range), cut_to(pairs.student, range), range, {.confidence = 1 - delta});
      const double often = betting_upper(outside(pairs, range), {0, 1}, delta);
      const Truth is = truth(of, range);
      const bool loss_holds = is.loss <= bound.upper_loss, share_holds = is.outside <= often;
      const bool percent_holds = !bound.upper_percent || is.percent <= *bound.upper_percent;
      loss += loss_holds ? 1 : 0;
      percent += percent_holds ? 1 : 0;
      share += share_holds ? 1 : 0;
      joint += loss_holds && percent_holds && share_holds ? 1 : 0;
      given += bound.upper_percent ? 1 : 0;
      width += range.width() / repetitions;
      upper += bound.upper_loss / repetitions;
      lost_cut += is.loss / repetitions;
      most += often / repetitions;
      out += is.outside / repetitions;
    }
    EXPECT_GE(joint, 940U) << of.name;
    EXPECT_LT(upper, width / 4) << of.name;
    EXPECT_LT(most, 0.05) << of.name;
    std::cout << of.name << ": of 1000, all hold " << joint << ", loss " << loss << ", percent " << percent
              << " (given " << given << "), outside " << share << "; means: range " << width << " wide, loss "
              << lost_cut << ", promised " << upper << ", outside " << out << ", promised " << most << "\n";
  }
}

}  // namespace
}  // namespace mercer
