#include "mercer/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Triple = std::tuple<std::size_t, std::size_t, std::size_t>;

std::vector<Triple> blocks_seen(std::size_t items, std::size_t block_size) {
  std::mutex mutex;
  std::vector<Triple> seen;
  for_each_block(items, block_size, [&](Block block) {
    const std::scoped_lock lock(mutex);
    seen.emplace_back(block.index, block.begin, block.end);
  });
  std::sort(seen.begin(), seen.end());
  return seen;
}

// What the header promises, written as a plain loop.
std::vector<Triple> blocks_expected(std::size_t items, std::size_t block_size) {
  std::vector<Triple> blocks;
  for (std::size_t begin = 0; begin < items; begin += block_size) {
    blocks.emplace_back(blocks.size(), begin, std::min(items, begin + block_size));
  }
  return blocks;
}

TEST(ForEachBlock, blocks_are_the_same_for_any_number_of_threads) {
  for (const std::size_t threads : {1, 2, 3, 0}) {
    const ThreadLimit limit(threads);
    for (const std::size_t items : {0, 1, 2, 3, 16, 17, 63, 64, 65, 1000}) {
      for (const std::size_t size : {1, 2, 3, 7, 16, 64, 999, 1000, 5000}) {
        ASSERT_EQ(blocks_seen(items, size), blocks_expected(items, size)) << items << " by " << size;
      }
    }
  }
}

TEST(ForEachBlock, visits_every_item_exactly_once) {
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    for (const std::size_t items : {1, 10, 257, 4096, 10007}) {
      for (const std::size_t size : {1, 3, 256, 20000}) {
        std::vector<std::atomic<int>> visits(items);
        for_each_block(items, size, [&](Block block) {
          for (std::size_t i = block.begin; i < block.end; ++i) ++visits[i];
        });
        for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(visits[i], 1) << "item " << i << " of " << items;
      }
    }
  }
}

TEST(ForEachBlock, takes_block_sizes_at_the_ends_of_their_type) {
  EXPECT_EQ(blocks_seen(5, SIZE_MAX), blocks_expected(5, 5));
  EXPECT_EQ(blocks_seen(5, SIZE_MAX - 3), blocks_expected(5, 5));
  EXPECT_EQ(blocks_seen(5, 0), blocks_expected(5, 1));  // no block can be empty: zero counts as one
}

TEST(ForEachBlock, tells_the_earliest_failure_on_any_number_of_threads) {
  for (const std::size_t threads : {1, 2, 8}) {
    const ThreadLimit limit(threads);
    for (int round = 0; round < 50; ++round) {
      try {
        for_each_block(64, 1, [](Block block) {
          if (block.index >= 5) throw std::runtime_error(std::to_string(block.index));
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& trouble) {
        EXPECT_STREQ(trouble.what(), "5");
      }
    }
  }
}

TEST(ForEachBlock, rethrows_what_a_body_throws) {
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    expect_error(ErrorCode::bad_value, "block 3", [] {
      for_each_block(100, 10, [](Block block) {
        if (block.index == 3) throw Error(ErrorCode::bad_value, "block 3", "Leave it out");
      });
    });
  }
}

TEST(ForEachBlock, works_again_after_an_error) {
  EXPECT_THROW(for_each_block(10, 1, [](Block) { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(blocks_seen(10, 3), blocks_expected(10, 3));
}

TEST(ThreadLimit, one_thread_means_the_caller_alone) {
  const ThreadLimit limit(1);
  std::set<std::thread::id> threads;  // no lock: with one thread there is nothing to race with
  for_each_block(1000, 1, [&](Block) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

TEST(ThreadLimit, bounds_the_count_while_it_lives) {
  const std::size_t all = thread_count();
  EXPECT_GE(all, 1U);
  {
    const ThreadLimit one(1);
    EXPECT_EQ(thread_count(), 1U);
    const ThreadLimit more(2);  // the tighter of two limits holds
    EXPECT_EQ(thread_count(), 1U);
  }
  {
    const ThreadLimit two(2);
    EXPECT_EQ(thread_count(), std::min<std::size_t>(2, all));
  }
  {
    const ThreadLimit most(1024);
    EXPECT_EQ(thread_count(), all);  // a machine's cores are not exceeded
    const ThreadLimit none(0);
    EXPECT_EQ(thread_count(), all);
  }
  EXPECT_EQ(thread_count(), all);
}

TEST(ThreadLimit, refuses_more_than_1024) {
  EXPECT_NO_THROW(ThreadLimit(1024));
  expect_error(ErrorCode::out_of_range, "threads is 1025; legal: 0 to 1024", [] { ThreadLimit(1025); });
}

}  // namespace
}  // namespace mercer
