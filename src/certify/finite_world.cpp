#include "certify/finite_world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "certify/lattice_rows.hpp"
#include "certify/pruning.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_pairs = 2'000'000;  // of state and action

std::vector<double> mean_row(const std::vector<double>& rows, std::size_t m) {
  std::vector<double> mean(m);
  for (std::size_t i = 0; i < rows.size(); ++i) mean[i % m] += rows[i];
  make_sum_to_one(mean);
  return mean;
}

std::string too_many(std::size_t states, std::size_t actions) {
  return fmt::format(
      "bounds in a finite model: {} states with {} actions are more than the {} pairs that are solved for; take fewer "
      "bins",
      states, actions, most_pairs);
}

void describe_lattice(FiniteWorld& world, const LatticePolicy& student) {
  world.lattice = true;
  world.full_states = static_cast<std::size_t>(std::min(student.cells().grid().cells(), 1e15));
  world.origin = student.origin();
}

// A start state that also ends episodes is played once before it ends anything: it starts as a state of its own.
// `states` are the numbers that policies see.
TabularMdp with_own_starts(TabularMdp mdp, std::vector<double>& states) {
  std::vector<std::size_t> copied;
  for (std::size_t s = 0; s < mdp.n && !mdp.terminal.empty(); ++s) {
    if (mdp.terminal[s] != 0 && mdp.mu[s] > 0) copied.push_back(s);
  }
  if (copied.empty()) return mdp;
  TabularMdp wide = mdp;
  wide.n = mdp.n + copied.size();
  wide.P.assign(wide.n * mdp.m * wide.n, 0);
  wide.r.resize(wide.n * mdp.m);
  wide.mu.resize(wide.n);
  wide.terminal.resize(wide.n);
  for (std::size_t s = 0; s < wide.n; ++s) {
    const std::size_t of = s < mdp.n ? s : copied[s - mdp.n];
    for (std::size_t a = 0; a < mdp.m; ++a) {
      wide.r[s * mdp.m + a] = mdp.r[of * mdp.m + a];
      for (std::size_t to = 0; to < mdp.n; ++to) {
        wide.P[(s * mdp.m + a) * wide.n + to] = mdp.P[(of * mdp.m + a) * mdp.n + to];
      }
    }
    if (s < mdp.n) continue;
    wide.mu[s] = mdp.mu[of];
    wide.mu[of] = 0;
    states.push_back(static_cast<double>(of));
  }
  return wide;
}

FiniteWorldResult true_world(const TabularEnv& env, const Policy& teacher, const Policy& student, Act act,
                             double gamma) {
  const std::size_t m = env.mdp().m;
  if (env.mdp().n * m > most_pairs) return {{}, too_many(env.mdp().n, m)};
  FiniteWorld world;
  Points states(1, env.mdp().n);
  std::iota(states.numbers.begin(), states.numbers.end(), 0.0);
  world.one_round = env.mdp().n == 1 && !env.mdp().terminal.empty() && env.mdp().terminal[0] != 0;
  TabularMdp played = env.mdp();
  if (world.one_round) played.terminal.clear();
  world.model.mdp = sparse_mdp(with_own_starts(std::move(played), states.numbers));
  world.model.mdp.gamma = gamma;
  const std::size_t n = states.count = states.numbers.size();
  const Grid actions = discrete_action_grid(m);
  const auto rows = [&](const Policy& policy) {
    return act == Act::mean ? undrawn_rows(policy, states, actions) : drawn_rows(policy, states, actions, false);
  };
  world.teacher = rows(teacher);
  world.embedded = rows(student);
  world.states = states.numbers;
  world.atoms.resize(1);
  for (std::size_t a = 0; a < m; ++a) world.atoms[0].push_back(static_cast<double>(a));
  world.discretised = world.pruned = world.teacher;
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  if (lattice == nullptr) return {std::move(world), ""};
  describe_lattice(world, *lattice);
  world.discretised = world.pruned = rows(discretised_teacher(teacher, *lattice));
  for (std::size_t s = 0; s < n; ++s) {
    world.rows.push_back(lattice->cells().find(&states.numbers[s]));
    if (world.rows.back() != Cells::none) continue;
    std::copy_n(world.teacher.begin() + static_cast<std::ptrdiff_t>(s * m), m,
                world.discretised.begin() + static_cast<std::ptrdiff_t>(s * m));
  }
  return {std::move(world), ""};
}

// A table of the cells, and the row of everything outside of them.
std::vector<double> with_outside(const LatticeModel& model, std::span<const double> table,
                                 std::span<const double> outside) {
  std::vector<double> pi = model_policy(model, table);
  if (model.outside != LatticeModel::none && !outside.empty()) {
    std::ranges::copy(outside, pi.begin() + static_cast<std::ptrdiff_t>(model.outside * model.mdp.m));
  }
  return pi;
}

// What a lattice does in the cells that it does not hold, on average over visits.
std::vector<double> average_row(const LatticePolicy& policy, const Points& beyond, Act act) {
  return beyond.count == 0 ? std::vector<double>{} : mean_row(lattice_rows(policy, beyond, act), policy.columns());
}

