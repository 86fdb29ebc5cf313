#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "certify/coupling.hpp"
#include "certify/lipschitz.hpp"
#include "certify/unvisited.hpp"
#include "certify/world_rows.hpp"
#include "measure/certificate_words.hpp"
#include "mercer/certify.hpp"
#include "mercer/embedding.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

struct Ladder {
  const Env& env;
  const Policy& teacher;
  const Policy& student;
  const CertifyOptions& options;
  std::uint32_t horizon;
  double measured;
  double width;  // of the range of returns
  LevelRows out;

  void add(std::string term, Level level, double value, std::vector<std::string> assumptions) {
    out.rows.push_back(certificate_row(std::move(term), level, value, measured, width, std::move(assumptions)));
  }
};

std::string with_confidence(const CertifyOptions& options, std::size_t episodes, std::string_view who) {
  return fmt::format("holds with {} confidence over {} independent episodes of the {}",
                     confidence_down(options.confidence), episodes, who);
}

// The first of the paired episodes, played again with their steps.
RolloutOptions playing(const CertifyOptions& options, std::uint32_t horizon) {
  RolloutOptions playing;
  playing.episodes = std::min(options.episodes, options.coupled);
  playing.seed = options.seed;
  playing.act = options.act;
  playing.horizon = horizon;
  return playing;
}

void add_coupling(Ladder& ladder, const Rollouts& held_out) {
  const CouplingOptions options{
      .confidence = ladder.options.confidence, .gamma = ladder.options.gamma, .act = ladder.options.act};
  const CouplingBound bound =
      coupling_bound(ladder.env, ladder.teacher, ladder.student, held_out, ladder.horizon, options);
  if (!bound.applicable) {
    ladder.out.not_covered.push_back(bound.why_not);
    return;
  }
  const std::string confidence = with_confidence(ladder.options, held_out.episodes(), "teacher");
  const std::string found = fmt::format(
      "mean total variation over the teacher's states {:.4g}; coupled, the two part "
      "in {:.4g}% of the episodes",
      bound.tv, 100 * bound.separated);
  ladder.add("coupling", Level::statistical, bound.value,
             {confidence, "rewards and returns inside their declared ranges", found});
  ladder.add("modelfree_d1", Level::statistical, bound.modelfree,
             {confidence, "rewards inside their declared range", found});
}

// What the rule for cells that the embedding does not hold can cost, whatever it is.
void add_pruning(Ladder& ladder, const Progress& progress) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&ladder.student);
  if (lattice == nullptr) return;
  const CertifyOptions& options = ladder.options;
  if (!has_unvisited(*lattice)) {
    ladder.out.rows.push_back(certificate_row("pruning", Level::statistical, 0, 0, ladder.width,
                                              {"the embedding holds every cell of its lattice: nothing was pruned"}));
    return;
  }
  const UnvisitedCost cost =
      unvisited_cost(ladder.env, ladder.teacher, *lattice, playing(options, ladder.horizon), options.gamma, progress);
  const double share = clopper_pearson_interval(cost.touched, cost.episodes, 1 - options.confidence, Sides::upper).high;
  ladder.out.rows.push_back(certificate_row(
      "pruning", Level::statistical, ladder.width * share, cost.difference, ladder.width,
      {with_confidence(options, cost.episodes, "embedding"),
       fmt::format("bounds only what the rule for unvisited cells adds, against the same embedding with the teacher "
                   "in them: {} of {} episodes of the embedding touch one, at most {:.4g}% of all (Clopper-Pearson)",
                   cost.touched, cost.episodes, 100 * share)}));
}

// The discretisation theorem and the three-term corollary, with given or estimated Lipschitz constants.
void add_lipschitz(Ladder& ladder, const Progress& progress) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&ladder.student);
  if (lattice == nullptr) {
    ladder.out.not_covered.emplace_back("the discretisation theorem in the task: the policy is not on a lattice");
    return;
  }
  const CertifyOptions& options = ladder.options;
  const LipschitzBounds bounds =
      lipschitz_bounds(ladder.env, ladder.teacher, *lattice, playing(options, ladder.horizon), options, progress);
  if (!bounds.applicable) {
    ladder.out.not_covered.push_back(bounds.why_not);
    return;
  }
  const bool given = options.lipschitz->constant.has_value();
  std::vector<std::string> lines{
      "the distance of actions is the sum over their dimensions, in the actions' own units",
      given
          ? fmt::format("the teacher's Q changes by at most {:.6g} for one unit of action: given, not checked",
                        bounds.slope_most)
          : fmt::format("the slope of the teacher's Q in the action, estimated at {} visits from {} actions along each "
                        "dimension and {} episodes after each: {:.4g} on average, {:.4g} at most",
                        bounds.states, options.lipschitz->points, options.lipschitz->repeats, bounds.slope_mean,
                        bounds.slope_most)};
  const auto add = [&](const char* term, const LipschitzTerm& of, const char* who, std::string more) {
    std::vector<std::string> own = lines;
    const std::size_t episodes = std::min(options.episodes, options.coupled);
    own.push_back(given ? with_confidence(options, episodes, who)
                        : fmt::format("visits of {} episodes of the {}; no guarantee", episodes, who));
    own.push_back(fmt::format("actions move by {:.4g} on average over the visits{}", of.moved, more));
    ladder.out.rows.push_back(certificate_row(term, given ? Level::statistical : Level::estimate, of.value, of.measured,
                                              ladder.width, std::move(own)));
  };
  add("lipschitz_discretisation", bounds.discretisation, "teacher's own table, with the teacher in unvisited cells",
      "; bounds what discretisation alone costs");
  add("lipschitz_three_terms", bounds.embedding, "embedding",
      fmt::format("; of the bound {:.4g} are discretisation, {:.4g} pruning and {:.4g} projection",
                  bounds.embedding.discretisation, bounds.embedding.pruning, bounds.embedding.projection));
}

