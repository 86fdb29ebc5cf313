#include "bind.hpp"
#include "io/coded.hpp"
#include "mercer/error.hpp"
#include "mercer/warning.hpp"
#include "request.hpp"

namespace py = pybind11;

namespace {

PyObject* certificate_error = nullptr;

// 2xx are values that do not do, 3xx files, 5xx promises that are not kept.
PyObject* type_of(const mercer::Error& error) {
  switch (error.exit_code()) {
    case 3:
      return PyExc_OSError;
    case 5:
      return certificate_error;
    case 130:
      return PyExc_KeyboardInterrupt;
    default:
      return PyExc_ValueError;
  }
}

void raise(const mercer::Error& error) {
  const py::object made = py::reinterpret_borrow<py::object>(type_of(error))(with_keywords(error.what()));
  made.attr("code") = "E" + std::to_string(static_cast<int>(error.code()));
  made.attr("problem") = with_keywords(error.problem());
  made.attr("remedy") = with_keywords(error.remedy());
  PyErr_SetObject(type_of(error), made.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  certificate_error = PyErr_NewExceptionWithDoc(
      "mercer.CertificateError",
      "A certificate promises less than was asked for; `embedding` is the best that was found, if any.", nullptr,
      nullptr);
  module.attr("CertificateError") = py::reinterpret_borrow<py::object>(certificate_error);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const std::exception& trouble) {
      // Memory that ran out is Python's own MemoryError.
      const auto error = mercer::coded_error(trouble);
      if (!error || dynamic_cast<const std::bad_alloc*>(&trouble) != nullptr) throw;
      raise(*error);
    }
  });
  // May be called without the lock. Level 2 is who called the package's function.
  mercer::set_warning_sink([](const std::string& sentence) {
    const py::gil_scoped_acquire python;
    if (PyErr_WarnEx(PyExc_UserWarning, sentence.c_str(), 2) != 0) throw py::error_already_set();
  });
  py::list kinds;
  for (const mercer::ErrorKind& kind : mercer::error_kinds()) {
    kinds.append(py::make_tuple("E" + std::to_string(static_cast<int>(kind.code)), std::string(kind.title)));
  }
  module.attr("error_kinds") = kinds;
}
