#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/matrix_view.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// The action that a contract makes of an unbounded number, before clipping.
inline double to_action(const Contract& contract, std::size_t dimension, double u) {
  const double bent = contract.squash == Squash::tanh ? std::tanh(u) : u;
  return contract.centre[dimension] + contract.scale[dimension] * bent;
}

/// NaN stays NaN: the rollout reports it.
inline double clip_action(const Contract& contract, std::size_t dimension, double action) {
  if (contract.clip.empty()) return action;
  const auto [low, high] = contract.clip[dimension];
  return action < low ? low : action > high ? high : action;
}

/// Where the actions of a state begin, for `Policy::log_prob_many`: all states share them, or each has its own.
inline std::size_t first_action(MatrixView<const double> action, MatrixView<const double> out, std::size_t state) {
  return action.cols() == out.cols() ? 0 : state * out.cols();
}

/// The values of a state, for `Policy::cdf`, likewise.
inline std::span<const double> values_in(MatrixView<const double> values, std::size_t state) {
  return values.row(values.rows() == 1 ? 0 : state);
}

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
