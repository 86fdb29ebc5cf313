// Bounds that hold for all numbers of episodes at once: their capital by brute force, and an adversary who stops when
// the bound is wrong.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

struct Bounded {
  const char* name;
  Range range;
  double mean;
  std::function<double(Random&)> draw;
};

// The least of three uniforms is Beta(1, 3).
std::vector<Bounded> bounded() {
  const auto rare = [](Random& random) { return random.uniform() < 0.02 ? 1.0 : 0.0; };
  const auto beta = [](Random& random) { return std::min({random.uniform(), random.uniform(), random.uniform()}); };
  const auto skewed = [](Random& random) { return random.uniform() < 0.9 ? 0.2 : -1.0; };
  std::vector<double> weights(21);
  double mean = 0, sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double z = static_cast<double>(i) / 4 - 3;
    weights[i] = std::exp(-z * z / 2);
    mean += weights[i] * z;
    sum += weights[i];
  }
  const auto normal = [weights](Random& random) { return static_cast<double>(random.categorical(weights)) / 4 - 3; };
  return {{"rare", {0, 1}, 0.02, rare},
          {"beta", {0, 1}, 0.25, beta},
          {"skewed", {-1, 0.2}, 0.9 * 0.2 - 0.1, skewed},
          {"normal on a grid", {-3, 2}, mean / sum, normal}};
}

Numbers draw(const Bounded& of, std::size_t count, std::uint64_t seed, std::uint64_t item) {
  Random random({seed, Stage::simulate, item, 0});
  Numbers x(count);
  for (double& value : x) value = of.draw(random);
  return x;
}

// ln of the capital after each number by the formula in the header, in long double, without a shortcut.
std::vector<long double> log_capitals(const Numbers& x, Range range, long double u, long double delta) {
  std::vector<long double> logs, capital(3, 1);
  const long double horizons[] = {1e3L, 1e4L, 1e5L};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto t = static_cast<long double>(i + 1);
    long double squares = 0.01L * range.width() * range.width(), before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (j > 0) squares += std::pow(x[j] - before / static_cast<long double>(j), 2.0L);
      before += x[j];
    }
    long double sum = 0;
    for (std::size_t p = 0; p < 3; ++p) {
      const long double bet = std::sqrt(2 * std::log(3 / delta) / (squares / t * std::max(horizons[p], t)));
      capital[p] *= 1 - std::min(bet, 0.9L / (range.high - u)) * (x[i] - u);
      sum += capital[p];
    }
    logs.push_back(std::log(sum / 3));
  }
  return logs;
}

// Below the bound no look finds enough capital, above it one of them does.
TEST(Anytime, bound_is_where_the_capital_of_the_formula_reaches_its_goal) {
  for (const Bounded& of : bounded()) {
    for (const std::size_t count : {1, 7, 31, 32, 33, 150, 1200}) {
      const Numbers x = draw(of, count, 1, count);
      const double bound = betting_upper(x, of.range, 0.05, true), step = 1e-9 * of.range.width();
      const auto refuted = [&](double u) {
        const std::vector<long double> logs = log_capitals(x, of.range, u, 0.05L);
        long double most = logs.back();
        for (std::size_t i = 31; i < logs.size(); i += 32) most = std::max(most, logs[i]);
        return most >= std::log(20.0L);
      };
      EXPECT_FALSE(refuted(bound - step)) << of.name << ", " << count;
      if (bound < of.range.high) {
        EXPECT_TRUE(refuted(bound + step)) << of.name << ", " << count;
      }
    }
  }
}

// What was refuted stays refuted: bounds after batches of 32 numbers never rise.
TEST(Anytime, more_numbers_never_weaken_the_bound) {
  for (const Bounded& of : bounded()) {
    const Numbers x = draw(of, 960, 2, 0);
    double before = of.range.high;
    for (std::size_t count = 32; count <= x.size(); count += 32) {
      const double now = betting_upper(std::span(x).first(count), of.range, 0.05, true);
      EXPECT_LE(now, before) << of.name << ", " << count;
      before = now;
    }
    EXPECT_LT(before, of.range.high);
  }
}

// 1,000 adversaries, of whom 5% may win; with 5% winning, 67 or more would do so in 1% of such tests.
constexpr std::size_t adversaries = 1000, allowed_misses = 66;

