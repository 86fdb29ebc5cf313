#pragma once

#include "frame.hpp"
#include "lattices.hpp"
#include "verdict.hpp"

namespace mercer::paper {

/// Columns of `add_curves`.
std::vector<std::string> curve_columns();

/// A row for the teacher, one for its lattice and one for each truncated table, with mean and sd of the returns.
/// `steps` names the snapshot.
void add_curves(Frame& frame, const Bench& bench, double steps, const Discretised& made,
                const std::vector<Truncated>& all);

/// |return of `basis` at K - return of `reference`| for each seed, mean over them; `reference` is "lattice" or
/// "teacher".
double mean_gap(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference);

/// How many different K a basis was tried with, the same for each seed.
std::size_t k_count(const Rows& rows, const std::string& basis);

/// The gap averaged over all K of a basis.
double overall_gap(const Rows& rows, const std::string& basis, const std::string& reference);

/// Standard error of a difference of two mean returns, from the pooled variance, mean over the seeds: with n episodes
/// of each, sqrt((s1^2 + s2^2) / n).
double pooled_error(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference);

/// Mean number of parameters at the `k_rank`-th K (from 0).
double parameters_at(const Rows& rows, const std::string& basis, double k_rank);

}  // namespace mercer::paper
