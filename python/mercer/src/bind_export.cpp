#include "bind.hpp"
#include "fields.hpp"
#include "handles.hpp"
#include "mercer/export.hpp"

namespace py = pybind11;

namespace {

mercer::COptions options_from(const py::dict& given) {
  mercer::COptions options;
  Fields fields(given);
  fields.read("name", options.name);
  fields.read("numbers", options.numbers);
  fields.read("math", options.math);
  fields.read("mode", options.mode);
  fields.read("safe_action", options.safe_action);
  fields.finish("export_c");
  return options;
}

py::dict export_c(const EmbeddingHandle& embedding, const py::dict& given) {
  const mercer::COptions options = options_from(given);
  mercer::CExport made;
  {
    const py::gil_scoped_release release;
    made = mercer::export_c(*embedding.file, options);
  }
  py::dict files;
  files[py::str(options.name + ".h")] = made.header;
  files[py::str(options.name + ".c")] = made.source;
  files["main.c"] = made.example;
  py::dict out;
  out["texts"] = files;
  out["flash_bytes"] = made.flash_bytes;
  out["operations"] = made.operations.total();
  out["code_bytes_estimate"] = made.code_bytes;
  out["ram_bytes_estimate"] = made.ram_bytes;
  out["error_measured"] = made.error;
  out["error_stated"] = made.stated_error;
  return out;
}

}  // namespace

void bind_export(py::module_& module) {
  module.def("export_c", &export_c);
  module.def("export_json", [](const EmbeddingHandle& embedding) { return mercer::export_json(*embedding.file); });
}
