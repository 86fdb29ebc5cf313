#include "core/phases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "mercer/random.hpp"

namespace mercer {
namespace {

// Work of phases on a clock that is moved by hand: what the bar says of the time left, next to what is left.
struct SimulatedWork {
  double now = 0;
  std::string stage;
  double share = -1;
  Progress outer{[this](std::string_view name, double fraction) {
                   stage = name;
                   share = fraction;
                 },
                 {}};
  SecondsClock clock = [this] { return now; };
  TimeLeft left{clock};

  // One part of `seconds`, with a report after each percent; `seen` is called after each.
  template <class Seen>
  void part(Phases& phases, Phases::Place phase, double cost, double seconds, const Seen& seen) {
    phases.begin(phase, cost);
    for (int percent = 1; percent <= 100; ++percent) {
      now += seconds / 100;
      phases.inner().report("rollout", percent / 100.0);
      seen();
    }
  }
};

TEST(Phases, one_bar_knows_the_time_left_of_work_whose_costs_are_right) {
  SimulatedWork work;
  Phases phases(work.outer, {{"teacher plays", 300}, {"", 100}, {"measure", 600}}, work.clock);
  const double whole = 50;
  const auto exact = [&] {
    EXPECT_NEAR(work.share, work.now / whole, 1e-9) << work.stage;
    EXPECT_NEAR(work.left.at(work.share).value_or(-1), whole - work.now, 1e-6);
  };
  work.part(phases, 0, 300, 15, exact);
  EXPECT_EQ(work.stage, "teacher plays");
  work.part(phases, 1, 100, 5, exact);
  EXPECT_EQ(work.stage, "rollout") << "a phase without a name is called what its parts call themselves";
  work.part(phases, 2, 200, 10, exact);
  work.part(phases, 2, 400, 20, exact);
  EXPECT_EQ(work.stage, "measure");
  EXPECT_NEAR(work.share, 1, 1e-9);
}

// A unit of one phase takes at most twice as long as one of another: then so wrong is what is said of a phase that has
// not begun, and of all together less.
TEST(Phases, after_a_quarter_the_time_left_is_within_twice) {
  double most = 1, least = 1;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Random draw({11, Stage::action, i, 0});
    const auto count = static_cast<std::size_t>(1 + 4 * draw.uniform());
    std::vector<Phases::Phase> plan;
    std::vector<double> seconds;
    double whole = 0;
    for (std::size_t p = 0; p < count; ++p) {
      plan.push_back({"phase", 1 + 99 * draw.uniform()});
      seconds.push_back(plan.back().cost * std::exp2(draw.uniform()));
      whole += seconds.back();
    }
    SimulatedWork work;
    Phases phases(work.outer, plan, work.clock);
    for (std::size_t p = 0; p < count; ++p) {
      work.part(phases, p, plan[p].cost, seconds[p], [&] {
        const double rest = whole - work.now;
        if (work.now < whole / 4 || rest < 1e-6 * whole) return;
        const double ratio = work.left.at(work.share).value_or(0) / rest;
        most = std::max(most, ratio);
        least = std::min(least, ratio);
      });
    }
  }
  std::printf("time left after a quarter: %.3f to %.3f times what it took; 0.5 to 2 are allowed\n", least, most);
  EXPECT_LE(most, 2);
  EXPECT_GE(least, 0.5);
}

TEST(Phases, phases_that_take_turns_are_each_as_slow_as_they_were) {
  SimulatedWork work;
  Phases phases(work.outer, {{"teacher plays", 1000}, {"embedding plays", 1000}}, work.clock);
  const double teacher = 0.2, embedding = 0.01, whole = 1000 * (teacher + embedding);  // seconds an episode
  const auto nothing = [] {};
  work.part(phases, 0, 100, 100 * teacher, nothing);
  work.part(phases, 1, 100, 100 * embedding, nothing);
  const auto exact = [&] { EXPECT_NEAR(work.left.at(work.share).value_or(-1), whole - work.now, 1e-6); };
  exact();
  work.part(phases, 0, 900, 900 * teacher, exact);
  work.part(phases, 1, 900, 900 * embedding, exact);
}

TEST(Phases, nothing_is_said_before_anything_is_known) {
  SimulatedWork work;
  Phases phases(work.outer, {{"certify", 100}}, work.clock);
  work.now = 3;
  phases.inner().report("rollout", 0.5);  // of no part: a pilot
  EXPECT_EQ(work.share, 0);
  EXPECT_FALSE(work.left.at(work.share));
  phases.begin(0, 50);
  phases.inner().report("rollout", 0);
  EXPECT_EQ(work.share, 0);
  work.now = 4;
  phases.inner().report("rollout", 0.5);
  EXPECT_NEAR(work.share, 4 / (4 + 3.0), 1e-12) << "25 of 100 took a second";
  phases.expect(0, 50);
  phases.inner().report("rollout", 0.5);
  EXPECT_NEAR(work.share, 4 / (4 + 1.0), 1e-12) << "less is to be done than was thought";
}

TEST(Phases, work_that_nobody_watches_is_done_all_the_same) {
  const Progress alone;
  Phases phases(alone, {{"a"}, {"b"}});
  phases.begin(1);
  EXPECT_FALSE(phases.inner().report);
}

}  // namespace
}  // namespace mercer
