#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mercer/embedding.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"
#include "view/view.hpp"

namespace mercer {
namespace {

ActionDistance of_means(const Policy& first, const Policy& second, MatrixView<const double> observations) {
  const std::size_t actions = first.action_space().dimensions(), states = observations.cols();
  std::vector<double> one(actions * states), other(actions * states);
  first.mean_action(observations, {one.data(), actions, states});
  second.mean_action(observations, {other.data(), actions, states});
  double sum = 0, differ = 0;
  for (std::size_t s = 0; s < states; ++s) {
    double square = 0;
    for (std::size_t a = 0; a < actions; ++a) square += std::pow(one[a * states + s] - other[a * states + s], 2);
    sum += std::sqrt(square);
    differ += square > 0 ? 1 : 0;
  }
  ActionDistance distance;
  distance.w1 = sum / static_cast<double>(states);
  if (first.action_space().is_discrete()) distance.tv = differ / static_cast<double>(states);
  return distance;
}

// Whether a policy draws single actions of a box, which have no density.
bool draws_points(const Policy& policy) {
  if (policy.action_space().is_discrete()) return false;
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&policy);
  return lattice != nullptr && !lattice->playing().noise;
}

std::vector<double> breaks_of(const Policy& policy) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&policy);
  if (lattice == nullptr || policy.action_space().is_discrete()) return {};
  return lattice->actions().axes[0].values;
}

}  // namespace

ActionDistance action_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               Act act) {
  if (observations.cols() == 0) return {};
  if (act == Act::mean) return of_means(first, second, observations);
  if (first.action_space().dimensions() == 1 && !draws_points(first) && !draws_points(second)) {
    try {
      const PolicyDistance found = policy_distance(first, second, observations, breaks_of(second));
      return {found.w1, found.tv, false};
    } catch (const Error& error) {
      // A deterministic policy, or a box without bounds, has no densities to compare.
      if (error.code() != ErrorCode::missing_option && error.code() != ErrorCode::not_finite) throw;
    }
  }
  return {sampled_wasserstein(first, second, observations, 64), std::nullopt, true};
}

namespace {

std::size_t bin_of(std::span<const double> edges, double value) {
  const auto above = std::ranges::upper_bound(edges, value);
  const std::ptrdiff_t bin = above - edges.begin() - 1;
  return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bin, 0, static_cast<std::ptrdiff_t>(edges.size()) - 2));
}

// The first dimension of the actions that `act` gives for all states at once.
template <class Act1>
void add_actions(const Policy& policy, std::size_t states, std::span<const double> edges, double mass,
                 std::vector<double>& masses, const Act1& act) {
  const std::size_t bins = edges.size() - 1;
  std::vector<double> actions(policy.action_space().dimensions() * states);
  act(MatrixView<double>(actions.data(), policy.action_space().dimensions(), states));
  for (std::size_t s = 0; s < states; ++s) masses[s * bins + bin_of(edges, actions[s])] += mass;
}

bool from_distribution(const Policy& policy, MatrixView<const double> observations, std::span<const double> edges,
                       std::vector<double>& masses) {
  const std::size_t states = observations.cols(), bins = edges.size() - 1;
  std::vector<double> below(states * edges.size());
  if (!policy.cdf(observations, 0, {edges.data(), 1, edges.size()}, {below.data(), states, edges.size()})) return false;
  for (std::size_t s = 0; s < states; ++s) {
    double* row = below.data() + s * edges.size();
    row[0] = 0;  // what lies outside of the range is played at its ends
    row[bins] = 1;
    for (std::size_t b = 0; b < bins; ++b) masses[s * bins + b] = std::max(0.0, row[b + 1] - row[b]);
  }
  return true;
}

std::vector<std::size_t> one_of_each_cell(MatrixView<const double> observations) {
  constexpr double bins = 12;
  std::set<std::vector<std::uint8_t>> seen;
  std::vector<std::size_t> first;
  std::vector<std::uint8_t> cell(observations.rows());
  std::vector<Range> ranges;
  for (std::size_t d = 0; d < observations.rows(); ++d) {
    const auto [low, high] = std::ranges::minmax(observations.row(d));
    ranges.push_back({low, high});
  }
  for (std::size_t s = 0; s < observations.cols(); ++s) {
    for (std::size_t d = 0; d < cell.size(); ++d) {
      const double width = ranges[d].width();
      const double share = width > 0 ? (observations(d, s) - ranges[d].low) / width : 0;
      cell[d] = static_cast<std::uint8_t>(std::min(bins - 1, std::floor(bins * share)));
    }
    if (seen.insert(cell).second) first.push_back(s);
  }
  return first;
}

}  // namespace

std::vector<double> action_edges(const Space& action, std::size_t bins) {
  std::vector<double> edges;
  if (action.is_discrete()) {
    for (std::size_t a = 0; a <= action.count; ++a) edges.push_back(static_cast<double>(a) - 0.5);
    return edges;
  }
  const Range range = action.axes[0].range;
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    throw Error(ErrorCode::not_finite, "the action has no bounds, so that its range has no parts",
                "Look at a slice of it instead");
  }
  for (std::size_t b = 0; b <= bins; ++b)
    edges.push_back(range.low + range.width() * static_cast<double>(b) / static_cast<double>(bins));
  return edges;
}

std::vector<double> action_masses(const Policy& policy, MatrixView<const double> observations,
                                  std::span<const double> edges, Act act, std::size_t draws) {
  const std::size_t states = observations.cols(), bins = edges.size() - 1;
  std::vector<double> masses(states * bins);
  if (act == Act::mean) {
    add_actions(policy, states, edges, 1, masses,
                [&](MatrixView<double> actions) { policy.mean_action(observations, actions); });
    return masses;
  }
  if (policy.action_space().is_discrete()) {
    std::vector<double> actions(bins);
    std::iota(actions.begin(), actions.end(), 0.0);
    policy.log_prob_many(observations, {actions.data(), 1, bins}, {masses.data(), states, bins});
    for (double& mass : masses) mass = std::exp(mass);
    return masses;
  }
  if (from_distribution(policy, observations, edges, masses)) return masses;
  std::vector<std::uint64_t> items(states);
  std::iota(items.begin(), items.end(), std::uint64_t{0});
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Draws keys{0, Stage::action, static_cast<std::uint32_t>(draw), items};
    add_actions(policy, states, edges, 1 / static_cast<double>(draws), masses,
                [&](MatrixView<double> actions) { policy.sample(observations, keys, actions); });
  }
  return masses;
}

std::vector<std::size_t> states_by_action(const Policy& policy, MatrixView<const double> observations,
                                          std::size_t most) {
  const std::size_t states = observations.cols();
  std::vector<double> actions(policy.action_space().dimensions() * states);
  policy.mean_action(observations, {actions.data(), policy.action_space().dimensions(), states});
  std::vector<std::size_t> order = one_of_each_cell(observations), chosen;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return actions[a] < actions[b]; });
  const std::size_t count = std::min(most, order.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(order[i * order.size() / count]);
  return chosen;
}

}  // namespace mercer
