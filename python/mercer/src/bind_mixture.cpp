#include <fmt/format.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "mercer/basis.hpp"

namespace py = pybind11;
using mercer::Covariance;
using mercer::Mixture;

namespace {

mercer::MatrixView<const double> points_of(const Numbers& x) {
  if (x.ndim() == 1) return {x.data(), static_cast<std::size_t>(x.shape(0)), 1};
  return rows_of(x, "x");
}

// (weights, means, variances) with the shapes that `fit_mixture` gives.
Mixture mixture_from(const py::sequence& given, std::size_t dimensions, Covariance covariance) {
  if (given.size() != 3) {
    throw mercer::Error(mercer::ErrorCode::shape_mismatch, fmt::format("a start of {} parts", given.size()),
                        "Give (weights, means, variances)");
  }
  Mixture out;
  out.dimensions = dimensions;
  out.covariance = covariance;
  out.weights = vector_of(given[0].cast<Numbers>());
  out.means = vector_of(given[1].cast<Numbers>());
  out.variances = vector_of(given[2].cast<Numbers>());
  return out;
}

py::tuple fit(const Numbers& x, std::size_t k, const std::optional<Numbers>& weights,
              const std::optional<py::sequence>& start, std::size_t iterations, const std::string& covariance,
              double floor, double tolerance, std::uint64_t seed, bool weights_only) {
  const auto points = points_of(x);
  mercer::MixtureOptions options;
  options.iterations = iterations;
  options.covariance = mercer::parse<Covariance>(covariance);
  options.floor = floor;
  options.tolerance = tolerance;
  options.seed = seed;
  options.weights_only = weights_only;
  // Matrices in the start say that they are meant.
  if (start && start->size() == 3 && (*start)[2].cast<Numbers>().ndim() == 3) options.covariance = Covariance::full;
  std::optional<Mixture> from;
  if (start) from = mixture_from(*start, points.cols(), options.covariance);
  const std::vector<double> own = weights ? vector_of(*weights) : std::vector<double>{};
  mercer::MixtureFit made;
  {
    const py::gil_scoped_release release;
    made = mercer::fit_mixture(points, k, own, from, options);
  }
  const auto size = static_cast<py::ssize_t>(made.mixture.size()), d = static_cast<py::ssize_t>(points.cols());
  std::vector<py::ssize_t> means{size}, variances{size};
  if (x.ndim() == 2) {
    means.push_back(d);
    variances.push_back(d);
    if (options.covariance == Covariance::full) variances.push_back(d);
  }
  return py::make_tuple(array_of(std::move(made.mixture.weights)), array_of(std::move(made.mixture.means), means),
                        array_of(std::move(made.mixture.variances), variances),
                        array_of(std::move(made.log_likelihoods)));
}

py::array density(const py::sequence& mixture, const Numbers& x, const std::string& covariance) {
  const auto points = points_of(x);
  const Mixture given = mixture_from(mixture, points.cols(), mercer::parse<Covariance>(covariance));
  return array_of(mercer::log_density(given, points));
}

}  // namespace

void bind_mixture(py::module_& module) {
  const mercer::MixtureOptions usual;
  module.def("fit_mixture", &fit, py::arg("x"), py::arg("k"), py::arg("weights") = std::nullopt,
             py::arg("start") = std::nullopt, py::arg("iterations") = usual.iterations,
             py::arg("covariance") = "diagonal", py::arg("floor") = usual.floor, py::arg("tolerance") = usual.tolerance,
             py::arg("seed") = 0, py::arg("weights_only") = false);
  module.def("mixture_log_density", &density, py::arg("mixture"), py::arg("x"), py::arg("covariance") = "diagonal");
}
