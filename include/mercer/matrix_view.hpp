#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace mercer {

/// A rectangle of numbers that somebody else owns. Rows are contiguous; row i starts `stride` elements after row i-1.
///
/// Batches are structures of arrays: one row per dimension, one column per episode, so that a loop over a row runs over
/// all episodes with unit stride.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {
    assert(stride >= cols);
  }
  /// A writable view can be read.
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data_, rows_, cols_, stride_}; }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }

  T& operator()(std::size_t row, std::size_t col) const {
    assert(row < rows_ && col < cols_);
    return data_[row * stride_ + col];
  }
  std::span<T> row(std::size_t index) const {
    assert(index < rows_);
    return {data_ + index * stride_, cols_};
  }
  /// The same rows, `count` columns from column `begin` on.
  MatrixView columns(std::size_t begin, std::size_t count) const {
    assert(begin + count <= cols_);
    return {data_ + begin, rows_, count, stride_};
  }
  /// All columns of `count` rows from row `begin` on.
  MatrixView row_block(std::size_t begin, std::size_t count) const {
    assert(begin + count <= rows_);
    return {data_ + begin * stride_, count, cols_, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace mercer
