#include "certify/lattice_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "certify/pruning.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

struct Step {
  std::size_t pair;    // s m + a
  std::uint32_t next;  // s'
};

void check(const Rollouts& rollouts, const Cells& cells, const Grid& actions, const LatticeModelOptions& options) {
  const std::size_t states = cells.grid().dimensions(), steps = rollouts.steps(), episodes = rollouts.episodes();
  if (!rollouts.has_steps() || episodes == 0 || steps == 0 || rollouts.observations.size() != steps * states ||
      rollouts.actions.size() != steps * actions.dimensions() ||
      rollouts.final_observations.size() != episodes * states || rollouts.terminated.size() != episodes) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("rollouts of {} episodes and {} steps that do not fit a lattice of {} and {} dimensions",
                            episodes, steps, states, actions.dimensions()),
                "Keep the steps of the rollouts that the lattice is made from");
  }
  if ((static_cast<double>(cells.size()) + 2) * actions.cells() > 1e8) {
    throw Error(ErrorCode::too_large,
                fmt::format("{} cells with {:.3g} actions; legal: up to 10^8 pairs", cells.size(), actions.cells()),
                "Take fewer bins");
  }
  require_in_range("delta", options.delta, 1e-300, 1 - 1e-12, "0.05 is usual");
  require_in_range("gamma", options.gamma.value_or(rollouts.gamma), 0, std::nextafter(1.0, 0.0),
                   "Give a discount below 1: the model has no horizon");
}

// The rollouts as numbers of states and actions.
struct Numbered {
  std::vector<Step> steps;
  std::vector<std::uint32_t> starts;
};

class Numbering {
 public:
  Numbering(const Rollouts& rollouts, const Cells& cells, const Grid& actions, LatticeModel& model)
      : rollouts_(rollouts), cells_(cells), actions_(actions), model_(model), states_(cells.grid().dimensions()) {}

  Numbered number() {
    const std::size_t steps = rollouts_.steps(), episodes = rollouts_.episodes();
    std::vector<std::size_t> from(steps), last(episodes);
    bool outside = false, ended = false;
    for (std::size_t t = 0; t < steps; ++t) {
      from[t] = cells_.find(rollouts_.observations.data() + t * states_);
      outside |= from[t] == Cells::none;
    }
    for (std::size_t e = 0; e < episodes; ++e) {
      last[e] = cells_.find(rollouts_.final_observations.data() + e * states_);
      ended |= rollouts_.terminated[e] != 0;
      outside |= rollouts_.terminated[e] == 0 && last[e] == Cells::none;
    }
    model_.cells = model_.mdp.n = cells_.size();
    if (outside) model_.outside = model_.mdp.n++;
    if (ended) model_.terminal = model_.mdp.n++;
    Numbered numbered;
    numbered.steps.reserve(steps);
    for (std::size_t e = 0; e < episodes; ++e) {
      const auto begin = static_cast<std::size_t>(rollouts_.offsets[e]);
      const auto end = static_cast<std::size_t>(rollouts_.offsets[e + 1]);
      if (begin == end) continue;
      numbered.starts.push_back(state(from[begin]));
      for (std::size_t t = begin; t < end; ++t) {
        const bool final = t + 1 == end;
        const std::uint32_t next = !final                         ? state(from[t + 1])
                                   : rollouts_.terminated[e] != 0 ? static_cast<std::uint32_t>(model_.terminal)
                                                                  : state(last[e]);
        numbered.steps.push_back({state(from[t]) * model_.mdp.m + action(t), next});
      }
    }
    return numbered;
  }

 private:
  std::uint32_t state(std::size_t place) const {
    return static_cast<std::uint32_t>(place == Cells::none ? model_.outside : place);
  }
  std::size_t action(std::size_t t) const {
    std::size_t number = 0;
    for (std::size_t d = 0; d < actions_.dimensions(); ++d) {
      const Edges& axis = actions_.axes[d];
      number = number * axis.bins() + axis.bin(rollouts_.actions[t * actions_.dimensions() + d]);
    }
    return number;
  }

