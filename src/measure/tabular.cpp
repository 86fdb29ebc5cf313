#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/LU>
#include <Eigen/SparseLU>

#include "mercer/error.hpp"
#include "mercer/mdp.hpp"

namespace mercer {

/// I - g C, factorised once for both C and its transpose.
class DiscountedSystem {
 public:
  /// Keeps a reference to the chain.
  DiscountedSystem(const PolicyChain& chain, double gamma, const TabularOptions& options);
  ~DiscountedSystem();

  std::vector<double> solve(std::span<const double> b, bool transposed) const;

  struct Factors;

 private:
  std::vector<double> residual(std::span<const double> b, std::span<const double> x, bool transposed) const;

  const PolicyChain& chain_;
  double gamma_;
  std::unique_ptr<Factors> factors_;
};

namespace {

using Sparse = Eigen::SparseMatrix<double>;

Sparse sparse_matrix(const PolicyChain& chain, double gamma) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(chain.next.size() + chain.n);
  for (std::size_t s = 0; s < chain.n; ++s) {
    entries.emplace_back(static_cast<int>(s), static_cast<int>(s), 1.0);
    for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
      entries.emplace_back(static_cast<int>(s), static_cast<int>(chain.next[i]), -gamma * chain.probability[i]);
    }
  }
  const auto n = static_cast<Eigen::Index>(chain.n);
  Sparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::MatrixXd dense_matrix(const PolicyChain& chain, double gamma) {
  const auto n = static_cast<Eigen::Index>(chain.n);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
  for (std::size_t s = 0; s < chain.n; ++s) {
    for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
      matrix(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(chain.next[i])) -= gamma * chain.probability[i];
    }
  }
  return matrix;
}

// Elimination fills in what lies between a state and where it leads: cheap for lattices, hopeless for random graphs.
bool local(const PolicyChain& chain) {
  double reach = 0;
  for (std::size_t s = 0; s < chain.n; ++s) {
    if (chain.offsets[s] == chain.offsets[s + 1]) continue;
    const auto lowest = std::min<std::size_t>(s, chain.next[chain.offsets[s]]);
    const auto highest = std::max<std::size_t>(s, chain.next[chain.offsets[s + 1] - 1]);
    reach += static_cast<double>(highest - lowest);
  }
  return reach <= 2000.0 * static_cast<double>(chain.n);
}

TabularSolver choose(const PolicyChain& chain, TabularSolver wanted) {
  if (wanted != TabularSolver::automatic) return wanted;
  if (chain.n <= 600) return TabularSolver::dense;
  return chain.n <= 100000 && local(chain) ? TabularSolver::direct : TabularSolver::iterative;
}

Eigen::Map<const Eigen::VectorXd> mapped(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

// x <- b + g C x until it stands still. For the discount it converges always, if slowly.
Eigen::VectorXd value_iteration(const Sparse& matrix, const Eigen::VectorXd& b, Eigen::VectorXd x, double gamma,
                                double tolerance) {
  const double small = tolerance * b.lpNorm<Eigen::Infinity>();
  const auto most = gamma > 0 ? static_cast<int>(std::min(1e6, std::ceil(std::log(1e-17) / std::log(gamma)))) : 1;
  for (int i = 0; i < most; ++i) {
    const Eigen::VectorXd residual = b - matrix * x;
    x += residual;
    if (residual.lpNorm<Eigen::Infinity>() <= small) break;
  }
  return x;
}

}  // namespace

struct DiscountedSystem::Factors {
  TabularSolver solver;
  double gamma, tolerance;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense;
  Eigen::SparseLU<Sparse> direct;
  Sparse matrix, transpose;

  Eigen::VectorXd solve(const Eigen::VectorXd& b, bool transposed) {
    if (solver == TabularSolver::dense) {
      return transposed ? Eigen::VectorXd(dense.transpose().solve(b)) : Eigen::VectorXd(dense.solve(b));
    }
    if (solver == TabularSolver::direct) {
      return transposed ? Eigen::VectorXd(direct.transpose().solve(b)) : Eigen::VectorXd(direct.solve(b));
    }
    const Sparse& own = transposed ? transpose : matrix;
    Eigen::BiCGSTAB<Sparse> iteration(own);
    iteration.setTolerance(tolerance);
    iteration.setMaxIterations(2000);
    Eigen::VectorXd x = iteration.solve(b);
    if (iteration.info() == Eigen::Success && x.allFinite()) return x;
    if (!x.allFinite() || (b - own * x).norm() > b.norm()) x.setZero();
    return value_iteration(own, b, std::move(x), gamma, tolerance);
  }
};

DiscountedSystem::DiscountedSystem(const PolicyChain& chain, double gamma, const TabularOptions& options)
    : chain_(chain), gamma_(gamma), factors_(std::make_unique<Factors>()) {
  require_in_range("the discount gamma of an endless process", gamma, 0, std::nextafter(1.0, 0.0),
                   "Give a discount below 1, or a finite horizon");
  require_in_range("the tolerance of the solver", options.tolerance, 1e-16, 1, "1e-13 is the default");
  factors_->solver = choose(chain, options.solver);
  factors_->gamma = gamma;
  factors_->tolerance = options.tolerance;
  if (factors_->solver == TabularSolver::dense) {
    if (chain.n > 20000) {
      throw Error(ErrorCode::too_large, "a dense system of more than 20000 states", "Take the iterative solver");
    }
    factors_->dense.compute(dense_matrix(chain, gamma));
    return;
  }
  factors_->matrix = sparse_matrix(chain, gamma);
  if (factors_->solver == TabularSolver::direct) {
    factors_->direct.compute(factors_->matrix);
    if (factors_->direct.info() == Eigen::Success) return;
    factors_->solver = TabularSolver::iterative;  // for want of memory: the matrix itself is never singular
  }
  factors_->transpose = factors_->matrix.transpose();
}

