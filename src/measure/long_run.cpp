#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/eigen.hpp"
#include "mercer/error.hpp"
#include "mercer/mdp.hpp"

namespace mercer {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using EigenView = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;

EigenView eigen_view(MatrixView<const double> matrix) {
  if (matrix.rows() == 0 || matrix.cols() == 0) {
    throw Error(ErrorCode::shape_mismatch, "an empty matrix has no singular values", "Give at least one entry");
  }
  return {&matrix(0, 0), static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(matrix.cols()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(matrix.stride()))};
}

}  // namespace

SchattenNorms schatten_norms(MatrixView<const double> matrix) {
  const EigenView view = eigen_view(matrix);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(view.rows() >= view.cols() ? Eigen::MatrixXd(view)
                                                                      : Eigen::MatrixXd(view.transpose()));
  const Eigen::VectorXd& sigma = svd.singularValues();
  return {sigma.sum(), sigma.norm(), sigma.maxCoeff()};
}

double spectral_norm(MatrixView<const double> matrix) {
  const EigenView view = eigen_view(matrix);
  const Eigen::MatrixXd gram =
      view.rows() <= view.cols() ? Eigen::MatrixXd(view * view.transpose()) : Eigen::MatrixXd(view.transpose() * view);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues().maxCoeff()));
}

namespace {

constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

// Tarjan's search with its own stack: a chain of 10^5 states would overflow that of the program.
class Search {
 public:
  explicit Search(const PolicyChain& chain)
      : chain_(chain), order_(chain.n, unseen), low_(chain.n), component_(chain.n, unseen) {
    for (std::uint32_t s = 0; s < chain.n; ++s) {
      if (order_[s] == unseen) visit(s);
    }
  }
  const std::vector<std::uint32_t>& component() const { return component_; }
  std::uint32_t components() const { return components_; }

 private:
  struct Frame {
    std::uint32_t state;
    std::size_t edge;
  };

  void enter(std::uint32_t s) {
    order_[s] = low_[s] = time_++;
    open_.push_back(s);
    frames_.push_back({s, chain_.offsets[s]});
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!frames_.empty()) {
      const std::uint32_t s = frames_.back().state;
      if (frames_.back().edge < chain_.offsets[s + 1]) {
        const std::size_t edge = frames_.back().edge++;
        const std::uint32_t to = chain_.next[edge];
        if (!(chain_.probability[edge] > 0)) continue;
        if (order_[to] == unseen) {
          enter(to);
        } else if (component_[to] == unseen) {
          low_[s] = std::min(low_[s], order_[to]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[s]);
      if (low_[s] == order_[s]) close(s);
    }
  }

  void close(std::uint32_t root) {
    while (component_[root] == unseen) {
      component_[open_.back()] = components_;
      open_.pop_back();
    }
    ++components_;
  }

  const PolicyChain& chain_;
  std::vector<std::uint32_t> order_, low_, component_, open_;
  std::vector<Frame> frames_;
  std::uint32_t time_ = 0, components_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> closed_classes(const PolicyChain& chain) {
  const Search search(chain);
  const auto& component = search.component();
  std::vector<std::uint8_t> leaves(search.components());
  for (std::size_t s = 0; s < chain.n; ++s) {
    for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
      if (chain.probability[i] > 0 && component[chain.next[i]] != component[s]) leaves[component[s]] = 1;
    }
  }
  std::vector<std::vector<std::uint32_t>> members(search.components());
  for (std::uint32_t s = 0; s < chain.n; ++s) members[component[s]].push_back(s);
  std::vector<std::vector<std::uint32_t>> closed;
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (leaves[c] == 0) closed.push_back(std::move(members[c]));
  }
  return closed;
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr std::size_t most_states = 3000;

RowMajor dense(const PolicyChain& chain) {
  const auto n = static_cast<Eigen::Index>(chain.n);
  RowMajor P = RowMajor::Zero(n, n);
  for (std::size_t s = 0; s < chain.n; ++s) {
    for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
      P(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(chain.next[i])) = chain.probability[i];
    }
  }
  return P;
}

void fill_conditioning(LongRun& run, Eigen::Index n) {
  const Eigen::Map<const RowMajor> Z(run.Z.data(), n, n), G(run.G.data(), n, n);
  double widest = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i + 1; j < n; ++j) widest = std::max(widest, (Z.row(i) - Z.row(j)).cwiseAbs().sum());
  }
  run.tau = widest / 2;
  run.kappa3 = (G.diagonal().transpose() - G.colwise().minCoeff()).maxCoeff() / 2;
}

}  // namespace

std::vector<double> stationary_distribution(const PolicyChain& chain, std::span<const std::uint32_t> states) {
  const auto count = static_cast<Eigen::Index>(states.size());
  std::vector<Eigen::Index> place(chain.n, -1);
  for (Eigen::Index i = 0; i < count; ++i) place[states[static_cast<std::size_t>(i)]] = i;
  RowMajor P = RowMajor::Zero(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::size_t s = states[static_cast<std::size_t>(i)];
    for (std::size_t e = chain.offsets[s]; e < chain.offsets[s + 1]; ++e)
      P(i, place[chain.next[e]]) = chain.probability[e];
  }
  Eigen::VectorXd weight(count);
  for (Eigen::Index k = count - 1; k > 0; --k) {
    P.col(k).head(k) /= P.row(k).head(k).sum();
    P.topLeftCorner(k, k) += P.col(k).head(k) * P.row(k).head(k);
  }
  weight(0) = 1;
  for (Eigen::Index k = 1; k < count; ++k) weight(k) = weight.head(k).dot(P.col(k).head(k));
  weight /= weight.sum();
  std::vector<double> rho(chain.n);
  for (Eigen::Index i = 0; i < count; ++i) rho[states[static_cast<std::size_t>(i)]] = weight(i);
  return rho;
}

LongRun long_run(const PolicyChain& chain) {
  LongRun run;
  if (chain.n > most_states) {
    run.reason = fmt::format("{} states; the fundamental matrix is computed up to {}", chain.n, most_states);
    return run;
  }
  const auto closed = closed_classes(chain);
  if (closed.size() != 1) {
    run.reason = fmt::format("{} closed classes of states: the long run depends on the start", closed.size());
    return run;
  }
  run.applicable = true;
  run.rho = stationary_distribution(chain, closed.front());
  const auto n = static_cast<Eigen::Index>(chain.n);
  const Eigen::Map<const Eigen::RowVectorXd> rho(run.rho.data(), n);
  const RowMajor P = dense(chain);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n) - P;
  matrix.rowwise() += rho;
  run.Z.resize(chain.n * chain.n);
  run.G.resize(run.Z.size());
  Eigen::Map<RowMajor> Z(run.Z.data(), n, n), G(run.G.data(), n, n);
  Z = matrix.partialPivLu().inverse();
  G = Z.rowwise() - rho;
  run.Z_norms = schatten_norms({run.Z.data(), chain.n, chain.n});
  fill_conditioning(run, n);
  return run;
}

}  // namespace mercer
