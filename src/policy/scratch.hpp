#pragma once

#include <algorithm>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// A matrix for intermediate results, from memory that the thread keeps: nothing is allocated once one as large has
/// been asked for. To be made on the stack; those made later are gone first.
class Scratch {
 public:
  Scratch(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols) {
    if (depth() == pool().size()) pool().emplace_back();
    std::vector<double>& memory = pool()[depth()++];
    if (memory.size() < rows * cols) memory.resize(rows * cols);
    data_ = memory.data();
  }
  ~Scratch() { --depth(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  MatrixView<double> view() const { return {data_, rows_, cols_}; }

 private:
  static std::vector<std::vector<double>>& pool() {
    thread_local std::vector<std::vector<double>> memory;
    return memory;
  }
  static std::size_t& depth() {
    thread_local std::size_t used = 0;
    return used;
  }

  std::size_t rows_, cols_;
  double* data_;  // stays where it is when the pool grows
};

/// Calls body(begin, count) for pieces of a batch that bound how much scratch memory is needed.
template <class Body>
void for_each_chunk(std::size_t columns, Body body) {
  constexpr std::size_t most = 256;
  for (std::size_t begin = 0; begin < columns; begin += most) body(begin, std::min(most, columns - begin));
}

}  // namespace mercer
