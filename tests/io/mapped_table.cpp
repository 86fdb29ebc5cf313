#include "io/mapped_table.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

TEST(MappedTable, holds_what_is_written_and_leaves_no_file) {
  const TemporaryFolder folder;
  MappedTable table(folder.path(), 1000, 7);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(table.bytes(), 28000U);
  for (const float value : table.values()) ASSERT_EQ(value, 0);
  for (std::size_t r = 0; r < 1000; r += 10) {
    const std::span<float> rows = table.block(r, r + 10);
    ASSERT_EQ(rows.size(), 70U);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(r * 7 + i);
  }
  const MappedTable moved = std::move(table);
  for (std::size_t i = 0; i < 7000; ++i) ASSERT_EQ(moved.values()[i], static_cast<float>(i));
  EXPECT_EQ(moved.block(3, 5)[0], 21);
  EXPECT_EQ(moved.rows(), 1000U);
  EXPECT_EQ(moved.columns(), 7U);
}

TEST(MappedTable, may_be_empty) {
  const TemporaryFolder folder;
  EXPECT_TRUE(MappedTable(folder.path(), 0, 64).values().empty());
}

TEST(MappedTable, tells_what_is_wrong_with_its_folder) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_write, "no folder", [&] { MappedTable(folder / "none", 1, 1); });
  expect_error(ErrorCode::cannot_write, "no folder", [&] { check_scratch(folder / "none"); });
  std::ofstream(folder / "file") << "x";
  expect_error(ErrorCode::cannot_write, "no folder", [&] { check_scratch(folder / "file"); });
  // Not even root makes files there.
  expect_error(ErrorCode::cannot_write, "no scratch file can be made in '/proc'", [&] { check_scratch("/proc"); });
  check_scratch(folder.path());
}

TEST(MappedTable, takes_its_room_at_once) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::cannot_write, "GiB left", [&] { MappedTable(folder.path(), std::size_t{1} << 50, 1); });
  expect_error(ErrorCode::too_large, "up to 2^60",
               [&] { MappedTable(folder.path(), std::size_t{1} << 50, std::size_t{1} << 20); });
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace mercer
