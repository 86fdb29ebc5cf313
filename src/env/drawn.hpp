#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "env/classic/tasks.hpp"
#include "mercer/env.hpp"

namespace mercer {

/// Values of some parameters: each is fixed, or drawn for every episode into a row of the state behind `own_rows` rows
/// of the task.
class DrawnParameters {
 public:
  /// `first_draw` keeps the draws of two lists apart. Throws `bad_value` for an integer parameter whose range is not of
  /// integers.
  DrawnParameters(std::vector<Parameter> parameters, std::vector<Range> ranges, std::size_t own_rows,
                  std::uint32_t first_draw);

  /// All are fixed to their nominal values.
  bool nominal() const { return nominal_; }
  Range range(std::size_t parameter) const { return ranges_[parameter]; }
  double middle(std::size_t parameter) const { return (ranges_[parameter].low + ranges_[parameter].high) / 2; }
  std::size_t rows() const { return drawn_.size(); }

  /// The states of a task with an axis for each drawn parameter.
  Space extended(Space state) const;
  /// Draws them for each column of a whole state, uniformly.
  void draw(const Draws& draws, MatrixView<double> state) const;

  /// A parameter in each column of a whole state.
  class Column {
   public:
    Column(const double* row, double fixed) : row_(row), fixed_(fixed) {}
    double operator[](std::size_t i) const { return row_ != nullptr ? row_[i] : fixed_; }

   private:
    const double* row_;
    double fixed_;
  };
  Column of(std::size_t parameter, MatrixView<const double> state) const;

  /// body(values, begin, columns) for each chunk of the columns of a whole state; values(i)[p] is parameter p in column
  /// i of the chunk. Nominal values are constants, so that a task without perturbations loses no time.
  template <const auto& nominal, class Body>
  void for_each_chunk(MatrixView<double> state, Body body) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Range> ranges_;
  std::vector<std::size_t> drawn_;  // numbers of the drawn parameters, in the order of their rows
  std::size_t own_rows_;
  std::uint32_t first_draw_;
  bool nominal_ = true;
};

/// The physical parameters of a task as its settings give them.
DrawnParameters read_physics(const std::vector<Parameter>& parameters, Params& params, std::size_t own_rows);

template <const auto& nominal>
struct NominalValues {
  static constexpr bool varied = false;
  constexpr const auto& operator()(std::size_t) const { return nominal; }
};

template <std::size_t n>
struct VariedValues {
  static constexpr bool varied = true;
  std::array<const double*, n> rows;
  std::array<double, n> operator()(std::size_t i) const {
    std::array<double, n> out;
    for (std::size_t p = 0; p < n; ++p) out[p] = rows[p][i];
    return out;
  }
};

template <const auto& nominal, class Body>
void DrawnParameters::for_each_chunk(MatrixView<double> state, Body body) const {
  constexpr std::size_t n = nominal.size();
  mercer::for_each_chunk(state.cols(), [&](std::size_t begin, std::size_t count) {
    const MatrixView<double> chunk = state.columns(begin, count);
    if (nominal_) return body(NominalValues<nominal>{}, begin, chunk);
    std::array<Chunk, n> fixed;
    VariedValues<n> values{};
    for (std::size_t p = 0; p < n; ++p) {
      std::fill_n(fixed[p].begin(), count, ranges_[p].low);
      values.rows[p] = fixed[p].data();
    }
    for (std::size_t k = 0; k < drawn_.size(); ++k) values.rows[drawn_[k]] = chunk.row(own_rows_ + k).data();
    body(values, begin, chunk);
  });
}

}  // namespace mercer
