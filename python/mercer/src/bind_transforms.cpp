#include <fmt/format.h>
#include <pybind11/complex.h>

#include "bind.hpp"
#include "fields.hpp"
#include "mercer/basis.hpp"
#include "tables.hpp"

namespace py = pybind11;
using mercer::Table;

namespace {

using Complex = py::array_t<std::complex<double>, py::array::c_style | py::array::forcecast>;

py::array fourier(const Numbers& a) {
  const Table table = table_of(a);
  Complex out(std::vector<py::ssize_t>(a.shape(), a.shape() + a.ndim()));
  std::complex<double>* const place = out.mutable_data();
  {
    const py::gil_scoped_release release;
    const auto spectrum = mercer::fourier(table);
    std::copy(spectrum.begin(), spectrum.end(), place);
  }
  return out;
}

py::array inverse_fourier(const Complex& spectrum) {
  const std::span<const std::complex<double>> values(spectrum.data(), static_cast<std::size_t>(spectrum.size()));
  const std::vector<std::size_t> shape = shape_of(spectrum);
  Table table;
  {
    const py::gil_scoped_release release;
    table = mercer::inverse_fourier(values, shape);
  }
  return array_of(std::move(table));
}

// Bands in the library's order: (level, key, array).
py::list wavelet(const Numbers& a, const std::string& name, const std::string& mode, std::optional<std::size_t> level) {
  const Table table = table_of(a);
  const auto filter = mercer::wavelet_filter(name);
  const auto how = mercer::parse<mercer::WaveletMode>(mode);
  mercer::WaveletDecomposition made;
  {
    const py::gil_scoped_release release;
    made = mercer::wavelet(table, filter, how, level);
  }
  py::list out;
  for (mercer::WaveletBand& band : made.bands) {
    out.append(py::make_tuple(band.level, band.key, array_of(Table{band.shape, std::move(band.values)})));
  }
  return out;
}

py::array inverse_wavelet(const py::list& bands, const std::vector<std::size_t>& shape, const std::string& name,
                          const std::string& mode) {
  mercer::WaveletDecomposition given{shape, {}};
  for (const py::handle band : bands) {
    const auto one = band.cast<py::tuple>();
    Table table = table_of(one[2].cast<Numbers>());
    given.bands.push_back(
        {one[0].cast<std::size_t>(), one[1].cast<std::string>(), std::move(table.shape), std::move(table.values)});
  }
  const auto filter = mercer::wavelet_filter(name);
  const auto how = mercer::parse<mercer::WaveletMode>(mode);
  Table table;
  {
    const py::gil_scoped_release release;
    table = mercer::inverse_wavelet(given, filter, how);
  }
  return array_of(std::move(table));
}

py::tuple svd(const Numbers& a, std::optional<std::size_t> rank, bool randomised, std::uint64_t seed) {
  const auto rows = rows_of(a, "a matrix");
  mercer::check_finite("the matrix", span_of(a));
  mercer::Svd made;
  {
    const py::gil_scoped_release release;
    const std::size_t most = std::min(rows.rows(), rows.cols());
    made = randomised ? mercer::randomised_svd(rows, rank.value_or(most), {.seed = seed})
           : rank     ? mercer::truncated_svd(rows, *rank)
                      : mercer::svd(rows);
  }
  const auto n = static_cast<py::ssize_t>(made.rows), m = static_cast<py::ssize_t>(made.columns),
             r = static_cast<py::ssize_t>(made.rank);
  return py::make_tuple(array_of(std::move(made.u), {n, r}), array_of(std::move(made.s)),
                        array_of(std::move(made.vt), {r, m}));
}

}  // namespace

void bind_transforms(py::module_& module) {
  module.def("fourier", &fourier, py::arg("a"));
  module.def("inverse_fourier", &inverse_fourier, py::arg("spectrum"));
  const auto whole = [](Table (*transform)(const Table&)) {
    return [transform](const Numbers& a) {
      Table table = table_of(a);
      {
        const py::gil_scoped_release release;
        table = transform(table);
      }
      return array_of(std::move(table));
    };
  };
  module.def("cosine", whole(&mercer::cosine), py::arg("a"));
  module.def("inverse_cosine", whole(&mercer::inverse_cosine), py::arg("coefficients"));
  module.def("wavelet_bands", &wavelet);
  module.def("inverse_wavelet_bands", &inverse_wavelet);
  module.def("wavelet_filter", [](const std::string& name) {
    const auto filter = mercer::wavelet_filter(name);
    return py::make_tuple(filter.dec_lo, filter.dec_hi, filter.rec_lo, filter.rec_hi);
  });
  module.def("svd", &svd, py::arg("a"), py::arg("rank") = std::nullopt, py::arg("randomised") = false,
             py::arg("seed") = 0);
  module.def(
      "project_rows",
      [](const Numbers& rows, const std::string& rule) {
        const auto view = rows_of(rows, "rows");
        std::vector<double> out = vector_of(rows);
        mercer::project_rows({out.data(), view.rows(), view.cols()}, mercer::parse<mercer::SimplexRule>(rule));
        return array_of(std::move(out), {rows.shape(0), rows.shape(1)});
      },
      py::arg("rows"), py::arg("rule") = "clip");
}
