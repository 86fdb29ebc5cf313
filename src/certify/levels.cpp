#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "certify/coupling.hpp"
#include "certify/world_rows.hpp"
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

std::string with_confidence(const CertifyOptions& options, std::size_t episodes) {
  return fmt::format("holds with {:.6g}% confidence over {} independent episodes of the teacher",
                     100 * options.confidence, episodes);
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
  const std::string confidence = with_confidence(ladder.options, held_out.episodes());
  const std::string found = fmt::format(
      "mean total variation over the teacher's states {:.4g}; coupled, the two part "
      "in {:.4g}% of the episodes",
      bound.tv, 100 * bound.separated);
  ladder.add("coupling", Level::statistical, bound.value,
             {confidence, "rewards and returns inside their declared ranges", found});
  ladder.add("modelfree_d1", Level::statistical, bound.modelfree,
             {confidence, "rewards inside their declared range", found});
}

// What acting in cells that the embedding does not hold can add, whatever it does there.
void add_pruning(Ladder& ladder, const Rollouts& held_out) {
  const auto* lattice = dynamic_cast<const LatticePolicy*>(&ladder.student);
  if (lattice == nullptr) return;
  const std::size_t seen = ladder.teacher.observation_dimensions();
  std::size_t touched = 0;
  for (std::size_t e = 0; e < held_out.episodes(); ++e) {
    bool outside = false;
    for (auto i = held_out.offsets[e]; i < held_out.offsets[e + 1] && !outside; ++i) {
      const double* point = held_out.observations.data() + static_cast<std::size_t>(i) * seen;
      outside = lattice->cells().find(point) == Cells::none;
    }
    touched += outside ? 1 : 0;
  }
  const Range share =
      clopper_pearson_interval(touched, held_out.episodes(), 1 - ladder.options.confidence, Sides::upper);
  CertificateRow row = certificate_row(
      "pruning", Level::statistical, ladder.width * share.high, std::numeric_limits<double>::quiet_NaN(), ladder.width,
      {with_confidence(ladder.options, held_out.episodes()),
       fmt::format("bounds only what leaving out unvisited cells adds: {} of {} held-out episodes touch one, at most "
                   "{:.4g}% of all (Clopper-Pearson)",
                   touched, held_out.episodes(), 100 * share.high)});
  ladder.out.rows.push_back(std::move(row));
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
  if (!options.levels.contains(Level::statistical)) return 0;
  return 2 + (dynamic_cast<const LatticePolicy*>(&student) != nullptr ? 1 : 0);  // coupling, modelfree_d1, pruning
}

LevelRows certify_levels(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                         double measured, const Progress& progress) {
  const std::uint32_t horizon = options.horizon.value_or(env.task().time_limit);
  Ladder ladder{env, teacher, student, options, horizon, measured, return_range(env, horizon, options.gamma).width(),
                {}};
  const bool modelled =
      options.model && (options.levels.contains(Level::paper) || options.levels.contains(Level::rigorous) ||
                        options.levels.contains(Level::exact));
  Rollouts held_out;
  if (options.levels.contains(Level::statistical) || (modelled && !is_finite(env))) {
    RolloutOptions playing;
    playing.episodes = std::min(options.episodes, options.coupled);
    playing.seed = options.seed;
    playing.act = options.act;
    playing.horizon = horizon;
    held_out = rollout(env, teacher, playing, progress);
  }
  if (options.levels.contains(Level::statistical)) {
    add_coupling(ladder, held_out);
    add_pruning(ladder, held_out);
  }
  if (options.levels.contains(Level::rigorous)) add_rigorous(ladder);
  if (modelled) add_world(ladder, held_out);
  mark_winners(ladder.out.rows);
  return std::move(ladder.out);
}

}  // namespace mercer
