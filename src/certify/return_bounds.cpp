#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "certify/action_metric.hpp"
#include "certify/bound_list.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr Quantity returns = Quantity::discounted_return;

// h(s) = <delta_s, A(s, .)>.
std::vector<double> advantage_of(const TabularComparison& c, const TabularSolution& critic) {
  std::vector<double> h(c.mdp.n);
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    h[s] = sum_of(std::span(c.delta).subspan(s * c.mdp.m, c.mdp.m), std::span(critic.A).subspan(s * c.mdp.m, c.mdp.m));
  }
  return h;
}

double absolute_sum(std::span<const double> d, std::span<const double> h) {
  double sum = 0;
  for (std::size_t s = 0; s < d.size(); ++s) sum += d[s] * std::abs(h[s]);
  return sum;
}

double on_policy(const TabularComparison& c, std::span<const double> d, std::span<const double> h) {
  const double g = c.mdp.gamma;
  const auto [low, high] = std::ranges::minmax(h);
  return (std::abs(sum_of(d, h)) + g / (1 - g) * sum_of(d, c.TV) * (high - low)) / (1 - g);
}

// The steepest Q along the actions, times how far mass has to move:
// |<delta_s, Q(s, .)>| <= L_Q(s) W1(pi1(. | s), pi2(. | s)), summed over sum_s d(s) / (1 - g).
double lipschitz(const TabularComparison& c, std::span<const double> d, const TabularSolution& critic,
                 const ActionMetric& metric) {
  const std::size_t m = c.mdp.m;
  double sum = 0;
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    if (c.mdp.is_terminal(s)) continue;
    const double steepest = metric.steepest(std::span(critic.Q).subspan(s * m, m));
    const double moved = metric.moved(std::span(c.pi1).subspan(s * m, m), std::span(c.pi2).subspan(s * m, m));
    if (moved > 0) sum += d[s] * steepest * moved;
  }
  return sum / (1 - c.mdp.gamma);
}

// Logarithms of pi2 / pi1, each row less its mean; all zero, and no logarithm, where just one of the two is 0.
struct LogRatios {
  std::vector<double> h;
  std::vector<bool> finite;  // of each state
};

LogRatios log_ratios(const TabularComparison& c) {
  const std::size_t n = c.mdp.n, m = c.mdp.m;
  LogRatios out{std::vector<double>(n * m), std::vector<bool>(n, true)};
  for (std::size_t s = 0; s < n; ++s) {
    if (c.mdp.is_terminal(s)) continue;
    const std::span<double> h = std::span(out.h).subspan(s * m, m);
    double sum = 0;
    for (std::size_t a = 0; a < m; ++a) {
      const double p = c.pi1[s * m + a], q = c.pi2[s * m + a];
      h[a] = p == 0 && q == 0 ? 0 : std::log(q) - std::log(p);
      sum += h[a];
    }
    out.finite[s] = std::isfinite(sum);
    for (double& value : h) value = out.finite[s] ? value - sum / static_cast<double>(m) : 0;
  }
  return out;
}

// With q ~ p e^h is TV(p, q) <= tanh(osc(h) / 4), osc the largest entry less the smallest, and in a kernel
// osc(h) <= 2 max |h| <= 2 M ||h||_H.
void add_log_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const double far = 1 / (1 - c.mdp.gamma);
  const LogRatios logs = log_ratios(c);
  const std::vector<double> squared =
      squared_norms(inputs.kernel, kernel_coefficients(inputs.kernel, logs.h), 0, inputs.kernel.size());
  std::vector<double> by_range(c.mdp.n, 1), by_kernel(c.mdp.n, 1);
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    if (!logs.finite[s]) continue;
    const auto [low, high] = std::ranges::minmax(std::span(logs.h).subspan(s * c.mdp.m, c.mdp.m));
    by_range[s] = std::tanh((high - low) / 4);
    by_kernel[s] = std::tanh(inputs.kernel.M * std::sqrt(squared[s]) / 2);
  }
  const std::string critic = "logarithms of both tables, occupancy of one policy and critic of the other";
  list.add("L1/d2A1", returns, sum_of(c.policy2.d, by_range, c.policy1.span_A) * far, critic);
  list.add("L1/d1A2", returns, sum_of(c.policy1.d, by_range, c.policy2.span_A) * far, critic);
  list.least("L1");
  const std::string kernel = fmt::format("{}; kernel '{}'", critic, name(inputs.kernel.kind));
  list.add("L2/d2A1", returns, sum_of(c.policy2.d, by_kernel, c.policy1.span_A) * far, kernel);
  list.add("L2/d1A2", returns, sum_of(c.policy1.d, by_kernel, c.policy2.span_A) * far, kernel);
  list.least("L2");
}

}  // namespace

