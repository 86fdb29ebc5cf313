#pragma once

#include <functional>
#include <optional>
#include <type_traits>

#include <pybind11/pybind11.h>

#include "mercer/parallel.hpp"

/// Runs work that may take long on a thread of its own, without Python's lock. Meanwhile this thread looks for Ctrl-C
/// and hands news of the progress to `report` (a callable of stage and fraction, or None), twenty times a second. The
/// first exception of the work, of `report` or of a signal handler is thrown here once the work has ended.
void run_interruptibly(const pybind11::object& report, const std::function<void(const mercer::Progress&)>& work);

/// The same for work with a result.
template <class Work>
auto long_call(const pybind11::object& report, Work&& work) {
  using Result = std::invoke_result_t<Work, const mercer::Progress&>;
  std::optional<Result> result;
  run_interruptibly(report, [&](const mercer::Progress& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}
