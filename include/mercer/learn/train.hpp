#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mercer/core/progress.hpp"
#include "mercer/env/env.hpp"
#include "mercer/learn/options.hpp"

namespace mercer {

/// What to train, for how long, and where to keep it.
struct TrainOptions {
  std::string env;               ///< how the task was asked for; written into every file
  std::uint64_t seed = 0;        ///< any
  std::uint64_t steps = 10'000;  ///< steps to play, 1 to 10^9
  std::vector<std::uint64_t>
      snapshots;  ///< steps after which to keep the weights, 1 to `steps`; the last always is one
  AlgorithmOptions algorithm;
  std::filesystem::path folder;    ///< made if it is not there
  bool force = false;              ///< throw away a run with other settings that the folder holds
  double checkpoint_seconds = 10;  ///< between two checkpoints, 0 to 10^6; changes no result
};

struct Snapshot {
  std::uint64_t step = 0;
  std::filesystem::path file;
};

struct TrainResult {
  std::uint64_t steps = 0;         ///< of the run, earlier calls included
  std::uint64_t resumed_from = 0;  ///< the step this call began with
  double seconds = 0;              ///< of this call
  std::vector<Snapshot> snapshots;
};

/// Trains a policy and keeps snapshots in `options.folder`, each a policy that `make_policy` loads.
///
/// The result depends on task, seed and algorithm options alone: not on threads, nor on when the work was stopped,
/// killed or continued. A checkpoint in the folder holds all of the run's state; the same call continues there to the
/// same bits, and a call with more steps trains on. Costs one update of the networks a step, by default.
///
/// Throws `bad_value` when the folder holds a run with other settings, `cannot_write` when another process is training
/// there, `out_of_range` for options outside their range, `not_finite` when the weights have grown beyond all bounds,
/// and `interrupted`, after writing a checkpoint, when a stop is requested.
TrainResult train(const Env& env, const TrainOptions& options, const Progress& progress = {});

}  // namespace mercer
