#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <vector>

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
  const auto gone = [] { return true; };
  const auto first = limit.take("a");
  {
    const auto second = limit.take("b");
    EXPECT_TRUE(first && second);
    EXPECT_FALSE(limit.take("c", gone));
  }
  EXPECT_TRUE(limit.take("c", gone));
}

TEST(WorkLimit, nobody_waits_longer_than_work_may_take) {
  WorkLimit limit(1, 50ms);
  const auto first = limit.take("");
  EXPECT_FALSE(limit.take(""));
}

// Many threads at once: never more than there are places, all of them get one, and with a single place each in its
// turn.
void expect_a_queue(int places) {
  constexpr int threads = 8;
  WorkLimit limit(static_cast<std::size_t>(places), 1h);
  std::vector<std::unique_ptr<WorkLimit::Place>> held;
  for (int i = 0; i < places; ++i) held.push_back(limit.take(""));
  std::vector<std::atomic<bool>> asked(threads);
  std::atomic<int> at_once = 0, most = 0;
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      const auto place = limit.take("", [&own = asked[static_cast<std::size_t>(i)]] {
        own = true;
        own.notify_all();
        return false;
      });
      ASSERT_TRUE(place);
      const int now = ++at_once;
      for (int before = most; before < now && !most.compare_exchange_weak(before, now);) continue;
      {
        const std::lock_guard lock(mutex);
        order.push_back(i);
      }
      std::this_thread::sleep_for(5ms);
      --at_once;
    });
    asked[static_cast<std::size_t>(i)].wait(false);  // it stands in the queue now
  }
  held.clear();
  all.clear();
  ASSERT_EQ(order.size(), static_cast<std::size_t>(threads));
  EXPECT_LE(most, places);
  EXPECT_TRUE(places > 1 || std::ranges::is_sorted(order));
}

TEST(WorkLimit, who_waits_gets_a_place_in_turn) {
  expect_a_queue(1);
  expect_a_queue(3);
}

TEST(WorkLimit, who_waits_can_be_stopped_too) {
  WorkLimit limit(1, 1h);
  const auto first = limit.take("first");
  std::unique_ptr<WorkLimit::Place> second;
  std::atomic<bool> waits = false;
  std::thread waiting([&] { second = limit.take("second", [&] { return waits = true, waits.notify_all(), false; }); });
  waits.wait(false);
  EXPECT_TRUE(limit.stop("second"));
  waiting.join();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->stop().stop_requested());
  EXPECT_FALSE(first->stop().stop_requested());
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
