#include <algorithm>

#include "mercer/core/error.hpp"
#include "mercer/env/tabular.hpp"

namespace mercer {
namespace {

Task make_task(std::string name, const TabularMdp& mdp) {
  check_mdp(mdp, name);  // before anything is made of it: the smallest of no rewards does not exist
  const auto [low, high] = std::ranges::minmax(mdp.r);
  return {std::move(name),
          Space::discrete("state", mdp.n),
          Space::discrete("state", mdp.n),
          Space::discrete("action", mdp.m),
          {low, high},
          mdp.horizon,
          mdp.gamma,
          0};
}

// Running sums of each row of n probabilities, scaled so that the last is exactly one.
std::vector<double> row_cdfs(const std::vector<double>& rows, std::size_t n) {
  std::vector<double> cdf(rows.size());
  for (std::size_t row = 0; row < rows.size(); row += n) {
    double sum = 0;
    for (std::size_t i = row; i < row + n; ++i) cdf[i] = sum += rows[i];
    for (std::size_t i = row; i < row + n; ++i) cdf[i] /= sum;
  }
  return cdf;
}

// The first index whose running sum passes u < 1: never one of probability zero.
double draw_index(std::span<const double> cdf, double u) {
  return static_cast<double>(std::ranges::upper_bound(cdf, u) - cdf.begin());
}

}  // namespace

TabularEnv::TabularEnv(std::string name, TabularMdp mdp) : Env(make_task(std::move(name), mdp)), mdp_(std::move(mdp)) {
  start_cdf_ = row_cdfs(mdp_.mu, mdp_.n);
  next_cdf_ = row_cdfs(mdp_.P, mdp_.n);
}

void TabularEnv::reset(const Draws& draws, MatrixView<double> state) const {
  const auto s = state.row(0);
  draws.fill_uniform(s);
  for (double& value : s) value = draw_index(start_cdf_, value);
}

void TabularEnv::step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws,
                      std::span<double> reward, std::span<std::uint8_t> terminated) const {
  const auto s = state.row(0);
  const auto a = action.row(0);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!(a[i] >= 0 && a[i] < static_cast<double>(mdp_.m))) {  // a wrong index must not read outside the table
      require_in_range("an action of task '" + task().name + "'", a[i], 0, static_cast<double>(mdp_.m) - 1,
                       "Give the number of an action");
    }
    const std::size_t pair = static_cast<std::size_t>(s[i]) * mdp_.m + static_cast<std::size_t>(a[i]);
    const auto row = std::span(next_cdf_).subspan(pair * mdp_.n, mdp_.n);
    reward[i] = mdp_.r[pair];
    s[i] = mdp_.n == 1 ? 0 : draw_index(row, draws.random(i).uniform());
    terminated[i] = mdp_.terminal.empty() ? 0 : mdp_.terminal[static_cast<std::size_t>(s[i])];
  }
}

Range TabularEnv::return_range(std::uint32_t horizon) const {
  const bool one_step = !mdp_.terminal.empty() && std::ranges::find(mdp_.terminal, 0) == mdp_.terminal.end();
  return Env::return_range(one_step ? 1 : horizon);
}

}  // namespace mercer
