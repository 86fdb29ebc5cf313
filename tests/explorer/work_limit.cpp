#include <condition_variable>

#include <gtest/gtest.h>

#include "explorer/serve_work.hpp"

namespace {

using namespace std::chrono_literals;

// Whether work is asked to stop before somebody who waits for it gives up.
bool is_stopped(const WorkLimit::Place& place) {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool stopped = false;
  const std::stop_callback when_asked(place.stop(), [&] {
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, 20s, [&] { return stopped; });
}

// The second piece of work comes while the watcher sleeps with nothing to wait for.
TEST(WorkLimit, every_piece_of_work_has_its_time_and_no_more) {
  WorkLimit limit(2, 50ms);
  for (int i = 0; i < 3; ++i) {
    const auto place = limit.take("");
    ASSERT_TRUE(place);
    EXPECT_TRUE(is_stopped(*place)) << "piece " << i;
  }
}

TEST(WorkLimit, places_are_counted_and_given_back) {
  WorkLimit limit(2, 1h);
  const auto first = limit.take("a");
  {
    const auto second = limit.take("b");
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(limit.take("c"));
  }
  EXPECT_TRUE(limit.take("c"));
}

TEST(WorkLimit, work_is_stopped_by_its_name) {
  WorkLimit limit(3, 1h);
  const auto named = limit.take("a"), other = limit.take("b"), nameless = limit.take("");
  EXPECT_FALSE(limit.stop("c"));
  EXPECT_FALSE(limit.stop(""));
  EXPECT_TRUE(limit.stop("a"));
  EXPECT_TRUE(named->stop().stop_requested());
  EXPECT_FALSE(other->stop().stop_requested());
  limit.stop_all();
  EXPECT_TRUE(other->stop().stop_requested() && nameless->stop().stop_requested());
}

}  // namespace
