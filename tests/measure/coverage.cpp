// How often intervals hold what is in them: 1,000 samples of distributions whose mean is known, at a nominal 95%.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr std::size_t repetitions = 1000;
constexpr double promised = 0.945;

struct Distribution {
  const char* name;
  Range range;
  double mean;
  std::function<double(Random&)> draw;
};

const std::vector<Distribution>& distributions() {
  // A Pareto tail of exponent 1.2 cut off at 1,000: mean = [1.2 / 0.2] (1 - 1000^-0.2) + 1000^-0.2 (the cut mass).
  const double cut = 1000, tail = std::pow(cut, -1.2), heavy = 6 * (1 - std::pow(cut, -0.2)) + cut * tail;
  static const std::vector<Distribution> all{
      {"uniform", {0, 1}, 0.5, [](Random& random) { return random.uniform(); }},
      {"coin", {0, 1}, 0.5, [](Random& random) { return random.uniform() < 0.5 ? 0.0 : 1.0; }},
      {"rare disaster", {-1, 0}, -0.005, [](Random& random) { return random.uniform() < 0.005 ? -1.0 : 0.0; }},
      {"rare loss", {0, 1}, 0.005, [](Random& random) { return random.uniform() < 0.005 ? 1.0 : 0.0; }},
      {"heavy tail",
       {0, cut},
       heavy,
       [cut](Random& random) { return std::min(std::pow(1 - random.uniform(), -1 / 1.2), cut); }},
  };
  return all;
}

template <class Holds>
double coverage(const Distribution& of, std::size_t count, Holds holds) {
  std::size_t held = 0;
  std::vector<double> x(count);
  for (std::size_t r = 0; r < repetitions; ++r) {
    Random random({7, Stage::task, r, 0});
    for (double& value : x) value = of.draw(random);
    held += holds(x) ? 1 : 0;
  }
  return static_cast<double>(held) / repetitions;
}

using Interval = Range (*)(std::span<const double>, Range, double, Sides);

Range by_betting(std::span<const double> x, Range range, double delta, Sides sides) {
  return betting_interval(x, range, delta, sides);
}

TEST(Coverage, of_the_guaranteed_intervals_is_what_they_promise) {
  const std::pair<const char*, Interval> intervals[] = {{"hoeffding", hoeffding_interval},
                                                        {"empirical bernstein", empirical_bernstein_interval},
                                                        {"predictable bernstein", predictable_bernstein_interval},
                                                        {"betting", by_betting}};
  for (const auto& [name, interval] : intervals) {
    for (const Distribution& of : distributions()) {
      for (const Sides sides : {Sides::two, Sides::lower, Sides::upper}) {
        double width = 0;
        const double found = coverage(of, 200, [&, interval = interval](const std::vector<double>& x) {
          const Range range = interval(x, of.range, 0.05, sides);
          if (sides == Sides::two) width += range.width() / of.range.width() / repetitions;
          return range.low <= of.mean && of.mean <= range.high;
        });
        EXPECT_GE(found, promised) << name << ", " << of.name;
        if (sides == Sides::two) {
          std::cout << name << ", " << of.name << ": " << 100 * found << "%, width " << width << " of the range\n";
        }
      }
    }
  }
}

TEST(Coverage, betting_is_narrower_than_predictable_bernstein) {
  for (const Distribution& of : distributions()) {
    double bets = 0, bernstein = 0;
    coverage(of, 200, [&](const std::vector<double>& x) {
      bets += betting_interval(x, of.range, 0.05).width();
      bernstein += predictable_bernstein_interval(x, of.range, 0.05).width();
      return true;
    });
    EXPECT_LT(bets, bernstein) << of.name;
  }
}

