#pragma once

#include "arrays.hpp"
#include "mercer/basis.hpp"

/// Arrays of any number of axes as tables, and back without copying.
inline std::vector<std::size_t> shape_of(const pybind11::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}
inline mercer::Table table_of(const Numbers& array) { return {shape_of(array), vector_of(array)}; }
inline pybind11::array_t<double> array_of(mercer::Table table) {
  std::vector<pybind11::ssize_t> shape(table.shape.begin(), table.shape.end());
  return array_of(std::move(table.values), std::move(shape));
}
