#include "arrays.hpp"
#include "bind.hpp"
#include "mercer/lattice.hpp"

namespace py = pybind11;

void bind_lattice(py::module_& module) {
  module.def(
      "make_edges",
      [](const Numbers& x, std::size_t bins, const std::string& rule) {
        const mercer::EdgeRule parsed = mercer::parse_edge_rule(rule);
        mercer::Edges edges;
        {
          const py::gil_scoped_release release;
          edges = mercer::make_edges(span_of(x), bins, parsed);
        }
        return array_of(std::move(edges.values));
      },
      py::arg("x"), py::arg("bins"), py::arg("rule") = "quantile");
}
