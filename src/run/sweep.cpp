#include "run/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/coded.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "run/store.hpp"

namespace mercer {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

SweepSchedule::SweepSchedule(const SweepPlan& plan, SweepResults& results, std::string build, bool retry,
                             SweepSink sink)
    : plan_(plan),
      results_(results),
      build_(std::move(build)),
      sink_(std::move(sink)),
      places_(plan.jobs.size(), Place::waiting),
      outcomes_(plan.jobs.size()),
      products_(plan.jobs.size()),
      start_(now()) {
  if (retry) return;
  const std::scoped_lock lock(mutex_);
  for (std::size_t j = 0; j < plan_.jobs.size(); ++j) {
    auto before = results_.outcome(plan_.jobs[j], build_);
    if (!before || before->state != SweepOutcome::State::failed) continue;
    settle(j, std::move(*before));
  }
  skip_unreachable();
}

std::optional<SweepTask> SweepSchedule::next() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (auto task = take()) return task;
    if (first_ == plan_.jobs.size()) break;
    changed_.wait(lock);
  }
  return std::nullopt;
}

std::optional<SweepTask> SweepSchedule::try_next() {
  const std::scoped_lock lock(mutex_);
  return ended_ ? std::nullopt : take();
}

std::optional<SweepTask> SweepSchedule::take() {
  while (first_ < plan_.jobs.size() && places_[first_] != Place::waiting) ++first_;
  for (std::size_t j = first_; j < plan_.jobs.size(); ++j) {
    if (places_[j] != Place::waiting) continue;
    const auto& takes = plan_.jobs[j].takes;
    if (!std::ranges::all_of(takes, [&](const auto& one) { return places_[one.second] == Place::ended; })) continue;
    SweepTask task{j, {}};
    for (const auto& [stage, other] : takes) task.taken[stage] = products_[other];
    places_[j] = Place::running;
    return task;
  }
  return std::nullopt;
}

void SweepSchedule::finish(std::size_t job, SweepOutcome outcome, SweepProduct product) {
  const std::scoped_lock lock(mutex_);
  products_[job] = std::move(product);
  settle(job, std::move(outcome));
  if (outcomes_[job].state != SweepOutcome::State::done) skip_unreachable();
  changed_.notify_all();
}

void SweepSchedule::settle(std::size_t job, SweepOutcome outcome) {
  // What was found took no time now; what it took once is kept.
  if (outcome.found) {
    if (const auto before = results_.outcome(plan_.jobs[job], build_)) outcome.seconds = before->seconds;
  }
  outcomes_[job] = std::move(outcome);
  places_[job] = Place::ended;
  // Of no build is what no run shall find.
  results_.record(plan_.jobs[job], outcomes_[job], outcomes_[job].shortage ? "" : build_);
  if (!sink_) return;
  SweepState where = state();
  where.ended = job;
  sink_(where, &outcomes_[job]);
}

void SweepSchedule::skip_unreachable() {
  // Jobs stand after what they take, so one pass reaches everything.
  for (std::size_t j = 0; j < plan_.jobs.size(); ++j) {
    if (places_[j] != Place::waiting) continue;
    for (const auto& [stage, other] : plan_.jobs[j].takes) {
      if (places_[other] != Place::ended || outcomes_[other].state == SweepOutcome::State::done) continue;
      const std::string why = outcomes_[other].state == SweepOutcome::State::failed
                                  ? fmt::format("{} failed: {}", stage, outcomes_[other].text)
                                  : outcomes_[other].text;
      settle(j, {SweepOutcome::State::skipped, why});
      break;
    }
  }
}

void SweepSchedule::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool SweepSchedule::over() const {
  const std::scoped_lock lock(mutex_);
  return ended_ || std::ranges::all_of(places_, [](Place place) { return place == Place::ended; });
}

SweepState SweepSchedule::state() const {
  SweepState where;
  where.total = plan_.jobs.size();
  for (std::size_t j = 0; j < plan_.jobs.size(); ++j) {
    if (places_[j] == Place::running) where.running.push_back(j);
    if (places_[j] != Place::ended) continue;
    const SweepOutcome& outcome = outcomes_[j];
    where.done += outcome.state == SweepOutcome::State::done;
    where.found += outcome.state == SweepOutcome::State::done && outcome.found;
    where.failed += outcome.state == SweepOutcome::State::failed;
    where.skipped += outcome.state == SweepOutcome::State::skipped;
  }
  where.seconds = now() - start_;
  where.left = time_left(where.seconds);
  return where;
}

// Jobs of a stage take about as long; a stage of which none has ended is taken for the mean of the others.
std::optional<double> SweepSchedule::time_left(double passed) const {
  struct Sum {
    double seconds = 0;
    std::size_t ended = 0, left = 0;
  };
  std::map<std::string, Sum> stages;
  Sum all;
  double worked = 0;
  for (std::size_t j = 0; j < plan_.jobs.size(); ++j) {
    Sum& stage = stages[plan_.jobs[j].stage];
    if (places_[j] != Place::ended) {
      ++stage.left;
    } else if (outcomes_[j].state == SweepOutcome::State::done) {
      stage.seconds += outcomes_[j].seconds;
      ++stage.ended;
      all.seconds += outcomes_[j].seconds;
      ++all.ended;
      if (!outcomes_[j].found) worked += outcomes_[j].seconds;
    }
  }
  if (all.ended == 0 || worked <= 0 || passed <= 0) return std::nullopt;
  double left = 0;
  for (const auto& [name, stage] : stages) {
    const Sum& like = stage.ended > 0 ? stage : all;
    left += static_cast<double>(stage.left) * like.seconds / static_cast<double>(like.ended);
  }
  return left * passed / worked;  // so many seconds of work are done in a second
}

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
    outcome.text = read_text(entry.folder / result_file, limits::json_bytes);
  } catch (const std::exception& trouble) {
    const auto error = coded_error(trouble);
    if (error && error->code() == ErrorCode::interrupted) throw;
    outcome.state = SweepOutcome::State::failed;
    outcome.text = error ? error->what() : trouble.what();
    // Limits that Mercer sets are those of the settings; what libraries and the system lack is not.
    const bool own = dynamic_cast<const Error*>(&trouble) != nullptr;
    const bool memory = error && error->code() == ErrorCode::too_large && !own;
    if (memory || (error && error->code() == ErrorCode::cannot_write)) outcome.shortage = error->code();
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
  guarded([&] {
    for (std::size_t i = 0; i < options.workers; ++i) threads.emplace_back([&] { guarded(work_on); });
  });
  if (options.others) guarded([&] { options.others(schedule); });
  for (std::thread& thread : threads) thread.join();
  if (trouble) std::rethrow_exception(trouble);
  write_sweep_csv(folder / "results.csv", plan, schedule.outcomes());
  return schedule.outcomes();
}

void require_room(const std::vector<SweepOutcome>& outcomes) {
  const auto lacks = [](const SweepOutcome& outcome) { return outcome.shortage.has_value(); };
  const auto first = std::ranges::find_if(outcomes, lacks);
  if (first == outcomes.end()) return;
  throw Error(*first->shortage,
              fmt::format("{} of {} jobs failed for lack of disk space or memory; the first error: {}",
                          std::ranges::count_if(outcomes, lacks), outcomes.size(), first->text),
              "Make room and run the same command again: it does what is left");
}

}  // namespace mercer
