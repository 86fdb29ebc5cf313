#include "certify/grid.hpp"

#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

Task coin_task() {
  const Space line = Space::box({{"x", {-1, 1}}});
  return {"coins", line, line, Space::box({{"a", {-1, 1}}}), {0, 1}, 1, 1, 0, Ending::failure};
}

// One step that pays 1 with a probability that the policy and the parameters set, and whether it does is drawn for each
// policy by itself: the true loss at every point is known.
class CoinPlayer : public BoxPlayer {
 public:
  explicit CoinPlayer(std::vector<Perturbation> box, std::vector<double> values = {}, bool known = true)
      : task_(coin_task()), box_(std::move(box)), values_(std::move(values)), known_(known) {}

  static double chance(const Policy& policy, std::span<const double> values) {
    return policy.name() == "teacher" ? 0.7 : 0.7 - 0.1 * values[0] - 0.02 * values[1];
  }

  const Task& task() const override { return task_; }
  std::vector<Outcome> play(const Policy& policy, const Episodes& episodes, const Progress&) const override {
    std::vector<Outcome> out(episodes.count);
    for (std::size_t e = 0; e < out.size(); ++e) {
      const bool teacher = policy.name() == "teacher";
      Random random({episodes.seed + (teacher ? 0 : 1), Stage::simulate, e,
                     static_cast<std::uint32_t>(100 * values_[0] + values_[1])});
      const bool pays = random.uniform() < chance(policy, values_);
      out[e] = {pays ? 1.0 : 0.0, pays ? 1.0 : 0.0, 1, !pays};
      out[e].motion.roughness = teacher ? 0.25 : 0.5;
    }
    return out;
  }
  Rollouts roll_out(const Policy&, const Episodes&, const Progress&) const override { return {}; }
  std::optional<Range> return_range(std::uint32_t, double) const override {
    return known_ ? std::optional(Range{0, 1}) : std::nullopt;
  }
  bool parallel() const override { return true; }
  std::span<const Perturbation> box() const override { return box_; }
  std::shared_ptr<const Player> at(std::span<const double> values) const override {
    return std::make_shared<CoinPlayer>(std::vector<Perturbation>{}, std::vector(values.begin(), values.end()), known_);
  }

 private:
  Task task_;
  std::vector<Perturbation> box_;
  std::vector<double> values_;
  bool known_;
};

std::vector<Perturbation> coin_box() {
  return {{{"m", "", 1, {0, 2}}, {0, 2}}, {{"delay", "", 0, {0, 4}, true}, {0, 2}}};
}

FunctionPolicy coin_policy(const char* name) {
  return {name, coin_task(), [](std::span<const double>, double) { return 0.0; }};
}

CertifyOptions coin_options(std::size_t episodes, std::uint64_t seed) {
  CertifyOptions options;
  options.episodes = episodes;
  options.seed = seed;
  options.confidence = 0.9;
  return options;
}

TEST(CertifyGrid, every_point_is_that_of_certify_loss) {
  const CoinPlayer player(coin_box());
  const FunctionPolicy teacher = coin_policy("teacher"), student = coin_policy("student");
  const PerturbedGrid grid = certify_grid(player, teacher, student, 3, coin_options(500, 4), {}, {});
  EXPECT_EQ(grid.names, (std::vector<std::string>{"m", "delay"}));
  EXPECT_EQ(grid.ranges[0].high, 2);
  EXPECT_EQ(grid.episodes, 500);
  EXPECT_EQ(grid.confidence, 0.9);
  ASSERT_EQ(grid.points.size(), 9);
  EXPECT_EQ(grid.points[0].values, (std::vector<double>{1, 0}));  // the nominal point
  Episodes episodes{.count = 500, .seed = Random({4, Stage::search, 6, 0xFFFFFFFF}).bits(), .gamma = 1};
  for (const PerturbedPoint& point : grid.points) {
    const auto there = player.at(point.values);
    const auto first = returns_of(there->play(teacher, episodes, {})),
               second = returns_of(there->play(student, episodes, {}));
    const LossBound bound = certify_loss(first, second, {0, 1}, {.confidence = 1 - 0.1 / 18});
    EXPECT_DOUBLE_EQ(point.upper_return, bound.upper_loss);
    EXPECT_DOUBLE_EQ(*point.upper_percent, *bound.upper_percent);
    EXPECT_DOUBLE_EQ(point.loss_return, bound.loss_mean);
    EXPECT_DOUBLE_EQ(*point.teacher_failures, 1 - point.teacher_return);
    EXPECT_DOUBLE_EQ(*point.failures, 1 - point.teacher_return + point.loss_return);
    EXPECT_EQ(point.motion.teacher.roughness, 0.25);
    EXPECT_EQ(point.motion.embedding.roughness, 0.5);
    EXPECT_LE(*point.upper_percent, *grid.worst().upper_percent);
  }
  EXPECT_EQ(grid.worst().values[0], 2);  // where the student loses most
}

TEST(CertifyGrid, returns_without_a_range_are_cut) {
  const FunctionPolicy teacher = coin_policy("teacher"), student = coin_policy("student");
  const auto options = coin_options(300, 2);
  const PerturbedGrid known = certify_grid(CoinPlayer(coin_box()), teacher, student, 2, options, {}, {});
  const CoinPlayer stranger(coin_box(), {}, false);
  const PerturbedGrid cut = certify_grid(stranger, teacher, student, 2, options, Range{0, 1}, {});
  const PerturbedGrid estimate = certify_grid(stranger, teacher, student, 2, options, {}, {});
  for (std::size_t i = 0; i < known.points.size(); ++i) {
    EXPECT_EQ(cut.points[i].upper_return, known.points[i].upper_return);
    EXPECT_NE(estimate.points[i].upper_return, known.points[i].upper_return);
  }
}

// All bounds of all points hold together with the confidence: repetitions with any miss are at most one in ten, plus
// what 400 repetitions can be off by with probability 1e-6 (4.75 standard errors).
TEST(CertifyGrid, bounds_hold_together) {
  const CoinPlayer player(coin_box());
  const FunctionPolicy teacher = coin_policy("teacher"), student = coin_policy("student");
  std::size_t missed = 0, tight = 0;
  constexpr std::size_t repetitions = 400;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const PerturbedGrid grid = certify_grid(player, teacher, student, 2, coin_options(100, 1000 + r), {}, {});
    bool miss = false, small = true;
    for (const PerturbedPoint& point : grid.points) {
      const double truth = 0.7 - CoinPlayer::chance(student, point.values);
      miss = miss || truth > point.upper_return || (point.upper_percent && 100 * truth / 0.7 > *point.upper_percent);
      small = small && point.upper_return < truth + 0.4;
    }
    missed += miss;
    tight += small;
  }
  fmt::print("{} of {} grids have a bound that fails; 10% may\n", missed, repetitions);
  EXPECT_LE(missed, repetitions * 0.1 + 4.75 * std::sqrt(repetitions * 0.1 * 0.9));
  EXPECT_GE(tight, repetitions / 2);  // not by promising nothing
}

}  // namespace
}  // namespace mercer
