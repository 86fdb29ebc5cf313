#pragma once

#include "paper/verdict.hpp"

namespace mercer::paper {

// The hypotheses of each item, on its tables: of one environment where they have several. One file each. A file is
// committed before the results that it judges; the page of the results shows both commits.

Rules turntable_rules(const Tables& tables);
Rules bandit_rules(const Tables& tables);
Rules mountain_car_rules(const Tables& tables);
Rules pendulum_rules(const Tables& tables);
Rules return_spread_rules(const Tables& tables);
Rules pruned_rules(const Tables& tables);
Rules stationary_rules(const Tables& tables);
Rules discretisation_rules(const Tables& tables);
Rules chain_rules(const Tables& tables);
Rules binning_rules(const Tables& tables);
Rules polar_rules(const Tables& tables);
Rules complexity_rules(const Tables& tables);
Rules additions_rules(const Tables& tables);
Rules real_size_rules(const Tables& tables);
Rules rates_rules(const Tables& tables);
Rules kernels_rules(const Tables& tables);
Rules printed_rules(const Tables& tables);
Rules mixtures_rules(const Tables& tables);
Rules variance_rules(const Tables& tables);

/// Of the table of rates: error over K.
Curves rate_curves(const Rows& rows, const std::string& domain, const std::string& norm);

}  // namespace mercer::paper
