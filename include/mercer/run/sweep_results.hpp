#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "mercer/run/sweep_plan.hpp"

namespace mercer {

/// How a job of a sweep ended.
struct SweepOutcome {
  enum class State { done, failed, skipped };
  State state = State::done;
  std::string text;    ///< the result, a JSON document; otherwise why there is none
  double seconds = 0;  ///< that it took
  bool found = false;  ///< done before: nothing was computed
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

}  // namespace mercer
