#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "mercer/core/progress.hpp"
#include "mercer/run/store.hpp"
#include "mercer/run/sweep_plan.hpp"
#include "mercer/run/sweep_results.hpp"

namespace mercer {

/// What a finished job left: its files and their digest.
struct SweepProduct {
  std::filesystem::path folder;
  std::string digest;
};

/// A job that can be done now, with what it takes by stage.
struct SweepTask {
  std::size_t job = 0;
  std::map<std::string, SweepProduct> taken;
};

/// Does one job: writes its files into `folder` and returns its result as a JSON document, the same bytes each time.
using SweepWork = std::function<std::string(const SweepJob& job, const std::map<std::string, SweepProduct>& taken,
                                            const std::filesystem::path& folder, const Progress& progress)>;

/// Where a sweep is.
struct SweepState {
  std::size_t total = 0, done = 0, found = 0, failed = 0, skipped = 0;
  std::vector<std::size_t> running;
  double seconds = 0;                ///< since it began
  std::optional<double> left;        ///< seconds, from what jobs of the same stage took
  std::optional<std::size_t> ended;  ///< the job that ended just now
};
using SweepSink = std::function<void(const SweepState& state, const SweepOutcome* outcome)>;

/// Hands out the jobs of a plan in its order as soon as what they take is there. Any thread may ask. A job whose input
/// failed is skipped.
class SweepSchedule {
 public:
  /// Records outcomes in `results`, where it also finds failures of the same `build`, which are not tried again unless
  /// `retry`.
  SweepSchedule(const SweepPlan& plan, SweepResults& results, std::string build, bool retry, SweepSink sink);

  /// The next job; waits where all that is left takes something that is still being made. None when all are handed out
  /// or the sweep was ended.
  std::optional<SweepTask> next();
  /// The same without waiting.
  std::optional<SweepTask> try_next();
  void finish(std::size_t job, SweepOutcome outcome, SweepProduct product);
  /// No more jobs are handed out.
  void end();
  /// All jobs have ended, or the sweep was ended.
  bool over() const;
  const std::vector<SweepOutcome>& outcomes() const { return outcomes_; }

 private:
  enum class Place { waiting, running, ended };
  std::optional<SweepTask> take();
  void settle(std::size_t job, SweepOutcome outcome);
  void skip_unreachable();
  std::optional<double> time_left(double passed) const;
  SweepState state() const;

  const SweepPlan& plan_;
  SweepResults& results_;
  std::string build_;
  SweepSink sink_;
  std::vector<Place> places_;
  std::vector<SweepOutcome> outcomes_;
  std::vector<SweepProduct> products_;
  std::size_t first_ = 0;  // all before it are running or ended
  bool ended_ = false;
  double start_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
};

/// Does one task in the store `folder`/store: found there, or made by `work` and kept. The key is the stage, its
/// settings, and the digests of what it takes and of the files that it names. Errors other than `interrupted` come
/// back as the outcome.
SweepOutcome do_sweep_task(const SweepPlan& plan, const SweepTask& task, const Store& store, const SweepWork& work,
                           const Progress& progress, SweepProduct& product);

struct SweepOptions {
  std::size_t workers = 1;  ///< jobs at a time in this process, 1 to 1024
  bool retry = false;       ///< jobs that failed before are tried again
  /// Runs in the calling thread while the workers work: it may take jobs for other processes.
  std::function<void(SweepSchedule& schedule)> others{};
};

/// Does all jobs of a plan in a folder, each once, and writes results.sqlite and results.csv there. Killed at any
/// moment it loses the jobs in flight; called again it goes on. Throws `cannot_write` where another sweep is at work in
/// the folder, `interrupted` when stopped, after what was in flight has been given up.
std::vector<SweepOutcome> run_sweep(const SweepPlan& plan, const std::filesystem::path& folder,
                                    const std::string& build, const SweepWork& work, const SweepOptions& options = {},
                                    const SweepSink& sink = {}, const Progress& progress = {});

}  // namespace mercer
