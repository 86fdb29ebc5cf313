#include <cmath>
#include <iostream>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

using Values = std::vector<double>;

Values projected(Values row, SimplexRule rule) {
  project_rows({row.data(), 1, row.size()}, rule);
  return row;
}

// golden/theory/simplex.json, from an independent program.
TEST(Simplex, equals_the_reference) {
  const nlohmann::json document = read_golden("theory/simplex.json").at("cases");
  for (const nlohmann::json& golden : document) {
    const auto row = golden.at("g").get<Values>();
    EXPECT_LT(largest_difference(projected(row, SimplexRule::clip), golden.at("clip").get<Values>()), 1e-12);
    EXPECT_LT(largest_difference(projected(row, SimplexRule::euclidean), golden.at("euclid").get<Values>()), 1e-12);
    EXPECT_LT(largest_difference(projected(row, SimplexRule::softmax), golden.at("softmax").get<Values>()), 1e-12);
  }
}

TEST(Simplex, distributions_stay_as_they_are_but_not_under_softmax) {
  const Values row{0, 0.25, 0.75};
  EXPECT_EQ(projected(row, SimplexRule::clip), row);
  EXPECT_LT(largest_difference(projected(row, SimplexRule::euclidean), row), 1e-15);
  // softmax((1, 0)) = (0.731, 0.269)
  EXPECT_NEAR(projected({1, 0}, SimplexRule::softmax)[0], 0.7310585786300049, 1e-15);
}

// The twin takes logarithms as the definition has them, and softmax brings the floored row back.
TEST(Simplex, logits_come_back_through_softmax) {
  const Values row{0.5, 0.3, 0.2 - 1e-9, 1e-9};
  Values logits = row;
  logits_of_rows({logits.data(), 1, 4});
  EXPECT_NEAR(logits[0] - logits[1], std::log(0.5 / 0.3), 1e-14);
  EXPECT_NEAR(logits[0] - logits[3], -std::log(smallest_odds), 1e-12) << "the floor";
  EXPECT_NEAR(logits[0] + logits[1] + logits[2] + logits[3], 0, 1e-13);
  const Values back = projected(logits, SimplexRule::softmax);
  const double floor = smallest_odds * 0.5, whole = 1 - 1e-9 + floor;
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(back[a], row[a] / whole, 1e-14);
  EXPECT_NEAR(back[3], floor / whole, 1e-14);
}

TEST(Simplex, logits_lose_at_most_what_the_floor_holds) {
  Random random({7, Stage::feature, 0, 0});
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    Values row(2 + random.bits() % 20);
    double sum = 0;
    for (double& p : row) sum += p = std::exp(8 * random.normal());
    for (double& p : row) p /= sum;
    Values logits = row;
    logits_of_rows({logits.data(), 1, row.size()});
    const Values back = projected(logits, SimplexRule::softmax);
    double apart = 0;
    for (std::size_t a = 0; a < row.size(); ++a) apart += std::abs(back[a] - row[a]) / 2;
    const double most = static_cast<double>(row.size()) * smallest_odds;
    ASSERT_LE(apart, most + 1e-15);
    worst = std::max(worst, apart / most);
  }
  std::cout << "at most " << worst << " of what is promised\n";
  EXPECT_GT(worst, 0.5) << "or the bound says little";
  Values nothing{0, 0};
  expect_error(ErrorCode::bad_value, "row 0 has no positive entry", [&] { logits_of_rows({nothing.data(), 1, 2}); });
}

TEST(Simplex, rows_with_nothing_positive_become_uniform_and_are_counted) {
  Values rows{-1, -2, 0, 0, 1, 3, -5, 0};
  EXPECT_EQ(project_rows({rows.data(), 4, 2}), 3U);
  EXPECT_EQ(rows, (Values{0.5, 0.5, 0.5, 0.5, 0.25, 0.75, 0.5, 0.5}));
}

// The twin: the nearest point is the one whose threshold, tried for every number of positive entries, is nearest.
TEST(Simplex, euclidean_is_nearest) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Values row = random_table({6}, seed).values;
    double best = HUGE_VAL;
    for (unsigned support = 1; support < 64; ++support) {
      double sum = 0, count = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        if ((support >> i & 1U) == 0) continue;
        sum += row[i];
        ++count;
      }
      Values candidate(6);
      bool feasible = true;
      for (std::size_t i = 0; i < 6; ++i) {
        if ((support >> i & 1U) != 0) candidate[i] = row[i] - (sum - 1) / count;
        feasible = feasible && candidate[i] >= 0;
      }
      if (feasible) best = std::min(best, squared_distance(candidate, row));
    }
    EXPECT_NEAR(squared_distance(projected(row, SimplexRule::euclidean), row), best, 1e-13);
  }
}

TEST(Simplex, extreme_rows_still_become_distributions) {
  for (const SimplexRule rule : {SimplexRule::clip, SimplexRule::euclidean, SimplexRule::softmax}) {
    for (const Values& row :
         {Values{1e308, 1e308, 1e308}, Values{5e-324, 0, -1}, Values{-1e308, 1e308, 0}, Values{1e17, 1e17 + 16, 0}}) {
      double sum = 0;
      for (const double value : projected(row, rule)) {
        EXPECT_GE(value, 0);
        sum += value;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(Simplex, any_number_of_threads_gives_the_same) {
  Table one = random_table({1000, 7}, 1), two = one;
  {
    const ThreadLimit limit(1);
    project_rows(one.matrix(), SimplexRule::euclidean);
  }
  project_rows(two.matrix(), SimplexRule::euclidean);
  EXPECT_EQ(one.values, two.values);
}

TEST(Simplex, a_row_alone_is_projected_as_among_others) {
  for (const SimplexRule rule : {SimplexRule::clip, SimplexRule::euclidean, SimplexRule::softmax}) {
    std::vector<double> rows{0.5, -0.1, 0.4, 0.3, -1, -2, 0, -0.5}, alone = rows;
    const std::size_t uniform = project_rows({rows.data(), 2, 4}, rule);
    const bool first = project_row(std::span(alone).first(4), rule),
               second = project_row(std::span(alone).last(4), rule);
    EXPECT_EQ(alone, rows);
    EXPECT_FALSE(first);
    EXPECT_EQ(second, rule == SimplexRule::clip);
    EXPECT_EQ(uniform, second ? 1 : 0);
  }
  std::vector<double> bad{0.5, NAN};
  expect_error(ErrorCode::not_finite, "cannot become a distribution", [&] { project_row(bad); });
}

TEST(Simplex, bad_input_is_refused) {
  expect_error(ErrorCode::not_finite, "row 0 holds nan", [] { projected({1, NAN}, SimplexRule::clip); });
  expect_error(ErrorCode::shape_mismatch, "without entries", [] { project_rows({nullptr, 2, 0}); });
  EXPECT_EQ(project_rows({nullptr, 0, 3}), 0U);
  EXPECT_EQ(parse<SimplexRule>("euclidean"), SimplexRule::euclidean);
  expect_error(ErrorCode::unknown_name, "Did you mean 'clip'?", [] { parse<SimplexRule>("clop"); });
}

}  // namespace
}  // namespace mercer
