#include <gtest/gtest.h>

#include "mercer/parallel.hpp"

namespace mercer {
namespace {

TEST(Team, SharesAreWholeBlocksThatCoverEverythingOnce) {
  for (const std::size_t size : {1, 2, 3, 8}) {
    for (const std::size_t items : {0, 1, 15, 16, 17, 1000}) {
      for (const std::size_t block : {1, 16}) {
        std::size_t next = 0;
        for (std::size_t rank = 0; rank < size; ++rank) {
          const Share share = share_of(rank, size, items, block);
          EXPECT_EQ(share.begin, next);
          EXPECT_TRUE(share.begin % block == 0 || share.begin == items);
          next = share.end;
        }
        EXPECT_EQ(next, items);
      }
    }
  }
}

TEST(Team, InsideALoopNothingIsShared) {
  EXPECT_FALSE(inside_block());
  join_team({0, 2, [](const std::string& mine) { return std::vector{mine, mine}; }});
  EXPECT_TRUE(shares_work());
  for_each_block(4, 1, [](Block) { EXPECT_FALSE(shares_work()); });
  std::vector<double> values(4, -1);
  fill_shared(values, [&](Share own) {
    for (std::size_t i = own.begin; i < own.end; ++i) values[i] = static_cast<double>(i);
  });
  EXPECT_EQ(values, (std::vector<double>{0, 1, 0, 1}));  // the other one hands over what it was handed
  join_team({});
  EXPECT_FALSE(shares_work());
}

}  // namespace
}  // namespace mercer