  const Rollouts& rollouts_;
  const Cells& cells_;
  const Grid& actions_;
  LatticeModel& model_;
  std::size_t states_;
};

using Counts = std::vector<std::pair<std::uint32_t, double>>;  // s' and how often

void append_row(SparseMdp& mdp, const Counts& counts, double total) {
  for (const auto& [next, count] : counts) {
    mdp.next.push_back(next);
    mdp.probability.push_back(count / total);
  }
  mdp.offsets.push_back(mdp.next.size());
}

// Runs of equal pairs and successors in sorted steps, from `at` on, while `inside` holds.
template <class Inside>
Counts count_successors(std::span<const Step> steps, std::size_t& at, Inside inside) {
  Counts counts;
  for (; at < steps.size() && inside(steps[at]); ++at) {
    if (counts.empty() || counts.back().first != steps[at].next) counts.emplace_back(steps[at].next, 0);
    ++counts.back().second;
  }
  return counts;
}

// What all actions of a state led to together.
Counts merged(std::span<const Counts> rows) {
  Counts all;
  for (const Counts& row : rows) all.insert(all.end(), row.begin(), row.end());
  std::ranges::sort(all);
  Counts sums;
  for (const auto& [next, count] : all) {
    if (sums.empty() || sums.back().first != next) sums.emplace_back(next, 0);
    sums.back().second += count;
  }
  return sums;
}

void fill_transitions(LatticeModel& model, std::vector<Step>& steps) {
  SparseMdp& mdp = model.mdp;
  std::ranges::sort(steps, {}, [](const Step& step) { return std::pair(step.pair, step.next); });
  mdp.offsets = {0};
  std::vector<Counts> rows(mdp.m);
  std::size_t at = 0;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    double visits = 0, reward = 0;
    for (std::size_t a = 0; a < mdp.m; ++a) {
      const std::size_t pair = s * mdp.m + a;
      rows[a] = count_successors(steps, at, [pair](const Step& step) { return step.pair == pair; });
      visits += model.visits[pair];
      reward += mdp.r[pair];
    }
    const Counts together = merged(rows);
    for (std::size_t a = 0; a < mdp.m; ++a) {
      const std::size_t pair = s * mdp.m + a;
      if (model.visits[pair] > 0) {
        append_row(mdp, rows[a], model.visits[pair]);
        mdp.r[pair] /= model.visits[pair];
      } else if (visits > 0) {
        append_row(mdp, together, visits);
        mdp.r[pair] = reward / visits;
      } else {
        append_row(mdp, {{static_cast<std::uint32_t>(s), 1}}, 1);
      }
    }
  }
}

Range rewards_of(const Rollouts& rollouts, const LatticeModelOptions& options) {
  const auto [low, high] = std::ranges::minmax(rollouts.rewards);
  if (!options.rewards) return {low, high};
  if (low < options.rewards->low || high > options.rewards->high) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("rewards from {} to {} outside the declared range {} to {}", low, high,
                            options.rewards->low, options.rewards->high),
                "Declare the range of the task's rewards");
  }
  return *options.rewards;
}

// Three families of estimates share delta: transitions, rewards, the start.
void fill_radii(LatticeModel& model, std::size_t episodes, const LatticeModelOptions& options) {
  const SparseMdp& mdp = model.mdp;
  const std::size_t pairs = mdp.n * mdp.m, outcomes = options.successors == 0 ? mdp.n : options.successors;
  const double share = options.delta / 3;
  model.radius.resize(pairs);
  model.reward_radius.resize(pairs);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    if (mdp.is_terminal(pair / mdp.m)) continue;
    const double N = model.visits[pair];
    model.radius[pair] = N > 0 ? weissman_radius(N, outcomes, pairs, share) : 1;
    const double tests = 2 * static_cast<double>(pairs) * std::numbers::pi * std::numbers::pi * N * N / (6 * share);
    model.reward_radius[pair] = model.delta_r * (N > 0 ? std::min(1.0, std::sqrt(std::log(tests) / (2 * N))) : 1);
  }
  model.start_radius = weissman_radius(static_cast<double>(episodes), mdp.n, 1, share);
}

}  // namespace

