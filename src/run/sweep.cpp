#include "mercer/run/sweep.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mercer/core/error.hpp"
#include "mercer/io/file.hpp"
#include "mercer/run/digest.hpp"
#include "run/file_lock.hpp"

namespace mercer {

namespace fs = std::filesystem;

namespace {

constexpr const char* result_file = "result.json";

Job stored_job(const SweepJob& job, const SweepTask& task) {
  Job stored{job.stage, nlohmann::json(job.settings).dump(), {}, job.resumes};
  for (const auto& [stage, product] : task.taken) stored.inputs.push_back(product.digest);
  for (const std::string& file : job.files) stored.inputs.push_back(sha256_file(file));
  return stored;
}

}  // namespace

SweepOutcome do_sweep_task(const SweepPlan& plan, const SweepTask& task, const Store& store, const SweepWork& work,
                           const Progress& progress, SweepProduct& product) {
  const SweepJob& job = plan.jobs[task.job];
  const auto start = std::chrono::steady_clock::now();
  SweepOutcome outcome;
  outcome.found = true;
  try {
    const Entry entry = store.require(
        stored_job(job, task),
        [&](const fs::path& folder) {
          outcome.found = false;
          const std::string result = work(job, task.taken, folder, progress);
          write_atomically(folder / result_file, [&](std::ostream& out) { out << result; });
        },
        progress);
    product = {entry.folder, entry.digest};
    outcome.text = read_text(entry.folder / result_file);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) throw;
    outcome.state = SweepOutcome::State::failed;
    outcome.text = error.what();
  } catch (const std::bad_alloc&) {
    outcome.state = SweepOutcome::State::failed;
    outcome.text = "there is not enough memory for this";
  } catch (const std::exception& trouble) {
    outcome.state = SweepOutcome::State::failed;
    outcome.text = trouble.what();
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

std::vector<SweepOutcome> run_sweep(const SweepPlan& plan, const fs::path& folder, const std::string& build,
                                    const SweepWork& work, const SweepOptions& options, const SweepSink& sink,
                                    const Progress& progress) {
  require_in_range("workers", static_cast<double>(options.workers), 1, 1024, "Give the number of jobs at a time");
  const Store store(folder / "store", build);
  const FileLock lock(folder / "sweep.lock", Busy::refuse, progress);
  SweepResults results(folder / "results.sqlite");
  results.set_plan(plan);
  SweepSchedule schedule(plan, results, build, options.retry, sink);

  std::exception_ptr trouble;
  std::mutex mutex;
  const auto guarded = [&](const auto& body) {
    try {
      body();
    } catch (...) {
      const std::scoped_lock hold(mutex);
      if (!trouble) trouble = std::current_exception();
      schedule.end();
    }
  };
  const auto work_on = [&] {
    while (const auto task = schedule.next()) {
      SweepProduct product;
      SweepOutcome outcome = do_sweep_task(plan, *task, store, work, progress, product);
      schedule.finish(task->job, std::move(outcome), std::move(product));
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < options.workers; ++i) threads.emplace_back([&] { guarded(work_on); });
  if (options.others) guarded([&] { options.others(schedule); });
  for (std::thread& thread : threads) thread.join();
  if (trouble) std::rethrow_exception(trouble);
  write_sweep_csv(folder / "results.csv", plan, schedule.outcomes());
  return schedule.outcomes();
}

}  // namespace mercer
