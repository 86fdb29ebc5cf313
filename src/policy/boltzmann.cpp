#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

// values becomes exp(values / temperature - most), and what was taken out is returned: log of the sum of exp(values /
// T) is that plus the log of the sum.
double exponentiate(MatrixView<double> values, std::size_t column, double temperature) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < values.rows(); ++a) most = std::max(most, values(a, column) / temperature);
  for (std::size_t a = 0; a < values.rows(); ++a) {
    values(a, column) = std::exp(values(a, column) / temperature - most);
  }
  return most;
}

}  // namespace

BatchFunction greedy_index(BatchFunction q, std::size_t count) {
  return [q = std::move(q), count](MatrixView<const double> in, MatrixView<double> out) {
    for_each_chunk(in.cols(), [&](std::size_t begin, std::size_t columns) {
      const Scratch memory(count, columns);
      const MatrixView<double> values = memory.view();
      q(in.columns(begin, columns), values);
      for (std::size_t i = 0; i < columns; ++i) {
        std::size_t best = 0;
        for (std::size_t a = 1; a < count; ++a) {
          if (values(a, i) > values(best, i)) best = a;
        }
        out(0, begin + i) = static_cast<double>(best);
      }
    });
  };
}

DiscreteBoltzmannPolicy::DiscreteBoltzmannPolicy(std::string name, Contract contract, BatchFunction q,
                                                 double temperature)
    : Policy(std::move(name), std::move(contract)),
      q_(std::move(q)),
      most_likely_(greedy_index(q_, action_space().count)),
      temperature_(temperature) {
  require_in_range(fmt::format("policy '{}': the temperature", this->name()), temperature, 1e-9, 1e9,
                   "Take 1, or kind=greedy for the best action");
}

void DiscreteBoltzmannPolicy::sample(MatrixView<const double> observation, const Draws& draws,
                                     MatrixView<double> action) const {
  const std::size_t count = action_space().count;
  for_each_chunk(action.cols(), [&](std::size_t begin, std::size_t columns) {
    const Scratch memory(count, columns), one(1, count);
    const MatrixView<double> values = memory.view();
    const std::span<double> weights = one.view().row(0);
    q_(observation.columns(begin, columns), values);
    for (std::size_t i = 0; i < columns; ++i) {
      exponentiate(values, i, temperature_);
      bool known = true;
      for (std::size_t a = 0; a < count; ++a) {
        weights[a] = values(a, i);
        known = known && std::isfinite(weights[a]);
      }
      action(0, begin + i) = known ? static_cast<double>(draws.random(begin + i).categorical(weights))
                                   : std::numeric_limits<double>::quiet_NaN();
    }
  });
}

void DiscreteBoltzmannPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  most_likely_(observation, action);
}

void DiscreteBoltzmannPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                                       std::span<double> out) const {
  log_prob_many(observation, action, {out.data(), out.size(), 1});
}

void DiscreteBoltzmannPolicy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                                            MatrixView<double> out) const {
  const auto count = static_cast<double>(action_space().count);
  for_each_chunk(out.rows(), [&](std::size_t begin, std::size_t columns) {
    const Scratch memory(2 * action_space().count, columns);
    const MatrixView<double> q = memory.view().row_block(0, action_space().count);
    const MatrixView<double> weights = memory.view().row_block(action_space().count, action_space().count);
    q_(observation.columns(begin, columns), q);
    for (std::size_t a = 0; a < q.rows(); ++a) std::ranges::copy(q.row(a), weights.row(a).begin());
    for (std::size_t i = 0; i < columns; ++i) {
      const double most = exponentiate(weights, i, temperature_);
      double total = 0;
      for (std::size_t b = 0; b < weights.rows(); ++b) total += weights(b, i);
      const std::size_t first = first_action(action, out, begin + i);
      for (std::size_t j = 0; j < out.cols(); ++j) {
        const double a = action(0, first + j);
        const bool possible = a >= 0 && a < count && a == std::floor(a);
        out(begin + i, j) = possible ? q(static_cast<std::size_t>(a), i) / temperature_ - most - std::log(total)
                                     : -std::numeric_limits<double>::infinity();
      }
    }
  });
}

}  // namespace mercer
