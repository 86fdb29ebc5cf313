#pragma once

#include <functional>
#include <string>

#include "run/sweep.hpp"

/// Where mpirun started several of this program, makes them one team, and gives `words` what all but the first need:
/// they print nothing and write into a temporary folder. Throws `bad_value` for a verb that cannot be spread. To be
/// called first.
void start_ranks(std::vector<std::string>& words);

/// Ends this process's part. Where something failed, the others are ended too. Returns `code`.
int end_ranks(int code);

/// Whether this build can use MPI.
bool has_ranks();

/// The number of this process, 0 where it is alone, and how many there are.
std::size_t rank();
std::size_t ranks();

/// On rank 0, in the thread that started the program: hands jobs to the other ranks until the sweep is over.
void hand_out(mercer::SweepSchedule& schedule);

/// On all other ranks: does what rank 0 hands out until there is no more.
void serve(
    const std::function<mercer::SweepOutcome(const mercer::SweepTask& task, mercer::SweepProduct& product)>& work,
    const mercer::Progress& progress);
