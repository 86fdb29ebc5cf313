#include "certify/grid.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

std::vector<Outcome> played(const Player& player, const Policy& policy, const Episodes& episodes,
                            const Progress& progress) {
  PlayedOutcomes outcomes(player, policy, episodes, progress);
  const auto all = outcomes.first(episodes.count);
  return {all.begin(), all.end()};
}

LossBound bound_of(const Player& player, std::vector<double> teacher, std::vector<double> student,
                   const Episodes& episodes, const std::optional<Range>& cut, const LossOptions& how) {
  const double gamma = episodes.gamma.value_or(1);
  std::optional<Range> range;
  if (how.method != LossMethod::student_t) range = player.return_range(*episodes.horizon, gamma);
  if (!range && cut && how.method != LossMethod::student_t) {
    range = cut;
    teacher = cut_to(teacher, *cut);
    student = cut_to(student, *cut);
  }
  return range ? certify_loss(teacher, student, *range, how) : estimate_loss(teacher, student, how.confidence);
}

PerturbedPoint point_of(const Player& player, std::vector<double> values, const Policy& teacher, const Policy& student,
                        const Episodes& episodes, const std::optional<Range>& cut, const LossOptions& how,
                        const Progress& progress) {
  const std::vector<Outcome> first = played(player, teacher, episodes, progress),
                             second = played(player, student, episodes, progress);
  const std::vector<double> earned = returns_of(first, episodes.gamma.value_or(1)),
                            kept = returns_of(second, episodes.gamma.value_or(1));
  const LossBound bound = bound_of(player, earned, kept, episodes, cut, how);
  const PairedLoss measured = paired_loss(earned, kept);
  const Behaviour of_teacher = behaviour_of(first, player.task()), of_student = behaviour_of(second, player.task());
  PerturbedPoint out;
  out.values = std::move(values);
  out.teacher_return = summarise(earned).mean;
  out.loss_return = measured.loss_mean;
  out.loss_percent = measured.loss_percent;
  out.upper_return = bound.upper_loss;
  out.upper_percent = bound.upper_percent;
  out.motion = {of_teacher.motion, of_student.motion};
  if (player.task().ending != Ending::plain) {
    out.teacher_failures = of_teacher.failures;
    out.failures = of_student.failures;
  }
  return out;
}

}  // namespace

PerturbedGrid certify_grid(const BoxPlayer& player, const Policy& teacher, const Policy& student, std::size_t each,
                           const CertifyOptions& options, const std::optional<Range>& cut, const Progress& progress) {
  PerturbedGrid out;
  for (const Perturbation& one : player.box()) {
    out.names.push_back(one.parameter.name);
    out.ranges.push_back(one.range);
  }
  const std::vector<std::vector<double>> points = grid_of(player.box(), each);
  constexpr std::uint64_t purpose = 6;  // a search, its certificate and the page use those before it
  Episodes episodes = certifying_episodes(player, options);
  episodes.seed = Random({options.seed, Stage::search, purpose, 0xFFFFFFFF}).bits();
  episodes.motion = true;
  out.episodes = episodes.count;
  out.confidence = options.confidence;
  const double delta = (1 - options.confidence) / (2 * static_cast<double>(points.size()));
  const Progress quiet{{}, progress.stop, progress.note};
  ProgressCounter counter(progress, "grid", points.size());
  for (const std::vector<double>& values : points) {
    const auto there = player.at(values);
    out.points.push_back(point_of(*there, values, teacher, student, episodes, cut, {1 - delta, options.method}, quiet));
    counter.add(1);
  }
  return out;
}

}  // namespace mercer
