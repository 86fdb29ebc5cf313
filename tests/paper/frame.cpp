#include "paper/frame.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "io/file.hpp"
#include "mercer/error.hpp"
#include "paper/reproduce.hpp"

namespace mercer::paper {
namespace {

TEST(Frame, ReadsBackToTheSameBits) {
  Frame frame{{"seed", "basis", "value"}};
  frame.add({0.0, "db4", 1.0 / 3});
  frame.add({1.0, "svd", -1e-300});
  const auto file = std::filesystem::path(testing::TempDir()) / "frame.csv";
  write_frame(file, frame);
  const Frame back = read_frame(file);
  EXPECT_EQ(back.columns, frame.columns);
  EXPECT_EQ(back.rows, frame.rows);
  for (const char* word : {"", "a,b", "12", "two\nlines", "nan"}) {
    EXPECT_THROW(Frame{{"word"}}.add({word}), Error) << word;
  }
  EXPECT_THROW(frame.add({1.0}), Error);
  write_atomically(file, [](std::ostream& out) { out << "a,b\n1,2\n3\n"; });
  EXPECT_THROW(read_frame(file), Error);
  std::filesystem::remove(file);
}

TEST(Frame, RowsAreChosenAndSummed) {
  Frame frame{{"k", "basis", "w1"}};
  for (const double k : {1.0, 2.0, 3.0}) {
    frame.add({k, "dft", 2 * k});
    frame.add({k, "svd", 10 * k});
  }
  const Rows dft = Rows(frame).where("basis", "dft");
  EXPECT_EQ(dft.size(), 3u);
  EXPECT_EQ(dft.mean("w1"), 4);
  EXPECT_EQ(dft.sd("w1"), 2);
  EXPECT_EQ(dft.between("k", 2, 3).least("w1"), 4);
  EXPECT_EQ(dft.most("w1"), 6);
  EXPECT_EQ(Rows(frame).words("basis"), (std::vector<std::string>{"dft", "svd"}));
  EXPECT_EQ(Rows(frame).distinct("k"), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(std::isnan(dft.where("k", 7.0).mean("w1")));
  EXPECT_THROW(dft.mean("w2"), Error);
}

TEST(Frame, HasAMeanForEachSeed) {
  Frame frame{{"seed", "w1"}};
  for (const double seed : {1.0, 0.0, 1.0}) frame.add({seed, 10 * seed + static_cast<double>(frame.rows.size())});
  EXPECT_EQ(per_seed(Rows(frame), "w1"), (std::vector<double>{1, 11}));
}

TEST(Frame, IsSplitByEnvironment) {
  Frame several{{"env", "x"}}, one{{"x"}};
  several.add({"pendulum-v0", 1.0});
  several.add({"pendulum", 2.0});
  several.add({"any", 3.0});
  one.add({4.0});
  const Tables own = select_env({{"several", several}, {"one", one}}, "pendulum");
  EXPECT_EQ(Rows(own.at("several")).numbers("x"), (std::vector<double>{2, 3}));
  EXPECT_EQ(Rows(own.at("one")).numbers("x"), (std::vector<double>{4}));
}

TEST(Items, AreNumberedNamedAndFound) {
  const std::vector<Item> all = all_items();
  ASSERT_EQ(all.size(), 20u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].number, i + 1);
    EXPECT_FALSE(all[i].claim.empty() || all[i].open.empty());
  }
  const auto chosen = choose_items({"13", "chain", "10"});
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].id, "chain");
  EXPECT_EQ(choose_items({}).size(), 20u);
  try {
    choose_items({"chian"});
    ADD_FAILURE();
  } catch (const Error& trouble) {
    EXPECT_NE(std::string(trouble.what()).find("chain"), std::string::npos);
  }
}

}  // namespace
}  // namespace mercer::paper