TEST(Coverage, of_clopper_and_pearson_is_what_it_promises) {
  for (const double p : {0.001, 0.01, 0.3, 0.5, 0.99}) {
    for (const Sides sides : {Sides::two, Sides::upper}) {
      const Distribution of{"coin", {0, 1}, p, [p](Random& random) { return random.uniform() < p ? 1.0 : 0.0; }};
      const double found = coverage(of, 150, [&](const std::vector<double>& x) {
        std::size_t hits = 0;
        for (const double value : x) hits += value > 0 ? 1 : 0;
        const Range range = clopper_pearson_interval(hits, x.size(), 0.05, sides);
        return range.low <= p && p <= range.high;
      });
      EXPECT_GE(found, promised) << p;
    }
  }
}

// No guarantee: with rare events most samples have seen none, and the interval is a point at the wrong place.
TEST(Coverage, of_student_falls_short_with_rare_events_and_only_then) {
  const auto student = [](const Distribution& of) {
    return coverage(of, 200, [&](const std::vector<double>& x) {
      const Range range = student_t_interval(x, 0.05);
      return range.low <= of.mean && of.mean <= range.high;
    });
  };
  EXPECT_NEAR(student(distributions()[0]), 0.95, 0.02);
  EXPECT_LT(student(distributions()[2]), 0.7);
  EXPECT_LT(student(distributions()[4]), 0.9);
}

// Pairs of returns: the student loses much in few episodes, a little in all.
struct Pairs {
  const char* name;
  Range range;
  double loss, teacher;  // true means
  std::function<std::pair<double, double>(Random&)> draw;
};

std::vector<Pairs> pairs() {
  const auto negative = [](Random& random) {
    const double g = -10 - 40 * random.uniform();
    return std::pair{g, random.uniform() < 0.01 ? -400.0 : g - 0.6 * random.uniform()};
  };
  const auto positive = [](Random& random) {
    const double g = 60 + 40 * random.uniform();
    return std::pair{g, random.uniform() < 0.02 ? 0.0 : g};
  };
  const auto mixed = [](Random& random) {
    const double g = 90 + 3 * random.uniform();
    return std::pair{g, random.uniform() < 0.02 ? -90.0 : g - 0.5};
  };
  const auto better = [](Random& random) {
    const double g = -100 * random.uniform();
    return std::pair{g, 0.9 * g};
  };
  return {{"negative", {-400, 0}, 0.01 * 370 + 0.99 * 0.3, -30, negative},
          {"positive", {0, 100}, 0.02 * 80, 80, positive},
          {"both signs", {-100, 100}, 0.02 * 181.5 + 0.98 * 0.5, 91.5, mixed},
          {"better", {-100, 0}, -5, -50, better}};
}

TEST(Coverage, of_bounds_on_losses_is_what_they_promise) {
  for (const Pairs& of : pairs()) {
    for (const LossMethod method : {LossMethod::betting, LossMethod::predictable_bernstein,
                                    LossMethod::empirical_bernstein, LossMethod::hoeffding}) {
      const double share = 100 * of.loss / std::abs(of.teacher);
      std::vector<double> teacher(2000), student(2000);
      std::size_t held = 0, held_percent = 0;
      double percent = 0, told = 0;
      const std::size_t times = method == LossMethod::betting ? repetitions : 200;
      for (std::size_t r = 0; r < times; ++r) {
        Random random({8, Stage::task, r, 0});
        for (std::size_t i = 0; i < teacher.size(); ++i) std::tie(teacher[i], student[i]) = of.draw(random);
        const LossBound bound = certify_loss(teacher, student, of.range, {.method = method});
        held += bound.upper_loss >= of.loss ? 1 : 0;
        held_percent += !bound.upper_percent || *bound.upper_percent >= share ? 1 : 0;
        percent += bound.upper_percent.value_or(0);
        told += bound.upper_percent ? 1 : 0;
      }
      EXPECT_GE(static_cast<double>(held), promised * static_cast<double>(times)) << of.name;
      EXPECT_GE(static_cast<double>(held_percent), promised * static_cast<double>(times)) << of.name;
      EXPECT_GT(told, 0) << of.name;
      std::cout << of.name << ", " << name(method) << ": true " << share << "%, mean promise " << percent / told
                << "%\n";
    }
  }
}

}  // namespace
}  // namespace mercer
