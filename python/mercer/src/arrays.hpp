#pragma once

#include <span>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"

/// Numbers from anything that numpy takes for an array; converted only where they are no doubles.
using Numbers = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

inline std::span<const double> span_of(const Numbers& numbers) {
  return {numbers.data(), static_cast<std::size_t>(numbers.size())};
}
inline std::vector<double> vector_of(const Numbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.size()};
}

/// A two-dimensional array as a view of its rows. Throws `shape_mismatch` naming `what` for other arrays.
mercer::MatrixView<const double> rows_of(const Numbers& numbers, const char* what);

/// An array that owns the numbers: they are moved, not copied.
pybind11::array_t<double> array_of(std::vector<double> numbers, std::vector<pybind11::ssize_t> shape);
inline pybind11::array_t<double> array_of(std::vector<double> numbers) {
  const auto size = static_cast<pybind11::ssize_t>(numbers.size());
  return array_of(std::move(numbers), {size});
}

/// States or actions for the library, which wants a row for each dimension: one state (dimensions,), or many (n,
/// dimensions). Arrays in Fortran order are used as they are, others copied. Where there is one dimension, (n,) will
/// do, too.
class Batch {
 public:
  /// Throws `shape_mismatch` naming `what`.
  Batch(const pybind11::object& given, std::size_t dimensions, const char* what);

  mercer::MatrixView<const double> view() const { return view_; }
  std::size_t size() const { return view_.cols(); }
  bool single() const { return single_; }

 private:
  pybind11::array_t<double> kept_;
  std::vector<double> copy_;
  mercer::MatrixView<const double> view_;
  bool single_ = false;
};

/// Room for what the library writes: an array (n, dimensions) in Fortran order and the view of it.
struct Columns {
  Columns(std::size_t dimensions, std::size_t count);
  pybind11::array_t<double> array;
  mercer::MatrixView<double> view;
};

/// Actions as Python sees them: (n, dimensions) on a box, integers (n,) where they are discrete; without the
/// first axis for a single state.
pybind11::object actions_of(const Columns& columns, const mercer::Space& space, bool single);
