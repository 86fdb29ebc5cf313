#include "mercer/matrix_view.hpp"

#include <numeric>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace mercer {
namespace {

// 3 rows of 4 in storage with 6 to a row; element k of the storage holds k.
class StridedMatrixView : public testing::Test {
 protected:
  StridedMatrixView() { std::iota(storage_.begin(), storage_.end(), 0); }
  std::vector<int> storage_ = std::vector<int>(18);
  MatrixView<int> view_{storage_.data(), 3, 4, 6};
};

TEST(MatrixView, is_empty_by_default) {
  const MatrixView<double> view;
  EXPECT_EQ(view.rows(), 0U);
  EXPECT_EQ(view.cols(), 0U);
}

TEST(MatrixView, rows_follow_each_other_without_a_stride) {
  std::vector<int> storage(6);
  std::iota(storage.begin(), storage.end(), 0);
  const MatrixView<int> view(storage.data(), 2, 3);
  EXPECT_EQ(view(1, 0), 3);
  EXPECT_EQ(view(1, 2), 5);
}

TEST_F(StridedMatrixView, element_is_at_row_times_stride_plus_column) {
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t col = 0; col < 4; ++col) EXPECT_EQ(view_(row, col), static_cast<int>(row * 6 + col));
  }
}

TEST_F(StridedMatrixView, row_spans_its_columns_only) {
  const std::span<int> row = view_.row(2);
  ASSERT_EQ(row.size(), 4U);
  EXPECT_EQ(row.front(), 12);  // 2 * 6
  EXPECT_EQ(row.back(), 15);
}

TEST_F(StridedMatrixView, columns_keep_rows_and_stride) {
  const MatrixView<int> middle = view_.columns(1, 2);
  EXPECT_EQ(middle.rows(), 3U);
  EXPECT_EQ(middle.cols(), 2U);
  EXPECT_EQ(middle(0, 0), 1);
  EXPECT_EQ(middle(2, 1), 14);                // 2 * 6 + 2
  EXPECT_EQ(middle.columns(1, 1)(1, 0), 8);   // columns of columns: 1 * 6 + 2
  EXPECT_EQ(view_.columns(4, 0).cols(), 0U);  // an empty block at the end is legal
  EXPECT_EQ(&view_.columns(0, 4)(1, 1), &view_(1, 1));
}

TEST_F(StridedMatrixView, writes_reach_the_storage_and_nothing_beside_it) {
  for (std::size_t row = 0; row < 3; ++row) {
    for (int& value : view_.columns(1, 3).row(row)) value = -1;
  }
  for (std::size_t k = 0; k < storage_.size(); ++k) {
    const bool inside = k % 6 >= 1 && k % 6 <= 3;
    EXPECT_EQ(storage_[k], inside ? -1 : static_cast<int>(k));
  }
}

TEST_F(StridedMatrixView, writable_view_can_be_read_but_not_the_other_way_round) {
  const MatrixView<const int> readable = view_;
  EXPECT_EQ(readable.rows(), 3U);
  EXPECT_EQ(readable.cols(), 4U);
  EXPECT_EQ(&readable(2, 3), &storage_[15]);
  static_assert(std::is_same_v<decltype(readable(0, 0)), const int&>);
  static_assert(!std::is_convertible_v<MatrixView<const int>, MatrixView<int>>);
}

#ifndef NDEBUG
TEST_F(StridedMatrixView, asserts_what_lies_outside) {
  EXPECT_DEATH(view_(3, 0), "row < rows_");
  EXPECT_DEATH(view_(0, 4), "col < cols_");
  EXPECT_DEATH(view_.columns(3, 2), "begin \\+ count <= cols_");
}
#endif

}  // namespace
}  // namespace mercer
