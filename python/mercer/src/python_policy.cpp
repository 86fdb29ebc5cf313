#include "python_policy.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "mercer/error.hpp"

namespace py = pybind11;
using mercer::MatrixView;

namespace {

// Rows of numbers that belong to Python: it may keep them.
py::array_t<double> copy_of(MatrixView<const double> columns) {
  py::array_t<double> out({columns.cols(), columns.rows()});
  double* const data = out.mutable_data();
  for (std::size_t d = 0; d < columns.rows(); ++d) {
    for (std::size_t i = 0; i < columns.cols(); ++i) data[i * columns.rows() + d] = columns(d, i);
  }
  return out;
}

py::object as_actions(MatrixView<const double> columns, const mercer::Space& space) {
  py::array_t<double> out = copy_of(columns);
  return space.is_discrete() ? out.attr("astype")("int64").attr("reshape")(-1) : py::object(out);
}

void take(const py::object& given, const std::string& policy, const char* what, MatrixView<double> out) {
  const Batch got(given, out.rows(), what);
  if (got.size() != out.cols()) {
    throw mercer::Error(mercer::ErrorCode::shape_mismatch,
                        fmt::format("policy '{}' gave {} {} for {} observations", policy, got.size(), what, out.cols()),
                        "Give one for each");
  }
  for (std::size_t d = 0; d < out.rows(); ++d) {
    for (std::size_t i = 0; i < out.cols(); ++i) out(d, i) = got.view()(d, i);
  }
}

}  // namespace

PythonPolicy::PythonPolicy(std::string name, mercer::Contract contract, PolicyFunctions functions)
    : Policy(std::move(name), std::move(contract)),
      functions_(new PolicyFunctions(std::move(functions)), [](const PolicyFunctions* old) {
        const py::gil_scoped_acquire python;
        delete old;
      }) {}

void PythonPolicy::sample(MatrixView<const double> observation, const mercer::Draws& draws,
                          MatrixView<double> action) const {
  const py::gil_scoped_acquire python;
  if (functions_->sample.is_none()) return mean_action(observation, action);
  const std::uint64_t seed = draws.random(0).bits() >> 1;
  take(functions_->sample(copy_of(observation), seed), name(), "actions", action);
}

void PythonPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  const py::gil_scoped_acquire python;
  take(functions_->mean(copy_of(observation)), name(), "actions", action);
}

void PythonPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                            std::span<double> out) const {
  const py::gil_scoped_acquire python;
  if (functions_->log_prob.is_none()) {
    throw mercer::Error(mercer::ErrorCode::missing_option, fmt::format("policy '{}' has no log_prob", name()),
                        "Give an object with log_prob(obs, actions), or compare mean actions");
  }
  take(functions_->log_prob(copy_of(observation), as_actions(action, action_space())), name(), "densities",
       {out.data(), 1, out.size()});
}
