#include "arrays.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace py = pybind11;
using mercer::MatrixView;

namespace {

std::string shape_text(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", array.shape(i));
  return fmt::format("({}{})", text, array.ndim() == 1 ? "," : "");
}

}  // namespace

MatrixView<const double> rows_of(const Numbers& numbers, const char* what) {
  if (numbers.ndim() != 2) {
    throw mercer::Error(mercer::ErrorCode::shape_mismatch,
                        fmt::format("{} has shape {}; needed: two axes", what, shape_text(numbers)), "Reshape it");
  }
  return {numbers.data(), static_cast<std::size_t>(numbers.shape(0)), static_cast<std::size_t>(numbers.shape(1))};
}

py::array_t<double> array_of(std::vector<double> numbers, std::vector<py::ssize_t> shape) {
  auto* const owned = new std::vector<double>(std::move(numbers));
  const py::capsule owner(owned, [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return py::array_t<double>(std::move(shape), owned->data(), owner);
}

Batch::Batch(const py::object& given, std::size_t dimensions, const char* what)
    : kept_(py::array_t<double, py::array::forcecast>::ensure(given)) {
  if (!kept_) {
    throw mercer::Error(mercer::ErrorCode::bad_value,
                        fmt::format("{} of type {}; legal: numbers", what, Py_TYPE(given.ptr())->tp_name),
                        "Give an array with a row for each");
  }
  const py::ssize_t axes = kept_.ndim(), d = static_cast<py::ssize_t>(dimensions);
  const bool flat = d == 1 && axes == 1 && kept_.shape(0) != 1;  // (n,) numbers of one dimension
  single_ = !flat && axes < 2;
  const bool fits =
      flat || (axes == 0 && d == 1) || (axes == 1 && kept_.shape(0) == d) || (axes == 2 && kept_.shape(1) == d);
  if (!fits) {
    throw mercer::Error(mercer::ErrorCode::shape_mismatch,
                        fmt::format("{} of shape {}; legal: ({},) or (n, {})", what, shape_text(kept_), d, d),
                        "Give one of them, or a row for each");
  }
  const std::size_t count = single_ ? 1 : static_cast<std::size_t>(kept_.shape(0));
  constexpr auto size = static_cast<py::ssize_t>(sizeof(double));
  const double* const data = kept_.data();
  const py::ssize_t along = single_ ? size : kept_.strides(0);  // from state to state
  const py::ssize_t across = axes == 2 ? kept_.strides(1) : axes == 1 ? kept_.strides(0) : size;
  if (count == 1 && across == size) {
    view_ = {data, dimensions, 1};
  } else if (along == size && (dimensions == 1 || across >= size * static_cast<py::ssize_t>(count))) {
    view_ = {data, dimensions, count, dimensions == 1 ? count : static_cast<std::size_t>(across / size)};
  } else {
    copy_.resize(dimensions * count);
    const char* const bytes = reinterpret_cast<const char*>(data);
    for (std::size_t r = 0; r < dimensions; ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        copy_[r * count + i] = *reinterpret_cast<const double*>(bytes + static_cast<py::ssize_t>(i) * along +
                                                                static_cast<py::ssize_t>(r) * (flat ? 0 : across));
      }
    }
    view_ = {copy_.data(), dimensions, count};
  }
}

Columns::Columns(std::size_t dimensions, std::size_t count)
    : array(std::vector<py::ssize_t>{static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(dimensions)},
            std::vector<py::ssize_t>{sizeof(double), static_cast<py::ssize_t>(sizeof(double) * count)}),
      view(array.mutable_data(), dimensions, count) {}

py::object actions_of(const Columns& columns, const mercer::Space& space, bool single) {
  if (!space.is_discrete()) return single ? py::object(columns.array[py::int_(0)]) : py::object(columns.array);
  std::vector<py::ssize_t> shape;
  if (!single) shape.push_back(static_cast<py::ssize_t>(columns.view.cols()));
  py::array_t<std::int64_t> out(shape);
  for (std::size_t i = 0; i < columns.view.cols(); ++i) {
    out.mutable_data()[i] = static_cast<std::int64_t>(columns.view(0, i));
  }
  return out;
}
