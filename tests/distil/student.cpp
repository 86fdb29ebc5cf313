#include "distil/student.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/number_codes.hpp"
#include "support/plain_task.hpp"

namespace mercer::distil {
namespace {

constexpr double unbounded = HUGE_VAL;

Task task_of(std::size_t observations, std::size_t actions, bool discrete) {
  Space action;
  if (discrete) {
    action.count = actions;
    action.axes.push_back({"a", {0, static_cast<double>(actions - 1)}, "", false});
  }
  for (std::size_t d = 0; !discrete && d < actions; ++d) {
    action.axes.push_back({fmt::format("a{}", d), {-1.0 - static_cast<double>(d), 3}, "", false});
  }
  Task task = plain_task(observations, std::move(action));
  for (std::size_t d = 0; d < observations; d += 2) task.observation.axes[d].range = {-unbounded, unbounded};
  return task;
}

Student random_student(const Task& task, std::size_t ridges, bool linear, std::uint64_t seed,
                       Squash squash = Squash::tanh) {
  Random random({seed, Stage::simulate, 0, 0});
  Student student{shape_for(task, ridges, linear, squash), {}, {}};
  for (const Axis& axis : task.observation.axes) {
    student.scale.coordinates.push_back({std::isfinite(axis.range.low) ? axis.range : Range{-8, 8}});
    student.scale.reach.push_back(static_cast<float>(std::exp2(std::floor(4 * random.uniform()))));
  }
  student.numbers.resize(student.shape.size());
  for (float& number : student.numbers) number = static_cast<float>(std::exp(0.7 * random.normal()) * random.normal());
  return student;
}

std::vector<double> random_observations(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Random random({seed, Stage::simulate, 1, 0});
  std::vector<double> out(rows * columns);
  for (double& number : out) number = 3 * random.normal();
  return out;
}

struct Case {
  std::size_t observations, ridges, actions;
  bool linear, discrete;
  Squash squash = Squash::tanh;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.observations << "x" << one.ridges << "x" << one.actions << (one.linear ? " linear" : "")
       << (one.discrete ? " discrete" : "") << (one.squash == Squash::none ? " clip" : "");
}

class StudentCode : public testing::TestWithParam<Case> {};

// What is played from the payload's bytes is what was rounded in the loop.
TEST_P(StudentCode, plays_the_rounded_student) {
  const Case& one = GetParam();
  const Task task = task_of(one.observations, one.actions, one.discrete);
  for (const unsigned bits : {4U, 5U, 6U, 7U, 8U}) {
    const Student student = random_student(task, one.ridges, one.linear, bits, one.squash);
    const Rounding rounding = fitting_rounding(student, {bits, bits});
    const auto embedding = ContinuousEmbedding::make(code_of(student, task, rounding), contract_of(task), "student");
    Student played = student;
    played.numbers = rounded(student, rounding);
    const auto policy = policy_of(played, task);
    constexpr std::size_t columns = 50;
    const std::vector<double> states = random_observations(one.observations, columns, bits);
    const MatrixView<const double> view(states.data(), one.observations, columns);
    const std::size_t rows = task.action.dimensions();
    std::vector<double> first(rows * columns), second(first.size());
    policy->mean_action(view, {first.data(), rows, columns});
    embedding.policy().mean_action(view, {second.data(), rows, columns});
    std::size_t different = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (one.discrete) {
        different += first[i] != second[i] ? 1 : 0;
      } else {
        // Single precision of 17 sums of up to 100 behind 32 coefficients.
        EXPECT_NEAR(first[i], second[i], 1e-4) << bits << " bits";
      }
    }
    EXPECT_EQ(different, 0U) << bits << " bits";
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, StudentCode,
                         testing::Values(Case{5, 7, 2, false, false}, Case{8, 0, 2, true, false},
                                         Case{8, 3, 2, true, false, Squash::none}, Case{17, 32, 6, false, false},
                                         Case{8, 4, 4, true, true}, Case{6, 0, 3, true, true}));

TEST(Quantise, no_unit_within_reach_has_a_smaller_error) {
  const Task task = task_of(6, 3, false);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Student student = random_student(task, 5, true, seed);
    const RidgeShape& s = student.shape;
    const Rounding q = fitting_rounding(student, {5, 5});
    const std::vector<int> integers = integers_of(student, q);
    const Vector<float> numbers = rounded(student, q);
    constexpr int most = 15;
    // Of one row of ridges, by the payload's measure.
    const auto error = [&](Index begin, Index size, Index directions, double unit) {
      double sum = 0;
      for (Index i = 0; i < size; ++i) {
        const double value =
            student.numbers[begin + i] * (i < directions ? student.scale.reach[static_cast<std::size_t>(i)] : 1.0F);
        const double off = value - unit * std::clamp(std::nearbyint(value / unit), -1.0 * most, 1.0 * most);
        sum += off * off;
      }
      return sum;
    };
    const double unit = from_log_scale(q.unit);
    for (Index r = 0; r < s.ridges; ++r) {
      const double own = std::ldexp(unit, -q.halvings[static_cast<std::size_t>(r)]);
      const double found = error(r * s.ridge_row(), s.ridge_row(), s.observations, own);
      for (int halvings = 0; halvings <= 7; ++halvings) {
        EXPECT_GE(error(r * s.ridge_row(), s.ridge_row(), s.observations, std::ldexp(unit, -halvings)),
                  found * (1 - 1e-9))
            << "ridge " << r << ", " << halvings << " halvings";
      }
      for (Index i = 0; i < s.ridge_row(); ++i) {
        const int whole = integers[static_cast<std::size_t>(r * s.ridge_row() + i)];
        EXPECT_LE(std::abs(whole), most);
        EXPECT_FLOAT_EQ(numbers[r * s.ridge_row() + i] *
                            (i < s.observations ? student.scale.reach[static_cast<std::size_t>(i)] : 1.0F),
                        static_cast<float>(whole * own));
      }
    }
    for (Index o = 0; o < s.outputs; ++o) {
      const Index begin = s.output_begin() + o * s.output_row();
      const double own = from_log_scale(q.scales[static_cast<std::size_t>(2 * o + 1)]);
      double off = 0;
      for (Index r = 0; r < s.ridges; ++r) {
        off += std::pow(numbers[begin + r] - student.numbers[begin + r], 2);
      }
      EXPECT_NEAR(off, error(begin, s.ridges, 0, own), 1e-5);
    }
  }
}

// Rounding a rounded student changes nothing.
TEST(Quantise, a_student_on_the_grid_stays) {
  const Task task = task_of(6, 3, false);
  const Student student = random_student(task, 5, false, 3);
  const Rounding rounding = fitting_rounding(student, {6, 7});
  const Vector<float> once = rounded(student, rounding);
  EXPECT_EQ(rounded({student.shape, student.scale, once}, rounding), once);
}

TEST(StudentPolicy, draws_around_its_mean) {
  const Task task = task_of(4, 2, false);
  const Student student = random_student(task, 3, false, 8);
  const auto policy = policy_of(student, task, 0.1);
  const std::vector<double> state = random_observations(4, 1, 5);
  std::vector<double> mean(2);
  policy->mean_action({state.data(), 4, 1}, {mean.data(), 2, 1});
  double sum = 0;
  constexpr int draws = 400;
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t item = static_cast<std::uint64_t>(i);
    std::vector<double> action(2);
    policy->sample({state.data(), 4, 1}, {7, Stage::action, 0, std::span(&item, 1)}, {action.data(), 2, 1});
    sum += std::abs(action[1] - mean[1]);
    EXPECT_LE(action[1], 3);
    EXPECT_GE(action[1], -2);
  }
  EXPECT_GT(sum / draws, 0.01);
  EXPECT_LT(sum / draws, 0.3);
}

// Ranges are [-1, 3] and [-2, 3], so that 2.9 is 0.95 and 0.96 of the half range.
TEST(SquashLike, follows_the_contract_or_what_was_played) {
  const Task task = task_of(2, 2, false);
  const std::vector<double> bent{0, 0, 2.9, 1, 0.5, -1.9}, cut{0, 0, 2.9, 3}, small{0, 0, 2.5, 0.1};
  for (const auto& played : {bent, cut, small}) EXPECT_EQ(squash_like(Squash::tanh, task, played), Squash::tanh);
  EXPECT_EQ(squash_like(Squash::none, task, bent), Squash::tanh);
  EXPECT_EQ(squash_like(Squash::none, task, cut), Squash::none);
  EXPECT_EQ(squash_like(Squash::none, task, small), Squash::none);
  EXPECT_EQ(squash_like(Squash::none, task_of(2, 3, true), bent), Squash::none);
}

}  // namespace
}  // namespace mercer::distil
