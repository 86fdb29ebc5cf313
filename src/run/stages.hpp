#pragma once

#include <vector>

#include "run/sweep.hpp"

namespace mercer {

/// The verbs that a sweep can run, in the order of work, with the options that its file may set.
std::vector<SweepStage> sweep_stages();

/// Throws for the first value that its option does not take, before any work is done.
void check_sweep_values(const SweepPlan& plan);

/// Runs a job in this thread; the result is the JSON document of its verb, without times and paths. A promise that is
/// not kept is a result too.
std::string run_sweep_job(const SweepJob& job, const std::map<std::string, SweepProduct>& taken,
                          const std::filesystem::path& folder, const Progress& progress);

}  // namespace mercer