TEST(Anytime, holds_for_an_adversary_who_looks_after_every_batch) {
  for (const Bounded& of : bounded()) {
    std::size_t missed = 0;
    for (std::size_t r = 0; r < adversaries; ++r) {
      const Numbers x = draw(of, 1600, 3, r);
      bool below = false;
      for (std::size_t count = 50; count <= x.size() && !below; count *= 2) {
        below = betting_upper(std::span(x).first(count), of.range, 0.05, true) < of.mean;
      }
      missed += below ? 1 : 0;
    }
    EXPECT_LE(missed, allowed_misses) << of.name;
    std::cout << of.name << ": looking after every batch, " << missed << " of 1000 stop below the mean\n";
  }
}

// Whether the bound for some number of episodes is below the mean: there the mean itself is refuted. The bets of the
// first episodes do not depend on how many follow.
bool beaten(const Bounded& of, const Numbers& x) {
  Numbers residuals(x.size()), slope(x.size(), -1);
  double sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) {
    residuals[i] = x[i] - sum / static_cast<double>(i);
    sum += x[i];
  }
  const BettingPlans plans = predictable_bets(residuals, of.range.width(), 0.05, true);
  for (std::size_t count = 1; count <= x.size(); ++count) {
    const AffineSample seen{std::span(x).first(count), std::span(slope).first(count)};
    if (refutes(seen, of.mean, of.range.high - of.mean, plans, 0.05)) return true;
  }
  return false;
}

// Student's interval, which is nearly right for a fixed number of these, shows how strong such an adversary is.
bool student_beaten(const Bounded& of, const Numbers& x) {
  for (std::size_t count = 30; count <= x.size(); count += 10) {
    if (student_t_interval(std::span(x).first(count), 0.05, Sides::upper).high < of.mean) return true;
  }
  return false;
}

TEST(Anytime, holds_for_an_adversary_who_looks_after_every_episode) {
  for (const Bounded& of : bounded()) {
    std::size_t missed = 0, student_missed = 0;
    for (std::size_t r = 0; r < adversaries; ++r) {
      const Numbers x = draw(of, 400, 4, r);
      missed += beaten(of, x) ? 1 : 0;
      student_missed += student_beaten(of, x) ? 1 : 0;
    }
    EXPECT_LE(missed, allowed_misses) << of.name;
    EXPECT_GT(student_missed, allowed_misses) << of.name;
    std::cout << of.name << ": looking after every episode, " << missed << " of 1000 stop below the mean (Student's "
              << "interval: " << student_missed << ")\n";
  }
}

// Paired returns: all three bounds of a loss, by one sign (one test) and by both (two bounds).
TEST(Anytime, bounds_on_losses_hold_for_an_adversary_too) {
  for (const Range range : {Range{-400, 0}, Range{-400, 10}}) {
    std::size_t above = 0, below = 0, percent = 0;
    const double loss = 0.01 * 370 + 0.99 * 0.3, share = 100 * loss / 30;
    for (std::size_t r = 0; r < adversaries; ++r) {
      Random random({5, Stage::simulate, r, 0});
      Numbers teacher(800), student(800);
      for (std::size_t i = 0; i < teacher.size(); ++i) {
        teacher[i] = -10 - 40 * random.uniform();
        student[i] = random.uniform() < 0.01 ? -400.0 : teacher[i] - 0.6 * random.uniform();
      }
      bool lost = false, gained = false, relative = false;
      for (const std::size_t count : {100, 300, 800}) {
        const LossBound bound = certify_loss(std::span(teacher).first(count), std::span(student).first(count), range,
                                             {.confidence = 0.95, .anytime = true});
        lost = lost || bound.upper_loss < loss;
        gained = gained || bound.lower_loss > loss;
        relative = relative || (bound.upper_percent && *bound.upper_percent < share);
      }
      above += gained ? 1 : 0;
      below += lost ? 1 : 0;
      percent += relative ? 1 : 0;
    }
    EXPECT_LE(above, allowed_misses);
    EXPECT_LE(below, allowed_misses);
    EXPECT_LE(percent, allowed_misses);
    std::cout << "returns up to " << range.high << ": of 1000, " << below << " stop below the loss, " << above
              << " above it, " << percent << " below the percentage\n";
  }
}

TEST(Anytime, needs_betting) {
  const Numbers x{1, 2, 3};
  for (const LossMethod method :
       {LossMethod::hoeffding, LossMethod::empirical_bernstein, LossMethod::predictable_bernstein}) {
    expect_error(ErrorCode::bad_value, std::string(name(method)), [&] {
      certify_loss(x, x, {0, 4}, {.method = method, .anytime = true});
    });
  }
}

}  // namespace
}  // namespace mercer
