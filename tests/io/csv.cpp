#include "io/csv.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

using Names = std::vector<std::string>;
using Limits = std::numeric_limits<double>;
constexpr double nan = Limits::quiet_NaN();

class Csv : public testing::Test {
 protected:
  CsvTable read(const std::string& text) {
    write_bytes(path_, text);
    return read_csv(path_);
  }
  void expect_bad(const std::string& message, const std::string& text) {
    expect_error(ErrorCode::bad_format, message, [&] { read(text); });
  }
  // Same bits, where NaN equals NaN.
  void expect_round_trip(const CsvTable& table) {
    write_csv(path_, table);
    const CsvTable back = read_csv(path_);
    EXPECT_EQ(back.columns, table.columns);
    ASSERT_EQ(back.values.size(), table.values.size());
    for (std::size_t i = 0; i < table.values.size(); ++i) {
      if (std::isnan(table.values[i])) {
        ASSERT_TRUE(std::isnan(back.values[i])) << i;
      } else {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(back.values[i]), std::bit_cast<std::uint64_t>(table.values[i]))
            << table.values[i];
      }
    }
  }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "t.csv";
};

// 64 random bits are a double of any size; one in 2048 is NaN or infinite. Far more text than one write's buffer.
TEST_F(Csv, random_doubles_come_back_bit_for_bit) {
  CsvTable table{{"a", "b", "c"}, {}};
  for (std::uint64_t i = 0; i < 30000; ++i) {
    table.values.push_back(std::bit_cast<double>(Random({3, Stage::task, i, 0}).bits()));
  }
  expect_round_trip(table);
}

TEST_F(Csv, extreme_doubles_come_back_bit_for_bit) {
  expect_round_trip(
      {{"x", "y"},
       {0.0, -0.0, Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest(),
        std::nextafter(Limits::min(), 0.0), Limits::infinity(), -Limits::infinity(), Limits::epsilon(), 1.0 / 3}});
}

TEST_F(Csv, nan_is_an_empty_field) {
  write_csv(path_, {{"x", "y"}, {1, nan, nan, 2.5}});
  EXPECT_EQ(read_bytes(path_), "x,y\n1,\n,2.5\n");
  expect_round_trip({{"x", "y"}, {1, nan, nan, 2.5}});
  expect_round_trip({{"x", "y"}, {nan, nan}});
}

TEST_F(Csv, rows_of_a_single_column_are_not_lost_when_nan) { expect_round_trip({{"x"}, {1, nan, nan, 2, nan}}); }

TEST_F(Csv, table_without_rows_keeps_its_names) {
  expect_round_trip({{"x", "y"}, {}});
  EXPECT_EQ(read("x,y").rows(), 0U);  // no line feed at the end
}

TEST_F(Csv, rows_and_columns_are_where_they_stand) {
  const CsvTable table = read("x,y\n1,2\n3,4\n5,6");
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.at(0, 1), 2);
  EXPECT_EQ(table.at(2, 0), 5);
  EXPECT_EQ(CsvTable{}.rows(), 0U);
}

TEST_F(Csv, takes_what_other_programs_write) {
  const CsvTable table = read("\"time\" , \"return\"\r\n1, -2.5e3\r\n\r\n \"3\",inf\r\n");
  EXPECT_EQ(table.columns, (Names{"time", "return"}));
  EXPECT_EQ(table.values, (std::vector<double>{1, -2500, 3, Limits::infinity()}));
}

TEST_F(Csv, says_the_line_and_the_field_that_is_no_number) {
  expect_bad("t.csv' line 3: 'two' is not a number", "x,y\n1,1\n1,two\n");
  expect_bad("line 4: '1.5.2' is not a number", "x,y\r\n1,1\r\n\r\n1.5.2,2\r\n");  // empty lines count
  expect_bad("line 2: '0x10' is not a number", "x\n0x10\n");
  expect_bad("line 2: '1e999' is not a number", "x\n1e999\n");  // a double cannot hold it
}

TEST_F(Csv, says_the_line_of_another_length) {
  expect_bad("line 2: 1 fields where the header has 2", "x,y\n1\n");
  expect_bad("line 3: 3 fields where the header has 2", "x,y\n1,2\n1,2,3\n");
  expect_bad("line 2: 3 fields where the header has 2", "x,y\n1,2,\n");
}

TEST_F(Csv, needs_a_header) { expect_bad("line 1: the file is empty", ""); }

TEST_F(Csv, needs_the_file) {
  expect_error(ErrorCode::cannot_open, "missing.csv", [&] { read_csv(folder_ / "missing.csv"); });
}

}  // namespace
}  // namespace mercer
