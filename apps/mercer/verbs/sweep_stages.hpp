#pragma once

#include <vector>

#include "run/sweep.hpp"

/// The verbs that a sweep can run, in the order of work, with what their files may set.
std::vector<mercer::SweepStage> sweep_stages();

/// Throws for the first value that its setting does not take, before any work is done.
void check_sweep_values(const mercer::SweepPlan& plan);

/// Runs the verb of a job in this thread, as the command line would; the result is what `--json` prints, without times
/// and paths. A promise that is not met is a result too.
std::string run_sweep_job(const mercer::SweepJob& job, const std::map<std::string, mercer::SweepProduct>& taken,
                          const std::filesystem::path& folder, const mercer::Progress& progress);
