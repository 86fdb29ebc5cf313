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

/// Runs work on this thread, without Python's lock in between: for work that calls Python back, where things may belong
/// to the thread that made them. What a callback raises, Ctrl-C included, ends the work and is thrown here.
void run_here(const pybind11::object& report, const std::function<void(const mercer::Progress&)>& work);

/// The same for work with a result, on a thread of its own or `here`.
template <class Work>
auto long_call(const pybind11::object& report, Work&& work, bool here = false) {
  using Result = std::invoke_result_t<Work, const mercer::Progress&>;
  std::optional<Result> result;
  (here ? run_here : run_interruptibly)(report,
                                        [&](const mercer::Progress& progress) { result.emplace(work(progress)); });
  return std::move(*result);
}