LatticeModel estimate_model(const Rollouts& rollouts, const Cells& cells, const Grid& actions,
                            const LatticeModelOptions& options) {
  check(rollouts, cells, actions, options);
  LatticeModel model;
  SparseMdp& mdp = model.mdp;
  mdp.m = static_cast<std::size_t>(actions.cells());
  Numbered numbered = Numbering(rollouts, cells, actions, model).number();
  mdp.gamma = options.gamma.value_or(rollouts.gamma);
  mdp.mu.assign(mdp.n, 0);
  for (const std::uint32_t s : numbered.starts) mdp.mu[s] += 1 / static_cast<double>(numbered.starts.size());
  mdp.r.assign(mdp.n * mdp.m, 0);
  model.visits.assign(mdp.n * mdp.m, 0);
  for (std::size_t t = 0; t < numbered.steps.size(); ++t) {
    ++model.visits[numbered.steps[t].pair];
    mdp.r[numbered.steps[t].pair] += rollouts.rewards[t];
  }
  fill_transitions(model, numbered.steps);
  Range range = rewards_of(rollouts, options);
  if (model.terminal != LatticeModel::none) {
    mdp.terminal.assign(mdp.n, 0);
    mdp.terminal[model.terminal] = 1;
    range = {std::min(0.0, range.low), std::max(0.0, range.high)};  // the end pays nothing
  }
  model.delta_r = range.width();
  model.delta = options.delta;
  fill_radii(model, numbered.starts.size(), options);
  return model;
}

std::vector<double> model_policy(const LatticeModel& model, std::span<const double> table) {
  if (table.size() != model.cells * model.mdp.m) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("a table of {} numbers for {} cells and {} actions", table.size(), model.cells, model.mdp.m),
        "Give a row for each cell of the model");
  }
  std::vector<double> pi(model.mdp.n * model.mdp.m, 1 / static_cast<double>(model.mdp.m));
  std::ranges::copy(table, pi.begin());
  return pi;
}

double model_error(const LatticeModel& model, std::span<const double> pi, const TabularSolution& solution) {
  const double g = model.mdp.gamma, far = 1 / (1 - g);
  double transitions = 0, rewards = 0;
  for (std::size_t pair = 0; pair < model.radius.size(); ++pair) {
    const double weight = solution.d[pair / model.mdp.m] * pi[pair];
    transitions += weight * model.radius[pair];
    rewards += weight * model.reward_radius[pair];
  }
  const double error = far * (g * model.delta_r * far * transitions + rewards + model.delta_r * model.start_radius);
  return std::min(error, model.delta_r * far);
}

std::vector<Bound> model_bounds(const LatticeModel& model, std::span<const double> pi1, std::span<const double> pi2) {
  const std::vector<double> one = checked_policy(model.mdp, pi1, "policy 1");
  const std::vector<double> two = checked_policy(model.mdp, pi2, "policy 2");
  const TabularSolution solved1 = solve_tabular(model.mdp, one), solved2 = solve_tabular(model.mdp, two);
  const double size = std::abs(solved1.eta - solved2.eta);
  const double exact = size + solved1.eta_error + solved2.eta_error;
  const double world = exact + model_error(model, one, solved1) + model_error(model, two, solved2);
  const double trivial = model.delta_r / (1 - model.mdp.gamma);
  return {
      {"model_exact", Level::exact, Quantity::discounted_return, exact, true, exact >= trivial,
       "exact in the estimated model, which is not the world", size},
      {"model_world",
       Level::rigorous,
       Quantity::discounted_return,
       world,
       true,
       world >= trivial,
       fmt::format("a world that is Markov on the cells, its range of rewards, independent steps of each pair; with "
                   "probability {}",
                   1 - model.delta),
       {}}};
}

}  // namespace mercer
