#include <atomic>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

struct Reports {
  std::vector<std::string> stages;
  std::vector<double> fractions;

  Progress sink() {
    return {[this](std::string_view stage, double fraction) {
              stages.emplace_back(stage);
              fractions.push_back(fraction);
            },
            {}};
  }
};

TEST(ProgressCounter, reports_each_whole_percent_once) {
  Reports reports;
  const Progress progress = reports.sink();
  ProgressCounter counter(progress, "rollout", 1000);
  for (int i = 0; i < 1000; ++i) counter.add(1);
  ASSERT_EQ(reports.fractions.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_DOUBLE_EQ(reports.fractions[i], static_cast<double>(i + 1) / 100);
    EXPECT_EQ(reports.stages[i], "rollout");
  }
}

TEST(ProgressCounter, grows_and_ends_at_one_whatever_the_steps) {
  for (const std::uint64_t total : {1U, 2U, 3U, 7U, 99U, 100U, 101U, 12345U}) {
    for (const std::uint64_t step : {1U, 2U, 50U, 20000U}) {
      Reports reports;
      const Progress progress = reports.sink();
      ProgressCounter counter(progress, "s", total);
      for (std::uint64_t done = 0; done < total; done += step) counter.add(std::min(step, total - done));
      ASSERT_FALSE(reports.fractions.empty()) << total << " by " << step;
      EXPECT_EQ(reports.fractions.back(), 1.0) << total << " by " << step;
      for (std::size_t i = 1; i < reports.fractions.size(); ++i) {
        EXPECT_LT(reports.fractions[i - 1], reports.fractions[i]) << total << " by " << step;
      }
    }
  }
}

TEST(ProgressCounter, nothing_to_do_is_all_done) {
  Reports reports;
  const Progress progress = reports.sink();
  ProgressCounter(progress, "s", 0).add(0);
  EXPECT_EQ(reports.fractions, std::vector<double>{1.0});
}

TEST(ProgressCounter, works_without_anyone_listening) {
  const Progress progress;
  ProgressCounter counter(progress, "s", 10);
  EXPECT_NO_THROW(counter.add(10));
}

TEST(ProgressCounter, counts_over_threads_and_never_reports_from_two_at_once) {
  std::atomic<int> inside = 0;
  std::vector<double> fractions;
  const Progress progress{[&](std::string_view, double fraction) {
                            EXPECT_EQ(inside.fetch_add(1), 0);
                            fractions.push_back(fraction);
                            inside.fetch_sub(1);
                          },
                          {}};
  ProgressCounter counter(progress, "s", 5000);
  for_each_block(5000, 7, [&](Block block) { counter.add(block.end - block.begin); });
  ASSERT_FALSE(fractions.empty());
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
}

TEST(ProgressCounter, stop_ends_the_work_with_interrupted) {
  std::stop_source source;
  Reports reports;
  Progress progress = reports.sink();
  progress.stop = source.get_token();
  ProgressCounter counter(progress, "s", 4);
  counter.add(1);
  EXPECT_NO_THROW(progress.check());
  source.request_stop();
  expect_error(ErrorCode::interrupted, "interrupted", [&] { progress.check(); });
  expect_error(ErrorCode::interrupted, "interrupted", [&] { counter.add(1); });
  EXPECT_EQ(reports.fractions, std::vector<double>{0.25});  // the first of four, and nothing after the stop
}

TEST(ProgressCounter, stop_works_without_anyone_listening) {
  std::stop_source source;
  source.request_stop();
  const Progress progress{{}, source.get_token()};
  ProgressCounter counter(progress, "s", 4);
  expect_error(ErrorCode::interrupted, "interrupted", [&] { counter.add(1); });
}

}  // namespace
}  // namespace mercer
