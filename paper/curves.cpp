#include "curves.hpp"

#include <cmath>
#include <map>

namespace mercer::paper {

std::vector<std::string> curve_columns() {
  return {"env", "seed", "steps", "basis", "k", "k_rank", "parameters", "mean", "sd", "w1", "tv"};
}

void add_curves(Frame& frame, const Bench& bench, double steps, const Discretised& made,
                const std::vector<Truncated>& all) {
  const auto add = [&](const std::string& basis, double k, double rank, double parameters,
                       const std::vector<double>& returns, double w1, double tv) {
    const Summary earned = summary(returns);
    frame.add({made.env(), double(bench.seed), steps, basis, k, rank, parameters, earned.mean, earned.sd, w1, tv});
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

Seeds gaps(const Rows& rows, const std::string& basis, double k_rank, const std::string& reference) {
  Seeds all;
  const Rows own = rows.where("basis", basis).where("k_rank", k_rank), other = rows.where("basis", reference);
  for (const double seed : own.distinct("seed")) {
    all.push_back(std::abs(own.where("seed", seed).mean("mean") - other.where("seed", seed).mean("mean")));
  }
  return all;
}

Seeds last_gaps(const Rows& rows, const std::string& basis, const std::string& reference) {
  return gaps(rows, basis, rows.where("basis", basis).most("k_rank"), reference);
}

Curves gap_curves(const Rows& rows, const std::string& basis, const std::string& reference) {
  Curves curves;
  const Rows own = rows.where("basis", basis), other = rows.where("basis", reference);
  for (const double seed : own.distinct("seed")) {
    const Rows one = own.where("seed", seed);
    curves.x.push_back(one.numbers("k"));
    curves.y.push_back(one.numbers("mean"));
    const double truth = other.where("seed", seed).mean("mean");
    for (double& value : curves.y.back()) value = std::abs(value - truth);
  }
  return curves;
}

Seeds mean_gaps(const Rows& rows, const std::string& basis, const std::string& reference) {
  Seeds all;
  for (const Seeds& curve : gap_curves(rows, basis, reference).y) all.push_back(mean_of(curve));
  return all;
}

Seeds gaps_within(const Rows& rows, const std::string& basis, double parameters, const std::string& reference) {
  Seeds all;
  const Rows own = rows.where("basis", basis), other = rows.where("basis", reference);
  for (const double seed : own.distinct("seed")) {
    const Rows some = own.where("seed", seed).between("parameters", 0, parameters);
    const double truth = other.where("seed", seed).mean("mean");
    all.push_back(std::abs(some.where("k_rank", some.most("k_rank")).mean("mean") - truth) / std::abs(truth));
  }
  return all;
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

}  // namespace mercer::paper
