#include "long_call.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace py = pybind11;

namespace {

// What the working thread says and the waiting one reads.
struct News {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  bool fresh = false;
  std::string stage;
  double fraction = 0;
};

// Python's part of one look at the news. Whatever is raised is kept, and asks the work to stop.
void look(News& news, const py::object& report, std::stop_source& stop, std::exception_ptr& raised) {
  std::string stage;
  double fraction = 0;
  bool fresh = false;
  {
    const std::lock_guard lock(news.mutex);
    std::swap(fresh, news.fresh);
    stage = news.stage;
    fraction = news.fraction;
  }
  const py::gil_scoped_acquire python;
  if (raised) return;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (fresh && !report.is_none()) report(stage, fraction);
  } catch (...) {
    raised = std::current_exception();
    stop.request_stop();
  }
}

}  // namespace

void run_interruptibly(const py::object& report, const std::function<void(const mercer::Progress&)>& work) {
  News news;
  std::stop_source stop;
  std::exception_ptr failed, raised;
  mercer::Progress progress;
  progress.stop = stop.get_token();
  progress.report = [&](std::string_view stage, double fraction) {
    const std::lock_guard lock(news.mutex);
    news.stage = stage;
    news.fraction = fraction;
    news.fresh = true;
  };
  {
    const py::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work(progress);
      } catch (...) {
        failed = std::current_exception();
      }
      const std::lock_guard lock(news.mutex);
      news.done = true;
      news.changed.notify_one();
    });
    for (bool done = false; !done;) {
      {
        std::unique_lock lock(news.mutex);
        done = news.changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return news.done; });
      }
      if (!done || news.fresh) look(news, report, stop, raised);
    }
    worker.join();
  }
  if (raised) std::rethrow_exception(raised);
  if (failed) std::rethrow_exception(failed);
}

void run_here(const py::object& report, const std::function<void(const mercer::Progress&)>& work) {
  using clock = std::chrono::steady_clock;
  clock::time_point next = clock::now();
  mercer::Progress progress;
  progress.report = [&](std::string_view stage, double fraction) {
    if (clock::now() < next) return;
    next = clock::now() + std::chrono::milliseconds(50);
    const py::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!report.is_none()) report(stage, fraction);
  };
  const py::gil_scoped_release release;
  work(progress);
}
