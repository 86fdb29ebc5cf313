#include "curves.hpp"

#include <cmath>
#include <map>

namespace mercer::paper {

std::vector<std::string> curve_columns() {
  return {"seed", "steps", "basis", "k", "k_rank", "parameters", "mean", "sd", "w1", "tv"};
}

void add_curves(Frame& frame, const Bench& bench, double steps, const Discretised& made,
                const std::vector<Truncated>& all) {
  const auto add = [&](const std::string& basis, double k, double rank, double parameters,
                       const std::vector<double>& returns, double w1, double tv) {
    const Summary earned = summary(returns);
    frame.add({double(bench.seed), steps, basis, k, rank, parameters, earned.mean, earned.sd, w1, tv});
  };
  const double table = static_cast<double>(made.lattice.table.pi.size());
  add("teacher", 0, 0, static_cast<double>(network_parameters(bench, made.head)), made.teacher_returns, 0, 0);
  add("lattice", table, 0, table, made.lattice_returns, 0, 0);
  std::map<std::string, double> rank;
  for (const Truncated& one : all) {
    add(one.basis, static_cast<double>(one.k), rank[one.basis]++, static_cast<double>(one.parameters), one.returns,
        one.w1, one.tv);
  }
}

double mean_gap(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference) {
  std::vector<double> gaps;
  const Rows own = rows.where("basis", basis).where("k_rank", k_rank), other = rows.where("basis", reference);
  for (const double seed : own.distinct("seed")) {
    gaps.push_back(std::abs(own.where("seed", seed).mean("mean") - other.where("seed", seed).mean("mean")));
  }
  return mean_of(gaps);
}

std::size_t k_count(const Rows& rows, const std::string& basis) {
  return rows.where("basis", basis).distinct("k_rank").size();
}

double overall_gap(const Rows& rows, const std::string& basis, const std::string& reference) {
  std::vector<double> gaps;
  for (const double rank : rows.where("basis", basis).distinct("k_rank")) {
    gaps.push_back(mean_gap(rows, basis, rank, reference));
  }
  return mean_of(gaps);
}

double pooled_error(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference) {
  std::vector<double> errors;
  const Rows own = rows.where("basis", basis).where("k_rank", k_rank), other = rows.where("basis", reference);
  for (const double seed : own.distinct("seed")) {
    errors.push_back(std::hypot(own.where("seed", seed).mean("sd"), other.where("seed", seed).mean("sd")) /
                     std::sqrt(static_cast<double>(trial_episodes)));
  }
  return mean_of(errors);
}

double parameters_at(const Rows& rows, const std::string& basis, double k_rank) {
  return rows.where("basis", basis).where("k_rank", k_rank).mean("parameters");
}

}  // namespace mercer::paper
