#include "mercer/measure/long_run.hpp"

#include <algorithm>

#include <Eigen/LU>
#include <fmt/format.h>

namespace mercer {
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
