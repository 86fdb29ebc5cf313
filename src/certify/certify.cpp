#include "mercer/certify.hpp"

#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

std::vector<std::string> paired_assumptions(const CertifyOptions& options, const std::optional<Range>& range) {
  return {fmt::format("{} independent episodes, both policies on the same starts and noise", options.episodes),
          "the policies were fixed before these episodes were played",
          range
              ? fmt::format("every return lies in the task's declared range [{:.6g}, {:.6g}]", range->low, range->high)
              : "the mean of the differences is roughly normal: an estimate, no guarantee",
          "the task stays as it is"};
}

std::vector<std::string> always_outside(const Task& task, std::uint32_t horizon) {
  const std::string length = horizon < unlimited_steps ? fmt::format(" with {} steps an episode", horizon) : "";
  return {fmt::format("a task other than {}{}: other dynamics, noise or start states", task.name, length),
          "single episodes: the promise is about the mean return", "anything that the reward does not count",
          "an embedding picked after looking at certificates: count such attempts, or certify with a new seed once"};
}

}  // namespace

Certificate certify(const Player& player, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                    const Progress& progress) {
  require_confidence(options.confidence);
  const Episodes episodes{options.episodes, options.seed, options.act, options.gamma,
                          options.horizon.value_or(player.task().time_limit)};
  const std::vector<Outcome> of_teacher = player.play(teacher, episodes, progress);
  return certify_paired(player, teacher, student, of_teacher, player.play(student, episodes, progress), options,
                        progress);
}

Certificate certify_paired(const Player& player, const Policy& teacher, const Policy& student,
                           std::span<const Outcome> of_teacher, std::span<const Outcome> of_student,
                           const CertifyOptions& options, const Progress& progress) {
  const std::uint32_t horizon = options.horizon.value_or(player.task().time_limit);
  const double confidence =
      options.attempt > 0 ? confidence_of_attempt(options.confidence, options.attempt) : options.confidence;
  const std::vector<double> first = returns_of(of_teacher, options.gamma),
                            second = returns_of(of_student, options.gamma);
  const std::optional<Range> range = player.return_range(horizon, options.gamma);
  const LossBound bound = range ? certify_loss(first, second, *range, confidence, options.method)
                                : estimate_loss(first, second, confidence);
  const std::string level = range ? "statistical" : "estimate";

  Certificate certificate;
  certificate.teacher_return = summarise(first).mean;
  certificate.loss_return = bound.loss_mean;
  certificate.loss_percent = bound.loss_percent;
  certificate.upper_return = bound.upper_loss;
  certificate.upper_percent = bound.upper_percent;
  certificate.confidence = options.confidence;
  certificate.level = level;
  certificate.method = range ? loss_method_name(options.method) : "student-t";
  certificate.gamma = options.gamma;
  certificate.act = options.act == Act::mean ? "mean" : "sample";
  certificate.env = player.task().name;
  certificate.teacher = teacher.name();
  certificate.episodes = options.episodes;
  certificate.seed = options.seed;
  certificate.attempt = options.attempt;
  if (options.max_loss) certificate.budget_percent = 100 * *options.max_loss;
  certificate.budget_return = options.max_loss_return;
  if (options.max_loss) require_percent(bound);

  if (options.levels.contains(Level::statistical)) {
    certificate.rows.push_back(certificate_row("paired", level, bound.upper_loss, bound.loss_mean,
                                               range ? range->width() : HUGE_VAL, paired_assumptions(options, range)));
  }
  LevelRows others;
  if (const Env* env = player.env()) {
    CertifyOptions spent = options;
    spent.confidence = confidence;
    others = certify_levels(*env, teacher, student, spent, std::abs(bound.loss_mean), progress);
  }
  for (CertificateRow& row : others.rows) certificate.rows.push_back(std::move(row));
  certificate.not_covered = always_outside(player.task(), horizon);
  if (!range) {
    certificate.not_covered.push_back(
        "rare disasters: no range of returns is declared (return_range), so nothing bounds them");
  }
  if (!bound.upper_percent) {
    certificate.not_covered.push_back(fmt::format("the loss in percent: {}", bound.no_percent));
  }
  for (std::string& sentence : others.not_covered) certificate.not_covered.push_back(std::move(sentence));
  judge(certificate);
  return certificate;
}

}  // namespace mercer
