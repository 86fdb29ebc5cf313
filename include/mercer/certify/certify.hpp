#pragma once

#include <optional>
#include <set>
#include <string>

#include "mercer/core/progress.hpp"
#include "mercer/env/env.hpp"
#include "mercer/measure/certificate.hpp"
#include "mercer/measure/loss_bound.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/paired.hpp"

namespace mercer {

/// The rungs of the ladder, from what is only printed to what was measured.
enum class Level {
  paper,        ///< the published formulas: no guarantees
  rigorous,     ///< theorems, given the model or the task's declared bounds
  exact,        ///< both policies solved on a finite model
  statistical,  ///< from episodes, with a confidence
};

struct CertifyOptions {
  std::size_t episodes = 10000;  ///< paired ones, 2 to 10^9
  std::size_t coupled = 1000;    ///< of these, how many of the teacher are kept with their steps, 1 or more
  std::uint64_t seed = 0;        ///< must differ from the seeds that the embedding was made or chosen with
  double confidence = 0.95;      ///< in (0, 1); of every row alone
  std::size_t attempt = 0;  ///< j from 1: candidate of a search, spends (1 - confidence) / (j (j + 1)); 0: the only one
  LossMethod method = LossMethod::betting;
  Act act = Act::sample;
  double gamma = 1;                      ///< below 1: of the discounted return; 0 to 1
  std::optional<std::uint32_t> horizon;  ///< by default the task's
  std::set<Level> levels{Level::paper, Level::rigorous, Level::exact, Level::statistical};
  bool model = true;                      ///< also rows that stand on a finite model of the task
  std::optional<double> max_loss;         ///< allowed loss as a fraction of the teacher's |return|
  std::optional<double> max_loss_return;  ///< allowed loss in units of return
};

/// What the student may lose against the teacher in the task: plays both on the same episodes, bounds the loss, and
/// fills a row for each bound of the levels that were asked for. The student is whatever acts: for an embedding the
/// policy that was decoded from its bytes, so that rounding, projection and truncation are all in it.
///
/// Throws what `rollout` and `certify_loss` throw, and `missing_option` when `max_loss` was asked for and no percentage
/// can be promised. A budget that is not met is told by `met`, not by an error.
Certificate certify(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                    const Progress& progress = {});

/// The same from returns that were played already, as `options` say: for a search that certifies several students
/// against one teacher.
Certificate certify_paired(const Env& env, const Policy& teacher, const Policy& student, const PairedReturns& paired,
                           const CertifyOptions& options, const Progress& progress = {});

/// Rows of all bounds that can be had of one student, and sentences about those that cannot.
struct LevelRows {
  std::vector<CertificateRow> rows;
  std::vector<std::string> not_covered;
};

/// The rows of the ladder besides the paired one, for the levels in `options`. `measured` is the |loss| that was
/// measured.
///
/// Rows of levels paper and exact, and most of rigorous, stand on a finite process: the task itself where it is one
/// (`TabularEnv`), otherwise a model on the lattice of an embedding, estimated from `coupled` episodes of the teacher.
/// Of the rigorous rows about the same return the least is the `winner`.
LevelRows certify_levels(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                         double measured, const Progress& progress = {});

}  // namespace mercer