void add_return_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const double g = c.mdp.gamma, alpha = c.alpha, far = 1 / (1 - g);
  const TabularSolution &p1 = c.policy1, &p2 = c.policy2;
  const std::vector<double> h1 = advantage_of(c, p1), h2 = advantage_of(c, p2);
  const std::string both = "the process; occupancy of one policy and critic of the other";

  list.add("B0", returns, c.delta_r * far, "the range of the rewards");
  list.add("B1", returns, 2 * alpha * std::min(p1.eps_bar, p2.eps_bar) * far, "largest TV and one critic");
  list.add("B1'", returns, alpha * std::min(std::ranges::max(p1.span_A), std::ranges::max(p2.span_A)) * far,
           "largest TV and one critic");
  list.add("B2/d2A1", returns, sum_of(p2.d, c.TV, p1.span_A) * far, both);
  list.add("B2/d1A2", returns, sum_of(p1.d, c.TV, p2.span_A) * far, both);
  list.least("B2");
  list.add("B2'/d2A1", returns, absolute_sum(p2.d, h1) * far, both);
  list.add("B2'/d1A2", returns, absolute_sum(p1.d, h2) * far, both);
  list.least("B2'");
  list.add("B3/1", returns, on_policy(c, p1.d, h1), "occupancy and critic of policy 1, TV");
  list.add("B3/2", returns, on_policy(c, p2.d, h2), "occupancy and critic of policy 2, TV");
  list.least("B3");
  list.add("B4/d1", returns, c.delta_r * far * far * sum_of(p1.d, c.TV), "rollouts of policy 1, both densities");
  list.add("B4/d2", returns, c.delta_r * far * far * sum_of(p2.d, c.TV), "rollouts of policy 2, both densities");
  list.least("B4");
  list.add("B5", returns, c.delta_r * far * c.E_gamma_tau, "the process, or rollouts and both densities");
  list.add("B6", returns, c.delta_r * alpha * far / (1 - g + g * alpha), "largest TV and the range of the rewards");
  list.add("B9", returns, std::abs(sum_of(p1.d, h1)) * far + 4 * alpha * alpha * g * p1.eps_bar * far * far,
           "occupancy and critic of policy 1, largest TV");
  if (inputs.atoms.empty()) {
    list.skip("D1", returns, "values of the actions were not given");
  } else {
    const ActionMetric metric(inputs.atoms);
    const std::string needs = both + "; values of the actions, whose distance is the sum over dimensions";
    list.add("D1/d2Q1", returns, lipschitz(c, p2.d, p1, metric), needs);
    list.add("D1/d1Q2", returns, lipschitz(c, p1.d, p2, metric), needs);
    list.least("D1");
  }
  add_log_bounds(c, inputs, list);
}

void add_kernel_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const double far = 1 / (1 - c.mdp.gamma), eps = std::min(c.policy1.eps_bar, c.policy2.eps_bar);
  const auto m = static_cast<double>(c.mdp.m);
  const std::vector<double> norms = kernel_norms(c, inputs).all;
  double roots = 0;
  for (const double kappa : inputs.kernel.diagonal) roots += std::sqrt(kappa);
  const double largest = std::sqrt(std::ranges::max(norms));
  const std::string kernel = fmt::format("coefficients in the kernel '{}' and ", name(inputs.kernel.kind));
  list.add("B7/M", returns, eps * m * far * inputs.kernel.M * largest, kernel + "one critic");
  list.add("B7/pointwise", returns, eps * far * roots * largest, kernel + "one critic");
  list.least("B7");
  std::vector<double> by_kernel(c.mdp.n), by_parseval(c.mdp.n);
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    double squares = 0;
    for (std::size_t i = s * c.mdp.m; i < (s + 1) * c.mdp.m; ++i) squares += c.delta[i] * c.delta[i];
    by_kernel[s] = roots * std::sqrt(norms[s]) / 2;
    by_parseval[s] = std::sqrt(m * squares) / 2;
  }
  const std::string critic = "occupancy of one policy and critic of the other";
  list.add("B7'/d2A1", returns, sum_of(c.policy2.d, by_kernel, c.policy1.span_A) * far, kernel + critic);
  list.add("B7'/d1A2", returns, sum_of(c.policy1.d, by_kernel, c.policy2.span_A) * far, kernel + critic);
  list.least("B7'");
  list.add("B8/d2A1", returns, sum_of(c.policy2.d, by_parseval, c.policy1.span_A) * far, "coefficients, " + critic);
  list.add("B8/d1A2", returns, sum_of(c.policy1.d, by_parseval, c.policy2.span_A) * far, "coefficients, " + critic);
  list.least("B8");
  if (inputs.joint_TV.empty()) {
    list.skip("B7j", returns, "no kernel on the whole table was given");
    return;
  }
  const std::string joint = "coefficients in the kernel of the embedding's basis on the whole table and ";
  list.add("B7j/d2A1", returns, sum_of(c.policy2.d, inputs.joint_TV, c.policy1.span_A) * far, joint + critic);
  list.add("B7j/d1A2", returns, sum_of(c.policy1.d, inputs.joint_TV, c.policy2.span_A) * far, joint + critic);
  list.least("B7j");
}

}  // namespace mercer
