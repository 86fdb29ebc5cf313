#include "mercer/certify.hpp"

#include <cmath>

#include <fmt/format.h>

#include "certify/coupling.hpp"
#include "mercer/error.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

std::vector<std::string> paired_assumptions(const CertifyOptions& options, const Range& range) {
  return {fmt::format("{} independent episodes, both policies on the same starts and noise", options.episodes),
          "the policies were fixed before these episodes were played",
          fmt::format("every return lies in the task's declared range [{:.6g}, {:.6g}]", range.low, range.high),
          "the task stays as it is"};
}

std::vector<std::string> always_outside(const Env& env, std::uint32_t horizon) {
  return {fmt::format("a task other than {} with {} steps an episode: other dynamics, noise or start states",
                      env.task().name, horizon),
          "single episodes: the promise is about the mean return", "anything that the reward does not count",
          "an embedding picked after looking at certificates: count such attempts, or certify with a new seed once"};
}

}  // namespace

Certificate certify(const Env& env, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                    const Progress& progress) {
  require_confidence(options.confidence);
  if (options.levels.contains(Level::estimate)) {
    throw Error(ErrorCode::bad_value, "level 'estimate' is for tasks whose range of returns is unknown",
                "Ask for paper, rigorous, exact or statistical");
  }
  const std::uint32_t horizon = options.horizon.value_or(env.task().time_limit);
  RolloutOptions playing;
  playing.episodes = options.episodes;
  playing.seed = options.seed;
  playing.act = options.act;
  playing.horizon = horizon;
  playing.gamma = options.gamma;
  return certify_paired(env, teacher, student, paired_returns(env, teacher, student, playing, progress), options,
                        progress);
}

Certificate certify_paired(const Env& env, const Policy& teacher, const Policy& student, const PairedReturns& paired,
                           const CertifyOptions& options, const Progress& progress) {
  const std::uint32_t horizon = options.horizon.value_or(env.task().time_limit);
  const double confidence =
      options.attempt > 0 ? confidence_of_attempt(options.confidence, options.attempt) : options.confidence;
  const bool discounted = options.gamma < 1;
  const std::vector<double>& of_teacher = discounted ? paired.discounted_teacher : paired.teacher;
  const std::vector<double>& of_student = discounted ? paired.discounted_student : paired.student;
  const Range range = return_range(env, horizon, options.gamma);
  const LossBound bound = certify_loss(of_teacher, of_student, range, confidence, options.method);

  Certificate certificate;
  certificate.teacher_return = summarise(of_teacher).mean;
  certificate.loss_return = bound.loss_mean;
  certificate.loss_percent = bound.loss_percent;
  certificate.upper_return = bound.upper_loss;
  certificate.upper_percent = bound.upper_percent;
  certificate.confidence = options.confidence;
  certificate.method = options.method;
  certificate.gamma = options.gamma;
  certificate.act = options.act;
  certificate.env = env.task().name;
  certificate.teacher = teacher.name();
  certificate.episodes = options.episodes;
  certificate.seed = options.seed;
  certificate.attempt = options.attempt;
  if (options.max_loss) certificate.budget_percent = 100 * *options.max_loss;
  certificate.budget_return = options.max_loss_return;
  if (options.max_loss) require_percent(bound);

  if (options.levels.contains(Level::statistical)) {
    certificate.rows.push_back(certificate_row("paired", Level::statistical, bound.upper_loss, bound.loss_mean,
                                               range.width(), paired_assumptions(options, range)));
  }
  CertifyOptions spent = options;
  spent.confidence = confidence;
  LevelRows others = certify_levels(env, teacher, student, spent, std::abs(bound.loss_mean), progress);
  for (CertificateRow& row : others.rows) certificate.rows.push_back(std::move(row));
  certificate.not_covered = always_outside(env, horizon);
  if (!bound.upper_percent) {
    certificate.not_covered.push_back(fmt::format("the loss in percent: {}", bound.no_percent));
  }
  for (std::string& sentence : others.not_covered) certificate.not_covered.push_back(std::move(sentence));
  judge(certificate);
  return certificate;
}

}  // namespace mercer
