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

/// |return of `basis` at K - return of `reference`| for each seed; `reference` is "lattice" or "teacher".
Seeds gaps(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference);
/// The same at the K with most parameters.
Seeds last_gaps(const Rows& rows, const std::string& basis, const std::string& reference);
/// The gap over K, a curve for each seed.
Curves gap_curves(const Rows& rows, const std::string& basis, const std::string& reference);
/// The gap of each seed, mean over all its K.
Seeds mean_gaps(const Rows& rows, const std::string& basis, const std::string& reference);
/// The gap as a share of |return of the reference|, at the largest K with at most `parameters`; NaN without any.
Seeds gaps_within(const Rows& rows, const std::string& basis, double parameters, const std::string& reference);

/// Standard error of a difference of two mean returns, from the pooled variance, mean over the seeds: with n episodes
/// of each, sqrt((s1^2 + s2^2) / n).
double pooled_error(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference);

}  // namespace mercer::paper
