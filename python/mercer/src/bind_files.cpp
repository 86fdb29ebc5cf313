#include <cstring>

#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "io/safetensors.hpp"

namespace py = pybind11;
using mercer::Array;

namespace {

const char* dtype_of(Array::Type type) {
  switch (type) {
    case Array::Type::f64:
      return "f8";
    case Array::Type::f32:
      return "f4";
    case Array::Type::i64:
      return "i8";
    case Array::Type::i32:
      return "i4";
    case Array::Type::u8:
      return "u1";
    case Array::Type::boolean:
      return "?";
    case Array::Type::text:
      break;
  }
  return "S";
}

py::array to_numpy(const Array& array) {
  py::array out(py::dtype(dtype_of(array.type)), array.shape);
  std::memcpy(out.mutable_data(), array.data.data(), array.data.size());
  return out;
}

Array from_numpy(const py::array& given) {
  const py::array array = py::module_::import("numpy").attr("ascontiguousarray")(given);
  const std::vector<std::pair<std::string, Array::Type>> types{
      {"float64", Array::Type::f64}, {"float32", Array::Type::f32}, {"int64", Array::Type::i64},
      {"int32", Array::Type::i32},   {"uint8", Array::Type::u8},    {"bool", Array::Type::boolean}};
  Array out;
  out.type = choose<Array::Type>("type of a tensor", py::str(array.dtype()).cast<std::string>(), types);
  out.shape.assign(array.shape(), array.shape() + array.ndim());
  out.data.resize(static_cast<std::size_t>(array.nbytes()));
  std::memcpy(out.data.data(), array.data(), out.data.size());
  return out;
}

}  // namespace

void bind_files(py::module_& module) {
  module.def(
      "read_safetensors",
      [](const std::filesystem::path& path) {
        const mercer::Safetensors file = mercer::read_safetensors(path);
        py::dict tensors;
        for (const auto& [name, array] : file.tensors) tensors[py::str(name)] = to_numpy(array);
        return py::make_tuple(tensors, file.metadata);
      },
      py::arg("path"));
  module.def(
      "write_safetensors",
      [](const std::filesystem::path& path, const py::dict& tensors,
         const std::map<std::string, std::string>& metadata) {
        mercer::Safetensors file{{}, metadata};
        for (const auto& [name, array] : tensors) {
          file.tensors[name.cast<std::string>()] = from_numpy(py::array::ensure(array));
        }
        mercer::write_safetensors(path, file);
      },
      py::arg("path"), py::arg("tensors"), py::arg("metadata") = std::map<std::string, std::string>{});
}
