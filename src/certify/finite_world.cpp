#include "certify/finite_world.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "certify/pruning.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_pairs = 2'000'000;  // of state and action
constexpr std::size_t most_outside = 2000;     // visits of cells that are not kept, to average over

// Points as columns, one row for each dimension.
struct Points {
  std::size_t dimensions;
  std::size_t count;
  std::vector<double> numbers;
  Points(std::size_t dims, std::size_t size) : dimensions(dims), count(size), numbers(dims * size) {}
  MatrixView<const double> view() const { return {numbers.data(), dimensions, count}; }
};

Points middles(const Cells& cells) {
  Points points(cells.grid().dimensions(), cells.size());
  for (std::size_t d = 0; d < points.dimensions; ++d) {
    for (std::size_t c = 0; c < points.count; ++c) points.numbers[d * points.count + c] = cells.centre(c, d);
  }
  return points;
}

// The first visits of cells that are not kept.
Points points_outside(const Rollouts& rollouts, const Cells& cells) {
  const std::size_t dims = cells.grid().dimensions();
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < rollouts.steps() && found.size() < most_outside; ++t) {
    if (cells.find(rollouts.observations.data() + t * dims) == Cells::none) found.push_back(t);
  }
  Points points(dims, found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t d = 0; d < dims; ++d) {
      points.numbers[d * found.size() + i] = rollouts.observations[found[i] * dims + d];
    }
  }
  return points;
}

void make_sum_to_one(std::span<double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& value : row) value = sum > 0 ? value / sum : 1 / static_cast<double>(row.size());
}

// All on the bin of the action that is played without drawing.
std::vector<double> undrawn_rows(const Policy& policy, const Points& points, const Edges& actions) {
  std::vector<double> chosen(points.count), rows(points.count * actions.bins());
  policy.mean_action(points.view(), MatrixView<double>(chosen.data(), 1, points.count));
  for (std::size_t i = 0; i < points.count; ++i) rows[i * actions.bins() + actions.bin(chosen[i])] = 1;
  return rows;
}

// Probabilities of the action bins, for policies that are the same all over a bin: discrete ones and lattices.
std::vector<double> drawn_rows(const Policy& policy, const Points& points, const Edges& actions, bool density) {
  const std::size_t m = actions.bins();
  std::vector<double> chosen(points.count), logs(points.count), rows(points.count * m);
  for (std::size_t a = 0; a < m; ++a) {
    std::ranges::fill(chosen, actions.centre(a));
    policy.log_prob(points.view(), MatrixView<const double>(chosen.data(), 1, points.count), logs);
    const double width = density ? actions.width(a) : 1;
    for (std::size_t i = 0; i < points.count; ++i) rows[i * m + a] = std::exp(logs[i]) * width;
  }
  for (std::size_t i = 0; i < points.count; ++i) make_sum_to_one(std::span(rows).subspan(i * m, m));
  return rows;
}

std::vector<double> lattice_rows(const LatticePolicy& policy, const Points& points, Act act) {
  const Edges& actions = policy.actions().axes[0];
  if (act == Act::mean) return undrawn_rows(policy, points, actions);
  const bool density = !policy.action_space().is_discrete() && policy.playing().noise;
  return drawn_rows(policy, points, actions, density);
}

std::vector<double> mean_row(const std::vector<double>& rows, std::size_t m) {
  std::vector<double> mean(m);
  for (std::size_t i = 0; i < rows.size(); ++i) mean[i % m] += rows[i];
  make_sum_to_one(mean);
  return mean;
}

// The teacher's table on the embedding's own lattice, played as the embedding is.
LatticePolicy discretised_teacher(const Policy& teacher, const LatticePolicy& student) {
  return {"lattice",
          student.contract(),
          std::make_shared<const Cells>(student.cells()),
          student.actions(),
          tabulate(teacher, student.cells(), student.actions(), TableRule::mass),
          student.playing()};
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
  const Edges actions = discrete_action_grid(m).axes[0];
  const auto rows = [&](const Policy& policy) {
    return act == Act::mean ? undrawn_rows(policy, states, actions) : drawn_rows(policy, states, actions, false);
  };
  world.teacher = rows(teacher);
  world.embedded = rows(student);
  for (std::size_t a = 0; a < m; ++a) world.atoms.push_back(static_cast<double>(a));
  world.discretised = world.pruned = world.teacher;
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  if (lattice == nullptr) return {std::move(world), ""};
  describe_lattice(world, *lattice);
  world.discretised = world.pruned = rows(discretised_teacher(teacher, *lattice));
  for (std::size_t s = 0; s < n; ++s) {
    if (lattice->cells().find(&states.numbers[s]) != Cells::none) continue;
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
  const auto average = [&](const LatticePolicy& policy) {
    return beyond.count == 0 ? std::vector<double>{} : mean_row(lattice_rows(policy, beyond, options.act), m);
  };
  world.pruned = with_outside(world.model, of_teacher, average(table));
  world.embedded = with_outside(world.model, lattice_rows(student, centres, options.act), average(student));
  const Edges& actions = student.actions().axes[0];
  for (std::size_t a = 0; a < m; ++a) world.atoms.push_back(actions.centre(a));
  if (cells.grid().dimensions() == 1 && !env.task().observation.is_discrete() && !env.task().action.is_discrete()) {
    world.state_samples = rollouts.observations;
    world.action_samples = rollouts.actions;
    world.state_bins = cells.grid().axes[0].bins();
    world.action_bins = m;
  }
  return {std::move(world), ""};
}

}  // namespace

bool is_finite(const Env& env) { return dynamic_cast<const TabularEnv*>(&env) != nullptr; }

FiniteWorldResult find_finite_world(const Env& env, const Policy& teacher, const Policy& student,
                                    const Rollouts& rollouts, const CertifyOptions& options, double gamma) {
  if (const auto* finite = dynamic_cast<const TabularEnv*>(&env)) {
    return true_world(*finite, teacher, student, options.act, gamma);
  }
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  if (lattice == nullptr) {
    return {{},
            "bounds in a finite model (levels paper, model and exact): the task is not finite, and what is "
            "certified is not a policy on a lattice, so there are no cells to make a model of"};
  }
  if (lattice->actions().dimensions() != 1) {
    return {{},
            fmt::format("bounds in a finite model (levels paper, model and exact): they are for actions of "
                        "one dimension, and these have {}",
                        lattice->actions().dimensions())};
  }
  return estimated_world(env, teacher, *lattice, rollouts, options, gamma);
}

}  // namespace mercer
