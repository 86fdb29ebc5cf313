#include "arrays.hpp"
#include "bind.hpp"
#include "handles.hpp"
#include "mercer/statistics.hpp"

namespace py = pybind11;
using mercer::Range;
using mercer::Sides;

namespace {

Range range_from(const std::pair<double, double>& given) { return {given.first, given.second}; }

py::dict certified(const Numbers& teacher, const Numbers& student, const std::pair<double, double>& range,
                   double confidence, const std::string& method, bool anytime) {
  const mercer::LossOptions options{confidence, mercer::parse<mercer::LossMethod>(method), anytime};
  mercer::LossBound found;
  {
    const py::gil_scoped_release release;
    found = mercer::certify_loss(span_of(teacher), span_of(student), range_from(range), options);
  }
  py::dict out;
  out["episodes"] = found.episodes;
  out["confidence"] = found.confidence;
  out["loss_mean"] = found.loss_mean;
  out["loss_percent"] = found.loss_percent;
  out["upper_loss"] = found.upper_loss;
  out["lower_loss"] = found.lower_loss;
  out["upper_percent"] = found.upper_percent;
  out["no_percent"] = found.no_percent;
  return out;
}

}  // namespace

void bind_intervals(py::module_& module) {
  module.def(
      "summarise", [](const Numbers& returns) { return to_dict(mercer::summarise(span_of(returns))); },
      py::arg("returns"));
  module.def(
      "paired_loss",
      [](const Numbers& teacher, const Numbers& student) {
        return to_dict(mercer::paired_loss(span_of(teacher), span_of(student)));
      },
      py::arg("teacher"), py::arg("student"));
  module.def("certify_loss", &certified, py::arg("teacher"), py::arg("student"), py::arg("range"),
             py::arg("confidence") = 0.95, py::arg("method") = "betting", py::arg("anytime") = false);
  module.def(
      "generous_range",
      [](const Numbers& first, const Numbers& second) {
        return to_tuple(mercer::generous_range(span_of(first), span_of(second)));
      },
      py::arg("first"), py::arg("second"));
  module.def("confidence_of_attempt", &mercer::confidence_of_attempt, py::arg("confidence"), py::arg("attempt"));
  module.def(
      "betting_upper",
      [](const Numbers& x, const std::pair<double, double>& range, double delta, bool anytime) {
        return mercer::betting_upper(span_of(x), range_from(range), delta, anytime);
      },
      py::arg("x"), py::arg("range"), py::arg("delta"), py::arg("anytime") = false);
  const auto of_range = [&](const char* name, Range (*interval)(std::span<const double>, Range, double, Sides)) {
    module.def(
        name,
        [interval](const Numbers& x, const std::pair<double, double>& range, double delta, const std::string& sides) {
          return to_tuple(interval(span_of(x), range_from(range), delta, mercer::parse<Sides>(sides)));
        },
        py::arg("x"), py::arg("range"), py::arg("delta") = 0.05, py::arg("sides") = "two");
  };
  of_range("hoeffding_interval", &mercer::hoeffding_interval);
  of_range("empirical_bernstein_interval", &mercer::empirical_bernstein_interval);
  of_range("predictable_bernstein_interval", &mercer::predictable_bernstein_interval);
  module.def(
      "betting_interval",
      [](const Numbers& x, const std::pair<double, double>& range, double delta, const std::string& sides,
         bool anytime) {
        return to_tuple(
            mercer::betting_interval(span_of(x), range_from(range), delta, mercer::parse<Sides>(sides), anytime));
      },
      py::arg("x"), py::arg("range"), py::arg("delta") = 0.05, py::arg("sides") = "two", py::arg("anytime") = false);
  module.def(
      "student_t_interval",
      [](const Numbers& x, double delta, const std::string& sides) {
        return to_tuple(mercer::student_t_interval(span_of(x), delta, mercer::parse<Sides>(sides)));
      },
      py::arg("x"), py::arg("delta") = 0.05, py::arg("sides") = "two");
  module.def(
      "bootstrap_interval",
      [](const Numbers& x, const std::string& statistic, double delta, std::size_t resamples, std::uint64_t seed) {
        const auto what = mercer::parse<mercer::Statistic>(statistic);
        const py::gil_scoped_release release;
        const Range found =
            mercer::bootstrap_interval(span_of(x), what, delta, Sides::two, {.resamples = resamples, .seed = seed});
        const py::gil_scoped_acquire python;
        return to_tuple(found);
      },
      py::arg("x"), py::arg("statistic") = "mean", py::arg("delta") = 0.05, py::arg("resamples") = 2000,
      py::arg("seed") = 0);
}
