#include "bind.hpp"
#include "fields.hpp"
#include "mercer/basis.hpp"
#include "tables.hpp"

namespace py = pybind11;
using mercer::Basis;

namespace {

py::array reversed(const Basis& basis, const Numbers& coefficients) {
  std::vector<double> table;
  {
    const py::gil_scoped_release release;
    table = basis.reverse(span_of(coefficients));
  }
  return array_of(mercer::Table{basis.shape(), std::move(table)});
}

}  // namespace

void bind_basis(py::module_& module) {
  py::class_<Basis>(module, "Basis")
      .def_property_readonly("name", &Basis::name)
      .def_property_readonly("shape", [](const Basis& self) { return py::tuple(py::cast(self.shape())); })
      .def_property_readonly("size", &Basis::size)
      .def_property_readonly("orthonormal", &Basis::orthonormal)
      .def(
          "train",
          [](Basis& self, const Numbers& table, const std::optional<Numbers>& weights) {
            const mercer::Table given = table_of(table);
            const std::vector<double> rows = weights ? vector_of(*weights) : std::vector<double>{};
            const py::gil_scoped_release release;
            self.train(given, rows);
          },
          py::arg("table"), py::arg("row_weights") = std::nullopt)
      .def(
          "apply",
          [](const Basis& self, const Numbers& table) {
            std::vector<double> out;
            {
              const py::gil_scoped_release release;
              out = self.apply(span_of(table));
            }
            return array_of(std::move(out));
          },
          py::arg("table"))
      .def("reverse", &reversed, py::arg("coefficients"))
      .def(
          "kept",
          [](const Basis& self, const Numbers& coefficients, std::size_t k, bool keep_mean) {
            return py::array(py::cast(mercer::largest_kept(self.terms(span_of(coefficients)), k, keep_mean)));
          },
          py::arg("coefficients"), py::arg("k"), py::arg("keep_mean") = true)
      .def(
          "energy_curve",
          [](const Basis& self, const Numbers& coefficients) {
            return array_of(mercer::Truncation(self.terms(span_of(coefficients))).energy_curve());
          },
          py::arg("coefficients"));
  module.def(
      "make_basis", [](const std::string& spec, std::uint64_t seed) { return mercer::make_basis(spec, seed); },
      py::arg("spec"), py::arg("seed") = 0);
  module.def("known_bases", &mercer::known_bases);
}
