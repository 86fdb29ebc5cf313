#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "mercer/functions.hpp"

namespace py = pybind11;

// Points are rows here, columns in the library.
void bind_kernels(py::module_& module) {
  module.def(
      "kernel_matrix",
      [](const Numbers& x, const Numbers& y, const std::string& kernel, double length) {
        const auto a = rows_of(x, "x"), b = rows_of(y, "y");
        const Batch first(x, a.cols(), "points"), second(y, a.cols(), "points");
        std::vector<double> out(a.rows() * b.rows());
        {
          const py::gil_scoped_release release;
          mercer::kernel_matrix(mercer::parse<mercer::Kernel>(kernel), length, first.view(), second.view(),
                                {out.data(), a.rows(), b.rows()});
        }
        return array_of(std::move(out), {x.shape(0), y.shape(0)});
      },
      py::arg("x"), py::arg("y"), py::arg("kernel") = "matern52", py::arg("length") = 1.0);
  module.def(
      "choose_landmarks",
      [](const Numbers& x, std::size_t count, const std::string& kernel, double length, double tolerance) {
        const Batch points(x, rows_of(x, "x").cols(), "points");
        mercer::Landmarks made;
        {
          const py::gil_scoped_release release;
          made =
              mercer::choose_landmarks(mercer::parse<mercer::Kernel>(kernel), length, points.view(), count, tolerance);
        }
        return py::make_tuple(py::array(py::cast(made.chosen)), array_of(std::move(made.power)));
      },
      py::arg("x"), py::arg("count"), py::arg("kernel") = "matern52", py::arg("length") = 1.0,
      py::arg("tolerance") = 1e-7);
  module.def(
      "power_function",
      [](const Numbers& landmarks, const Numbers& x, const std::string& kernel, double length, double ridge) {
        const Batch chosen(landmarks, rows_of(landmarks, "landmarks").cols(), "landmarks"),
            points(x, chosen.view().rows(), "points");
        std::vector<double> out(points.size());
        {
          const py::gil_scoped_release release;
          mercer::power_function(mercer::parse<mercer::Kernel>(kernel), length, chosen.view(), points.view(), out,
                                 ridge);
        }
        return array_of(std::move(out));
      },
      py::arg("landmarks"), py::arg("x"), py::arg("kernel") = "matern52", py::arg("length") = 1.0,
      py::arg("ridge") = 0.0);
}
