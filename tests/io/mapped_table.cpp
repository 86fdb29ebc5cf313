#include "mercer/io/mapped_table.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

class MappedTableTest : public testing::Test {
 protected:
  fs::path folder = fs::path(testing::TempDir()) / "mapped_table_test";
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
};

template <class Make>
ErrorCode code_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::bad_value;
}

TEST_F(MappedTableTest, HoldsWhatIsWrittenAndLeavesNoFile) {
  MappedTable table(folder, 1000, 7);
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_EQ(table.bytes(), 28000U);
  for (const float value : table.values()) ASSERT_EQ(value, 0);
  for (std::size_t r = 0; r < 1000; r += 10) {
    const std::span<float> rows = table.block(r, r + 10);
    ASSERT_EQ(rows.size(), 70U);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(r * 7 + i);
  }
  MappedTable moved = std::move(table);
  for (std::size_t i = 0; i < 7000; ++i) ASSERT_EQ(moved.values()[i], static_cast<float>(i));
  EXPECT_EQ(moved.rows(), 1000U);
  EXPECT_EQ(moved.columns(), 7U);
}

TEST_F(MappedTableTest, MayBeEmpty) {
  const MappedTable table(folder, 0, 64);
  EXPECT_TRUE(table.values().empty());
}

TEST_F(MappedTableTest, TellsWhatIsWrongWithItsFolder) {
  EXPECT_EQ(code_of([&] { MappedTable(folder / "none", 1, 1); }), ErrorCode::cannot_write);
  EXPECT_EQ(code_of([&] { check_scratch(folder / "none"); }), ErrorCode::cannot_write);
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(code_of([&] { check_scratch(folder / "file"); }), ErrorCode::cannot_write);
  EXPECT_EQ(code_of([&] { check_scratch("/proc"); }), ErrorCode::cannot_write);  // not even root makes files there
  check_scratch(folder);
}

TEST_F(MappedTableTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(code_of([&] { MappedTable(folder, std::size_t{1} << 50, 1); }), ErrorCode::cannot_write);
  EXPECT_EQ(code_of([&] { MappedTable(folder, std::size_t{1} << 50, std::size_t{1} << 20); }), ErrorCode::too_large);
  EXPECT_TRUE(fs::is_empty(folder));
}

}  // namespace
}  // namespace mercer