DiscountedSystem::~DiscountedSystem() = default;

std::vector<double> DiscountedSystem::residual(std::span<const double> b, std::span<const double> x,
                                               bool transposed) const {
  std::vector<long double> sum(b.size());
  for (std::size_t s = 0; s < b.size(); ++s) sum[s] = static_cast<long double>(b[s]) - x[s];
  for (std::size_t s = 0; s < chain_.n; ++s) {
    for (std::size_t i = chain_.offsets[s]; i < chain_.offsets[s + 1]; ++i) {
      const std::size_t to = chain_.next[i];
      const long double p = static_cast<long double>(gamma_) * chain_.probability[i];
      (transposed ? sum[to] : sum[s]) += p * (transposed ? x[s] : x[to]);
    }
  }
  return {sum.begin(), sum.end()};
}

std::vector<double> DiscountedSystem::solve(std::span<const double> b, bool transposed) const {
  Eigen::VectorXd x = factors_->solve(mapped(b), transposed);
  const std::vector<double> rest = residual(b, {x.data(), b.size()}, transposed);
  x += factors_->solve(mapped(rest), transposed);
  return {x.data(), x.data() + x.size()};
}

std::vector<double> solve_discounted(const PolicyChain& chain, double gamma, std::span<const double> b, bool transposed,
                                     const TabularOptions& options) {
  if (b.size() != chain.n) {
    throw Error(ErrorCode::shape_mismatch, "the right side has another length than the chain has states",
                "Give one number for each state");
  }
  return DiscountedSystem(chain, gamma, options).solve(b, transposed);
}

namespace {

// gamma_k = k u / (1 - k u) bounds the relative error of k roundings; u of long double.
long double rounding(std::size_t count) {
  const long double ku = static_cast<long double>(count) * std::numeric_limits<long double>::epsilon() / 2;
  return ku / (1 - ku);
}

void fill_critic(const SparseMdp& mdp, TabularSolution& solution) {
  const std::size_t n = mdp.n, m = mdp.m;
  solution.Q.resize(n * m);
  solution.A.resize(n * m);
  solution.span_A.resize(n);
  for (std::size_t s = 0; s < n; ++s) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t sa = s * m; sa < (s + 1) * m; ++sa) {
      double next = 0;
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        next += mdp.probability[i] * solution.V[mdp.next[i]];
      }
      solution.Q[sa] = mdp.r[sa] + mdp.gamma * next;
      const double advantage = solution.A[sa] = solution.Q[sa] - solution.V[s];
      low = std::min(low, advantage);
      high = std::max(high, advantage);
      solution.eps_bar = std::max(solution.eps_bar, std::abs(advantage));
    }
    solution.span_A[s] = high - low;
  }
}

}  // namespace

double value_error(const SparseMdp& mdp, std::span<const double> pi, std::span<const double> V) {
  const long double gamma = mdp.gamma;
  long double worst = 0, most_mass = 0;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    long double sum = -static_cast<long double>(V[s]), size = std::abs(V[s]), mass = 0;
    std::size_t count = 2 * mdp.m + 6;
    for (std::size_t sa = s * mdp.m; sa < (s + 1) * mdp.m; ++sa) {
      long double next = 0, next_size = 0, next_mass = 0;
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        const long double p = mdp.probability[i];
        next += p * V[mdp.next[i]];
        next_size += p * std::abs(V[mdp.next[i]]);
        next_mass += p;
      }
      sum += pi[sa] * (mdp.r[sa] + gamma * next);
      size += pi[sa] * (std::abs(mdp.r[sa]) + gamma * next_size);
      mass += pi[sa] * next_mass;
      count += mdp.offsets[sa + 1] - mdp.offsets[sa];
    }
    const long double slack = rounding(count);
    worst = std::max(worst, std::abs(sum) + slack * size);
    most_mass = std::max(most_mass, mass * (1 + slack));
  }
  // Rows of doubles sum to one only nearly; what counts is by how much a step contracts.
  const long double contraction = 1 - gamma * most_mass;
  if (contraction <= 0) return HUGE_VAL;
  const long double error = worst / contraction;
  return std::nextafter(static_cast<double>(error), HUGE_VAL);
}

TabularSolution solve_tabular(const SparseMdp& mdp, std::span<const double> pi, const TabularOptions& options) {
  const PolicyChain chain = policy_chain(mdp, pi);
  const DiscountedSystem system(chain, mdp.gamma, options);
  TabularSolution solution;
  solution.V = system.solve(chain.r, false);
  solution.d = system.solve(mdp.mu, true);
  for (double& visits : solution.d) visits = std::max(0.0, (1 - mdp.gamma) * visits);
  fill_critic(mdp, solution);
  long double eta = 0, size = 0;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    eta += static_cast<long double>(mdp.mu[s]) * solution.V[s];
    size += static_cast<long double>(mdp.mu[s]) * std::abs(solution.V[s]);
  }
  solution.eta = static_cast<double>(eta);
  solution.V_error = value_error(mdp, pi, solution.V);
  const long double error = solution.V_error * (1 + rounding(mdp.n + 4)) + rounding(mdp.n + 4) * size +
                            std::numeric_limits<double>::epsilon() * std::abs(eta);
  solution.eta_error = std::nextafter(static_cast<double>(error), HUGE_VAL);
  return solution;
}

}  // namespace mercer