// The largest total variation over all states, where states and actions can be counted.
std::optional<double> largest_tv(const Ladder& ladder) {
  const Task& task = ladder.env.task();
  if (!task.state.is_discrete() || !task.action.is_discrete() || task.state.count > 100000) return std::nullopt;
  if (ladder.options.act == Act::mean) return std::nullopt;
  const std::size_t count = task.state.count;
  std::vector<double> states(count), seen(task.observation.dimensions() * count), chosen(count), tv(count);
  for (std::size_t s = 0; s < count; ++s) states[s] = static_cast<double>(s);
  const MatrixView<double> observation(seen.data(), task.observation.dimensions(), count);
  ladder.env.observe(MatrixView<const double>(states.data(), 1, count), observation);
  std::vector<double> log1(count), log2(count);
  for (std::size_t a = 0; a < task.action.count; ++a) {
    std::ranges::fill(chosen, static_cast<double>(a));
    const MatrixView<const double> action(chosen.data(), 1, count);
    ladder.teacher.log_prob(observation, action, log1);
    ladder.student.log_prob(observation, action, log2);
    for (std::size_t s = 0; s < count; ++s) tv[s] += std::abs(std::exp(log1[s]) - std::exp(log2[s])) / 2;
  }
  return *std::ranges::max_element(tv);
}

void add_rigorous(Ladder& ladder) {
  ladder.add("trivial", Level::rigorous, ladder.width, {"every return lies in the task's declared range"});
  if (const std::optional<double> alpha = largest_tv(ladder)) {
    const std::vector<double> f = losable(ladder.env, ladder.horizon, ladder.options.gamma);
    double value = 0, together = 1;
    for (std::size_t k = 0; k < ladder.horizon; ++k) {
      together *= 1 - std::min(*alpha, 1.0);
      value += (f[k] - f[k + 1]) * (1 - together);
    }
    ladder.add("coupling_geom", Level::rigorous, value,
               {fmt::format("the two policies differ by at most {:.4g} in total variation in every state", *alpha)});
  }
}

void add_world(Ladder& ladder, const Rollouts& held_out) {
  const CertifyOptions& options = ladder.options;
  const double own = ladder.env.task().gamma;
  const double gamma = options.gamma < 1 ? options.gamma : own < 1 ? own : 0.99;
  const FiniteWorldResult found =
      find_finite_world(ladder.env, ladder.teacher, ladder.student, held_out, options, gamma);
  if (!found.world) {
    ladder.out.not_covered.push_back(found.why_not);
    return;
  }
  LevelRows rows = world_rows(*found.world, options, ladder.horizon);
  for (CertificateRow& row : rows.rows) ladder.out.rows.push_back(std::move(row));
  for (std::string& sentence : rows.not_covered) ladder.out.not_covered.push_back(std::move(sentence));
}

}  // namespace

std::size_t statistical_rows(const Policy& student, const CertifyOptions& options) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&student);
  const std::size_t lipschitz = lattice != nullptr && options.lipschitz && options.lipschitz->constant ? 2 : 0;
  if (!options.levels.contains(Level::statistical)) return lipschitz;
  const bool coupled = student.action_space().is_discrete() || options.act == Act::sample;
  return lipschitz + (coupled ? 2 : 0) + (lattice != nullptr && has_unvisited(*lattice) ? 1 : 0);
}

LevelRows certify_levels(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                         double measured, const Progress& progress) {
  const std::uint32_t horizon = options.horizon.value_or(env.task().time_limit);
  Ladder ladder{env, teacher, student, options, horizon, measured, return_range(env, horizon, options.gamma).width(),
                {}};
  const bool finite = is_finite(env);
  const bool modelled =
      options.model && (options.levels.contains(Level::paper) || options.levels.contains(Level::exact) ||
                        options.levels.contains(finite ? Level::rigorous : Level::model));
  Rollouts held_out;
  if (options.levels.contains(Level::statistical) || (modelled && !finite)) {
    held_out = rollout(env, teacher, playing(options, horizon), progress);
  }
  if (!std::isfinite(ladder.width)) {
    ladder.out.not_covered.emplace_back("bounds by the width of the range of returns: the task declares no finite one");
  } else {
    if (options.levels.contains(Level::statistical)) {
      add_coupling(ladder, held_out);
      add_pruning(ladder, progress);
    }
    if (options.levels.contains(Level::rigorous)) add_rigorous(ladder);
  }
  if (options.lipschitz) add_lipschitz(ladder, progress);
  if (modelled) add_world(ladder, held_out);
  mark_winners(ladder.out.rows);
  return std::move(ladder.out);
}

}  // namespace mercer