std::vector<double> rows_in_model(const LatticeModel& model, const LatticePolicy& policy, const Points& centres,
                                  const Points& beyond, Act act) {
  return with_outside(model, lattice_rows(policy, centres, act), average_row(policy, beyond, act));
}

std::vector<double> as_rows(const std::vector<double>& columns, std::size_t dimensions) {
  const std::size_t count = columns.size() / dimensions;
  std::vector<double> rows(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) rows[i % dimensions * count + i / dimensions] = columns[i];
  return rows;
}

void keep_samples(FiniteWorld& world, const Rollouts& rollouts, const LatticePolicy& student) {
  const Grid &states = student.cells().grid(), &actions = student.actions();
  world.state_samples = as_rows(rollouts.observations, states.dimensions());
  world.action_samples = as_rows(rollouts.actions, actions.dimensions());
  for (const Edges& axis : states.axes) world.state_bins.push_back(axis.bins());
  for (const Edges& axis : actions.axes) world.action_bins.push_back(axis.bins());
}

FiniteWorldResult estimated_world(const Env& env, const Policy& teacher, const LatticePolicy& student,
                                  const Rollouts& rollouts, const CertifyOptions& options, double gamma) {
  const Cells& cells = student.cells();
  const auto m = static_cast<std::size_t>(student.actions().cells());
  if ((cells.size() + 2) * m > most_pairs) return {{}, too_many(cells.size(), m)};
  if (!student.own_edges().grids.empty()) {
    return {{}, "bounds in a finite model: cells have action edges of their own, and a model needs common ones"};
  }
  FiniteWorld world;
  world.estimated = true;
  describe_lattice(world, student);
  world.trajectories = rollouts.episodes();
  const double largest = std::max(std::abs(env.task().reward.low), std::abs(env.task().reward.high));
  if (std::isfinite(largest)) world.r_M = largest;
  const LatticeModelOptions estimating{
      .gamma = gamma, .delta = 1 - options.confidence, .successors = 0, .rewards = env.task().reward};
  world.model = estimate_model(rollouts, cells, student.actions(), estimating);
  const Points centres = middles(cells), beyond = points_outside(rollouts, cells);
  const LatticePolicy table = discretised_teacher(teacher, student);
  const std::vector<double> of_teacher = lattice_rows(table, centres, options.act);
  world.teacher = counted_policy(world.model.visits, m);
  std::span<const double> met;
  if (world.model.outside != LatticeModel::none) {
    met = std::span(world.teacher).subspan(world.model.outside * m, m);
  }
  world.discretised = with_outside(world.model, of_teacher, met);
  world.pruned = with_outside(world.model, of_teacher, average_row(table, beyond, options.act));
  world.embedded = rows_in_model(world.model, student, centres, beyond, options.act);
  for (const Edges& axis : student.actions().axes) {
    world.atoms.emplace_back();
    for (std::size_t a = 0; a < axis.bins(); ++a) world.atoms.back().push_back(axis.centre(a));
  }
  world.rows.resize(world.mdp().n, Cells::none);
  std::iota(world.rows.begin(), world.rows.begin() + static_cast<std::ptrdiff_t>(cells.size()), std::size_t{0});
  if (!env.task().observation.is_discrete() && !env.task().action.is_discrete()) keep_samples(world, rollouts, student);
  return {std::move(world), ""};
}

}  // namespace

void replace_embedded(FiniteWorld& world, const Policy& student, const Rollouts& rollouts, Act act) {
  if (!world.estimated) {
    Points states(1, world.states.size());
    states.numbers = world.states;
    const Grid actions = discrete_action_grid(world.mdp().m);
    world.embedded =
        act == Act::mean ? undrawn_rows(student, states, actions) : drawn_rows(student, states, actions, false);
    return;
  }
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  if (lattice == nullptr) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' is not a policy on a lattice", student.name()),
                "Choose K by episodes");
  }
  world.embedded =
      rows_in_model(world.model, *lattice, middles(lattice->cells()), points_outside(rollouts, lattice->cells()), act);
}

bool can_follow(const FiniteWorld& world, std::uint32_t horizon) {
  constexpr double most_work = 4e9;     // steps times transitions
  constexpr double most_numbers = 1e8;  // steps times states
  const double steps = horizon;
  return steps * static_cast<double>(world.mdp().next.size()) <= most_work &&
         steps * static_cast<double>(world.mdp().n) <= most_numbers;
}

bool is_finite(const Env& env) { return dynamic_cast<const TabularEnv*>(&env) != nullptr; }

FiniteWorldResult find_finite_world(const Env& env, const Policy& teacher, const Policy& student,
                                    const Rollouts& rollouts, const CertifyOptions& options, double gamma) {
  if (const auto* finite = dynamic_cast<const TabularEnv*>(&env)) {
    return true_world(*finite, teacher, student, options.act, gamma);
  }
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  if (lattice == nullptr) {
    return {
        {},
        "bounds in a finite model (levels paper, model and exact), not computed: these bounds need a finite task or "
        "a lattice embedding"};
  }
  return estimated_world(env, teacher, *lattice, rollouts, options, gamma);
}

}  // namespace mercer
