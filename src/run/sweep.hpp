#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/documents.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "run/store.hpp"

namespace mercer {

/// A setting that an earlier stage fills: `policy` of an embedding is what the training made.
struct SweepTake {
  std::string setting;
  std::vector<std::string> stages;  ///< the first of them that the sweep has
  std::string top = {};             ///< without any of them: this setting of the top of the file
};

/// A stage as a sweep knows it.
struct SweepStage {
  std::string name;                   ///< also its table in the file
  std::vector<std::string> settings;  ///< names that the file may use
  std::vector<std::string> files;     ///< those of them that may name a file
  std::vector<SweepTake> takes;
  bool makes = true;     ///< a file that later stages can take as "@name"
  bool resumes = false;  ///< it goes on from files that a killed process left
};

/// One piece of work: a stage with all its settings. Cells that agree on them share it.
struct SweepJob {
  std::string id;  ///< 32 digits of the SHA-256 of stage, settings and the ids of what it takes
  std::string stage;
  std::map<std::string, std::string> settings;  ///< "@train" stands for what that job makes; paths as from the sweep
  std::map<std::string, std::size_t> takes;     ///< jobs by stage
  std::vector<std::string> files;               ///< files that its settings name
  bool resumes = false;
};

/// One point of the grid: a value for everything that varies, and a job for every stage.
struct SweepCell {
  std::vector<std::string> values;
  std::vector<std::size_t> jobs;
};

/// All that a sweep file asks for.
struct SweepPlan {
  std::vector<std::string> varied;  ///< keys with several values, in the file's order
  std::vector<std::string> stages;  ///< in the order of work
  std::vector<SweepCell> cells;     ///< the first key varies slowest
  std::vector<SweepJob> jobs;       ///< each after those it takes
};

/// The plan that a sweep file describes.
///
///     seed = [0, 1, 2]                     # every stage, three values
///     together = ["embed.basis, embed.k"]  # these walk side by side instead of crossing
///     [train]
///     env = "pendulum"
///     [embed]
///     basis = ["dct", "svd"]
///     k = [400, 12]
///
/// A table is a stage; `stages = [...]` names those that need no table. A key at the top is for every stage that knows
/// it and does not say otherwise. An array holds the values to try, crossed with all other arrays. What a stage takes
/// from an earlier one is filled in unless its own table says so ("@train", "@train:kind=greedy", or anything else).
/// Paths are as seen from the folder of the file, and become paths as seen from `from`, the folder where jobs run.
///
/// Throws `unknown_name` with the nearest known name for tables, keys and stages, `bad_value` for arrays that cannot
/// walk together, values given twice, keys that nothing uses and references to later stages, `too_large` for more than
/// 10^6 cells, and what `read_toml` throws. Cost: cells times settings.
SweepPlan plan_sweep(const std::filesystem::path& file, const std::vector<SweepStage>& known,
                     const std::filesystem::path& from);

/// How a job of a sweep ended.
struct SweepOutcome {
  enum class State { done, failed, skipped };
  State state = State::done;
  std::string text;    ///< the result, a JSON document; otherwise why there is none
  double seconds = 0;  ///< that it took
  bool found = false;  ///< done before: nothing was computed
  /// Failed for want of disk or memory, not by its settings: the next run tries it again.
  std::optional<ErrorCode> shortage = {};
};
std::string to_string(SweepOutcome::State state);

/// The results of a sweep in one SQLite file, in WAL mode: others may read while it is written, and a process killed at
/// any moment leaves it whole. Tables: `jobs` (one row each: id, build, stage, settings, state, error, seconds,
/// result), `cells` (cell, key, value: what varies), `cell_jobs` (cell, stage, job), `numbers` (job, name, value: every
/// number of every result). The view `results` joins them: cell, stage, name, value.
class SweepResults {
 public:
  /// Opens or makes the file. Throws `cannot_write`, or `corrupt_file` for one that is no database.
  explicit SweepResults(const std::filesystem::path& file);
  ~SweepResults();

  /// The cells of this plan in the place of those of an earlier one; outcomes of jobs stay.
  void set_plan(const SweepPlan& plan);
  void record(const SweepJob& job, const SweepOutcome& outcome, const std::string& build);
  /// What was recorded of a job by this build.
  std::optional<SweepOutcome> outcome(const SweepJob& job, const std::string& build) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

/// A row for each cell: its number, what varies, `state` and `error`, then every number, truth value and word of its
/// stages' results as `stage.name`; what a cell does not have is empty. Written atomically; the same bytes for the same
/// results. `outcomes` has one for each job.
void write_sweep_csv(const std::filesystem::path& file, const SweepPlan& plan,
                     const std::vector<SweepOutcome>& outcomes);

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

/// Throws what the first job lacked, `cannot_write` or `too_large`, if any failed for want of disk or memory.
void require_room(const std::vector<SweepOutcome>& outcomes);

/// Keys whose values walk side by side: step i takes the i-th value of each.
struct SweepAxis {
  std::vector<std::string> keys;
  std::size_t steps = 1;
};

/// A sweep file, checked: every key is one of a stage that is in use.
struct SweepFile {
  std::vector<std::string> stages;                         ///< in use, in the order of work
  std::map<std::string, std::vector<std::string>> values;  ///< by key, "seed" or "embed.basis"
  std::vector<std::string> varied;                         ///< keys with several values, in the file's order
  std::vector<SweepAxis> axes;
};

/// Whether a list has that name.
bool has_name(const std::vector<std::string>& names, const std::string& name);

SweepFile read_sweep_file(const std::filesystem::path& file, const std::vector<SweepStage>& known);

/// The verbs that a sweep can run, in the order of work, with the options that its file may set.
std::vector<SweepStage> sweep_stages();

/// Throws for the first value that its option does not take, before any work is done.
void check_sweep_values(const SweepPlan& plan);

/// Runs a job in this thread; the result is the JSON document of its verb, without times and paths. A promise that is
/// not kept is a result too.
std::string run_sweep_job(const SweepJob& job, const std::map<std::string, SweepProduct>& taken,
                          const std::filesystem::path& folder, const Progress& progress);

}  // namespace mercer
