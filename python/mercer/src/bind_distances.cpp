#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "mercer/statistics.hpp"

namespace py = pybind11;

namespace {

std::vector<double> weights_of(const std::optional<Numbers>& weights) {
  return weights ? vector_of(*weights) : std::vector<double>{};
}

// Points are rows here, columns in the library.
template <class Distance>
double between(const Numbers& x, const Numbers& y, const std::optional<Numbers>& wx, const std::optional<Numbers>& wy,
               Distance distance) {
  const Batch first(x, rows_of(x, "x").cols(), "points"), second(y, rows_of(y, "y").cols(), "points");
  const std::vector<double> mine = weights_of(wx), other = weights_of(wy);
  const py::gil_scoped_release release;
  return distance(mercer::WeightedPoints{first.view(), mine}, mercer::WeightedPoints{second.view(), other});
}

}  // namespace

void bind_distances(py::module_& module) {
  module.def(
      "wasserstein",
      [](const Numbers& x, const Numbers& y, const std::optional<Numbers>& wx, const std::optional<Numbers>& wy) {
        const std::vector<double> mine = weights_of(wx), other = weights_of(wy);
        const py::gil_scoped_release release;
        return mercer::wasserstein(span_of(x), span_of(y), mine, other);
      },
      py::arg("x"), py::arg("y"), py::arg("wx") = std::nullopt, py::arg("wy") = std::nullopt);
  module.def(
      "total_variation",
      [](const Numbers& p, const Numbers& q) { return mercer::total_variation(span_of(p), span_of(q)); }, py::arg("p"),
      py::arg("q"));
  module.def(
      "transport_distance",
      [](const Numbers& x, const Numbers& y, const std::optional<Numbers>& wx, const std::optional<Numbers>& wy) {
        return between(x, y, wx, wy, [](const auto& a, const auto& b) { return mercer::transport_distance(a, b); });
      },
      py::arg("x"), py::arg("y"), py::arg("wx") = std::nullopt, py::arg("wy") = std::nullopt);
  module.def(
      "sliced_wasserstein",
      [](const Numbers& x, const Numbers& y, const std::optional<Numbers>& wx, const std::optional<Numbers>& wy,
         std::size_t directions, std::uint64_t seed) {
        return between(x, y, wx, wy, [&](const auto& a, const auto& b) {
          return mercer::sliced_wasserstein(a, b, directions, seed);
        });
      },
      py::arg("x"), py::arg("y"), py::arg("wx") = std::nullopt, py::arg("wy") = std::nullopt,
      py::arg("directions") = 64, py::arg("seed") = 0);
  module.def("gaussian_total_variation", &mercer::gaussian_total_variation, py::arg("mean1"), py::arg("std1"),
             py::arg("mean2"), py::arg("std2"));
}
