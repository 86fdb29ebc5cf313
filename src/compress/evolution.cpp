#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "core/eigen.hpp"
#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {

// Names follow Hansen's tutorial: p_sigma and p_c are the evolution paths, c_1 and c_mu the learning rates of the
// covariance matrix, mu_eff the number of candidates that effectively count.
struct Evolution::State {
  Eigen::VectorXd mean, p_sigma, p_c, spread;
  Eigen::MatrixXd covariance, axes;  // covariance = axes diag(spread^2) axes'
  Eigen::MatrixXd normals, steps;    // of the generation, one column each
  std::vector<double> candidates;
  std::vector<double> weights;
  double sigma = 0, mu_eff = 0, c_sigma = 0, d_sigma = 0, c_c = 0, c_1 = 0, c_mu = 0, expected = 0;
  std::uint64_t seed = 0, item = 0;
  std::uint32_t generation = 0, decomposed = 0;
  std::size_t population = 0;

  void set_rates(double n) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < population / 2; ++i) {
      weights.push_back(std::log((static_cast<double>(population) + 1) / 2) - std::log(static_cast<double>(i) + 1));
      sum += weights.back();
    }
    for (double& weight : weights) {
      weight /= sum;
      squares += weight * weight;
    }
    mu_eff = 1 / squares;
    c_sigma = (mu_eff + 2) / (n + mu_eff + 5);
    d_sigma = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma;
    c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n);
    c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu_eff);
    c_mu = std::min(1 - c_1, 2 * (mu_eff - 2 + 1 / mu_eff) / ((n + 2) * (n + 2) + mu_eff));
    expected = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));  // of the length of a normal vector
  }

  // Only every so often: the matrix hardly changes in one generation.
  void decompose() {
    const auto n = static_cast<double>(mean.size());
    const double often = 1 / ((c_1 + c_mu) * n * 10);
    if (generation != 0 && generation - decomposed < often) return;
    decomposed = generation;
    covariance = ((covariance + covariance.transpose()) / 2).eval();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    axes = solver.eigenvectors();
    const double most = solver.eigenvalues().maxCoeff();
    spread = solver.eigenvalues().cwiseMax(1e-14 * most).cwiseSqrt();
  }
};

Evolution::Evolution(std::span<const double> start, double step, std::uint64_t seed, std::uint64_t item,
                     std::size_t population)
    : state_(std::make_unique<State>()) {
  require_in_range("the number of values to search over", static_cast<double>(start.size()), 1, 4096,
                   "Search over fewer");
  if (!(step > 0) || !std::isfinite(step)) {
    throw Error(ErrorCode::out_of_range, fmt::format("a first step of {}; legal: above 0", step), "Take 0.3");
  }
  State& s = *state_;
  const auto n = static_cast<Eigen::Index>(start.size());
  s.population = population > 0 ? std::max<std::size_t>(4, population)
                                : 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(n)));
  s.mean = Eigen::Map<const Eigen::VectorXd>(start.data(), n);
  s.sigma = step;
  s.seed = seed;
  s.item = item;
  s.p_sigma = s.p_c = Eigen::VectorXd::Zero(n);
  s.covariance = Eigen::MatrixXd::Identity(n, n);
  s.set_rates(static_cast<double>(n));
  s.candidates.resize(start.size() * s.population);
}

Evolution::~Evolution() = default;
Evolution::Evolution(Evolution&&) noexcept = default;
Evolution& Evolution::operator=(Evolution&&) noexcept = default;

std::size_t Evolution::population() const { return state_->population; }
double Evolution::step() const { return state_->sigma; }
std::span<const double> Evolution::mean() const {
  return {state_->mean.data(), static_cast<std::size_t>(state_->mean.size())};
}

MatrixView<const double> Evolution::ask() {
  State& s = *state_;
  const Eigen::Index n = s.mean.size(), count = static_cast<Eigen::Index>(s.population);
  s.decompose();
  Random random({s.seed, Stage::search, s.item, s.generation});
  s.normals.resize(n, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index d = 0; d < n; ++d) s.normals(d, i) = random.normal();
  }
  s.steps = s.axes * (s.spread.asDiagonal() * s.normals);
  for (Eigen::Index d = 0; d < n; ++d) {
    for (Eigen::Index i = 0; i < count; ++i) {
      s.candidates[static_cast<std::size_t>(d * count + i)] = s.mean[d] + s.sigma * s.steps(d, i);
    }
  }
  return {s.candidates.data(), static_cast<std::size_t>(n), s.population};
}

void Evolution::tell(std::span<const double> values) {
  State& s = *state_;
  if (values.size() != s.population) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} values for {} candidates", values.size(), s.population),
                "Give one for each");
  }
  const auto rank = [&](std::size_t i) { return std::isnan(values[i]) ? HUGE_VAL : values[i]; };
  std::vector<std::size_t> order(s.population);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });

  const auto n = static_cast<double>(s.mean.size());
  Eigen::VectorXd moved = Eigen::VectorXd::Zero(s.mean.size()), white = moved;
  Eigen::MatrixXd rank_mu = Eigen::MatrixXd::Zero(s.mean.size(), s.mean.size());
  for (std::size_t i = 0; i < s.weights.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(order[i]);
    moved += s.weights[i] * s.steps.col(column);
    white += s.weights[i] * s.normals.col(column);
    rank_mu += s.weights[i] * s.steps.col(column) * s.steps.col(column).transpose();
  }
  s.mean += s.sigma * moved;
  s.p_sigma = (1 - s.c_sigma) * s.p_sigma + std::sqrt(s.c_sigma * (2 - s.c_sigma) * s.mu_eff) * (s.axes * white);
  ++s.generation;
  const double unbiased = std::sqrt(1 - std::pow(1 - s.c_sigma, 2.0 * s.generation));
  const bool steady = s.p_sigma.norm() / unbiased / s.expected < 1.4 + 2 / (n + 1);
  s.p_c *= 1 - s.c_c;
  if (steady) s.p_c += std::sqrt(s.c_c * (2 - s.c_c) * s.mu_eff) * moved;
  const double kept = 1 - s.c_1 - s.c_mu + (steady ? 0 : s.c_1 * s.c_c * (2 - s.c_c));
  s.covariance = kept * s.covariance + s.c_1 * s.p_c * s.p_c.transpose() + s.c_mu * rank_mu;
  s.sigma *= std::exp(std::min(1.0, s.c_sigma / s.d_sigma * (s.p_sigma.norm() / s.expected - 1)));
}

}  // namespace mercer
