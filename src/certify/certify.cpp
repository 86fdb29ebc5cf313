#include "mercer/certify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/fault.hpp"
#include "core/phases.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "rollout/motion.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t first_look = 500;         // episodes; the number doubles until the limits are decided
constexpr std::size_t drawing_episodes = 1000;  // at most, that measure what mean actions alone cost
// At most, that measure distances: each is a mean over the many states of an episode, so that few of them do.
constexpr std::size_t distance_episodes = 1000;

double mean_of(const Numbers& x) { return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size()); }

// What the bounds of a certificate rest on, fixed before its episodes are played.
struct Grounds {
  std::optional<Range> range;  // of returns, declared or cut; empty: an estimate
  bool cut = false;
  bool anytime = false;
  double delta = 0;        // what all bounds together may fail with
  std::size_t bounds = 1;  // that share it

  LossOptions joint(LossMethod method) const { return {1 - delta / static_cast<double>(bounds), method, anytime}; }
  LossOptions alone(LossMethod method) const { return {1 - delta, method, anytime}; }
};

// What was seen of paired episodes so far.
struct Look {
  std::vector<Promise> promises;
  LossBound loss;         // with the others
  bool hopeless = false;  // a budget cannot be kept
  bool decided = false;   // the printed bounds keep every budget, or it is hopeless
};

LossBound bound_loss(const Numbers& teacher, const Numbers& student, const Grounds& grounds, const LossOptions& how) {
  return grounds.range ? certify_loss(teacher, student, *grounds.range, how)
                       : estimate_loss(teacher, student, how.confidence);
}

// Bets are planned for their confidence, so that on the same episodes the stricter bound may be the lower one. What is
// printed is the larger: a budget that is not kept alone is not kept by the printed bound.
void raise_to(LossBound& joint, const LossBound& alone) {
  joint.upper_loss = std::max(joint.upper_loss, alone.upper_loss);
  if (!alone.upper_percent) joint.no_percent = alone.no_percent;
  if (joint.upper_percent && alone.upper_percent) {
    joint.upper_percent = std::max(*joint.upper_percent, *alone.upper_percent);
  } else {
    joint.upper_percent.reset();
  }
}

Promise of_return(const Numbers& teacher, const Numbers& student, const LossBound& joint, const LossBound& alone,
                  std::optional<double> budget) {
  return {Quantity::episode_return,
          mean_of(teacher),
          mean_of(student),
          joint.loss_mean,
          joint.upper_loss,
          alone.upper_loss,
          budget};
}

Promise of_percent(const LossBound& joint, const LossBound& alone, std::optional<double> max_loss) {
  Promise out{.about = Quantity::return_percent, .measured = joint.loss_percent};
  if (joint.upper_percent) out.upper = *joint.upper_percent;
  if (alone.upper_percent) out.alone = *alone.upper_percent;
  if (max_loss) out.budget = 100 * *max_loss;
  return out;
}

// Outcomes of both policies on the same episodes.
struct Pair {
  std::span<const Outcome> teacher, student;              // as many of each
  std::span<const Outcome> teacher_apart, student_apart;  // with the distance from the other; of the first episodes
};

bool has_motion(const Task& task) { return task.action.is_discrete() || !scaled_axes(task.action).empty(); }

// Bounds the mean of numbers in a known range.
double upper_of(const Numbers& counted, Range range, double delta, const Grounds& grounds) {
  if (!grounds.range) return student_t_interval(counted, delta, Sides::upper).high;
  return betting_upper(counted, range, delta, grounds.anytime);
}

// Whether the mean is above the budget for sure.
bool above(const Numbers& counted, Range range, double budget, const Grounds& grounds) {
  if (!grounds.range) return false;
  Numbers less;
  for (const double one : counted) less.push_back(-one);
  return -betting_upper(less, {-range.high, -range.low}, grounds.delta, grounds.anytime) > budget;
}

// A promise that the mean of `student` is at most `factor` times that of `teacher` plus something.
Promise of_excess(Look& look, Quantity about, const Numbers& teacher, const Numbers& student,
                  const std::optional<Limit>& limit, const Grounds& grounds) {
  Promise out{.about = about, .teacher = mean_of(teacher), .embedding = mean_of(student)};
  out.factor = limit ? limit->factor : 1;
  const Range range{-out.factor, 1};
  Numbers counted(teacher.size());
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = student[i] - out.factor * teacher[i];
  out.measured = mean_of(counted);
  out.alone = std::max(upper_of(counted, range, grounds.delta, grounds), out.measured);
  out.upper =
      std::max(upper_of(counted, range, grounds.delta / static_cast<double>(grounds.bounds), grounds), out.alone);
  if (!limit) return out;
  out.budget = limit->plus;
  look.hopeless |= above(counted, range, limit->plus, grounds);
  return out;
}

// The same about something that is from 0 to 1 and has no counterpart of the teacher's.
Promise of_itself(Look& look, Quantity about, const Numbers& counted, std::optional<double> most,
                  const Grounds& grounds) {
  const Limit limit{0, most.value_or(1)};
  Promise out = of_excess(look, about, Numbers(counted.size(), 0.0), counted, limit, grounds);
  out.teacher = std::numeric_limits<double>::quiet_NaN();
  out.budget = most;
  return out;
}

Promise of_outside(Look& look, const Numbers& teacher, const Numbers& student, const Grounds& grounds) {
  const auto flags = [&](const Numbers& returns) {
    Numbers out;
    for (const double one : returns) out.push_back(one < grounds.range->low || one > grounds.range->high ? 1 : 0);
    return out;
  };
  const Numbers first = flags(teacher), second = flags(student);
  Numbers either(first.size());
  std::ranges::transform(first, second, either.begin(), [](double a, double b) { return std::max(a, b); });
  Promise out = of_itself(look, Quantity::outside, either, {}, grounds);
  out.teacher = mean_of(first);
  out.embedding = mean_of(second);
  return out;
}

// Everything that is promised besides the return.
void add_behaviour(Look& look, const Task& task, const Pair& pair, const Grounds& grounds, const Keeps& keeps) {
  const auto add = [&](Quantity about, std::optional<Limit> limit, auto of) {
    look.promises.push_back(
        of_excess(look, about, numbers_of(pair.teacher, of), numbers_of(pair.student, of), limit, grounds));
  };
  if (task.ending != Ending::plain) {
    add(Quantity::failures, keeps.failures, [&](const Outcome& one) { return *failed(task, one) ? 1.0 : 0.0; });
  }
  if (!has_motion(task)) return;
  add(Quantity::roughness, keeps.roughness, [](const Outcome& one) { return one.motion.roughness; });
  const auto add_distance = [&](Quantity about, std::span<const Outcome> outcomes) {
    const Numbers apart = numbers_of(outcomes, [](const Outcome& one) { return one.distance; });
    look.promises.push_back(of_itself(look, about, apart, keeps.distance, grounds));
  };
  add_distance(Quantity::distance_teacher, pair.teacher_apart);
  add_distance(Quantity::distance_embedding, pair.student_apart);
}

Look look_at(const Task& task, const Pair& pair, const Grounds& grounds, const CertifyOptions& options) {
  Look look;
  Numbers teacher = returns_of(pair.teacher, options.gamma), student = returns_of(pair.student, options.gamma);
  std::optional<Promise> outside;
  if (grounds.cut) {
    outside = of_outside(look, teacher, student, grounds);
    teacher = cut_to(teacher, *grounds.range);
    student = cut_to(student, *grounds.range);
  }
  look.loss = bound_loss(teacher, student, grounds, grounds.joint(options.method));
  const LossBound alone = bound_loss(teacher, student, grounds, grounds.alone(options.method));
  raise_to(look.loss, alone);
  look.promises = {of_return(teacher, student, look.loss, alone, options.max_loss_return),
                   of_percent(look.loss, alone, options.max_loss)};
  if (outside) look.promises.push_back(*outside);
  add_behaviour(look, task, pair, grounds, options.keeps);
  const bool kept = std::ranges::all_of(
      look.promises, [](const Promise& promise) { return !promise.budget || promise.upper <= *promise.budget; });
  const double size = std::abs(mean_of(teacher));
  look.hopeless |= (options.max_loss_return && alone.lower_loss > *options.max_loss_return) ||
                   (options.max_loss && size > 0 && alone.lower_loss > *options.max_loss * size);
  look.decided = kept || look.hopeless;
  return look;
}

// Returns nobody bounds are cut to a range that is fixed on other episodes.
Range cut_of(const Player& player, const Policy& teacher, const Policy& student, const CertifyOptions& options,
             Episodes episodes, const Progress& progress) {
  if (options.cut) return *options.cut;
  require_in_range("pilot episodes", static_cast<double>(options.pilot), 2, 1e9, "Take 100");
  episodes.count = options.pilot;
  episodes.motion = false;
  constexpr std::uint64_t purpose = 4;  // a search uses those before it
  episodes.seed = Random({options.seed, Stage::search, purpose, 0xFFFFFFFF}).bits();
  return generous_range(returns_of(player.play(teacher, episodes, progress), options.gamma),
                        returns_of(player.play(student, episodes, progress), options.gamma));
}

Grounds grounds_of(const Player& player, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                   const Episodes& episodes, std::size_t ladder_rows, const Progress& progress) {
  Grounds out;
  const bool budget = options.max_loss || options.max_loss_return || options.keeps.any();
  out.anytime = !options.all_episodes && budget && options.method == LossMethod::betting;
  out.delta =
      1 - (options.attempt > 0 ? confidence_of_attempt(options.confidence, options.attempt) : options.confidence);
  out.bounds = 2 + ladder_rows;  // the loss in return and in percent
  if (player.task().ending != Ending::plain) ++out.bounds;
  if (has_motion(player.task())) out.bounds += 3;  // roughness and two distances
  if (options.method == LossMethod::student_t) return out;
  out.range = player.return_range(*episodes.horizon, options.gamma);
  out.cut = !out.range;
  if (out.cut) {
    out.range = cut_of(player, teacher, student, options, episodes, progress);
    ++out.bounds;
  }
  if (planted(7)) out.bounds = 1;
  return out;
}

std::vector<std::string> paired_assumptions(std::size_t episodes, const Grounds& grounds) {
  std::string range = "the mean of the differences is roughly normal: an estimate, no guarantee";
  if (grounds.range) {
    const std::string ends = fmt::format("[{:.6g}, {:.6g}]", grounds.range->low, grounds.range->high);
    range = grounds.cut ? fmt::format("about returns cut to {}, a range fixed on other episodes", ends)
                        : fmt::format("every return lies in the task's declared range {}", ends);
  }
  return {fmt::format("{} independent episodes, both policies on the same starts and noise", episodes),
          "the policies were fixed before these episodes were played", range, "the task stays as it is"};
}

std::vector<std::string> not_covered(const Task& task, std::uint32_t horizon, const Grounds& grounds,
                                     const LossBound& loss) {
  const std::string length = horizon < unlimited_steps ? fmt::format(" with {} steps an episode", horizon) : "";
  std::vector<std::string> out{
      fmt::format("a task other than {}{}: other dynamics, noise or start states", task.name, length),
      "any one episode: promises are about means over episodes, and the distribution of returns about shares of them",
      "anything that neither the reward nor a promise counts",
      "an embedding picked after looking at certificates: count each attempt, or certify it once with a new seed"};
  if (grounds.cut) {
    out.push_back(
        fmt::format("how far returns lie outside [{:.6g}, {:.6g}]: no range of returns is declared (return_range), so "
                    "that they are cut to this one",
                    grounds.range->low, grounds.range->high));
  }
  if (!grounds.range) out.emplace_back("rare disasters: an estimate knows nothing of what did not happen");
  if (!loss.upper_percent) out.push_back(fmt::format("the loss in percent: {}", loss.no_percent));
  return out;
}

// What playing mean actions in place of drawn ones costs the teacher; empty where it draws nothing.
std::optional<double> drawing_cost(const Player& player, const Policy& teacher, PlayedOutcomes& by_mean,
                                   std::size_t played, Episodes episodes, const Progress& progress) {
  if (episodes.act != Act::mean) return std::nullopt;
  episodes.act = Act::sample;
  episodes.motion = false;
  episodes.count = std::min(played, player.parallel() ? drawing_episodes : drawing_episodes / 10);
  const double gamma = episodes.gamma.value_or(1);
  const Numbers drawn = returns_of(player.play(teacher, episodes, progress), gamma),
                mean = returns_of(by_mean.first(episodes.count), gamma);
  if (drawn == mean) return std::nullopt;
  return mean_of(drawn) - mean_of(mean);
}

}  // namespace

Keeps keeps_of(Keep keep) {
  if (keep == Keep::returned) return {};
  return {.roughness = Limit{1.25, 0.005}, .failures = Limit{1, 0.01}};
}

PlayedOutcomes::PlayedOutcomes(const Player& player, const Policy& policy, const Episodes& episodes,
                               const Progress& progress, const Policy* with, std::size_t compared)
    : player_(player), policy_(policy), episodes_(episodes), progress_(progress), with_(with), compared_(compared) {}

std::span<const Outcome> PlayedOutcomes::first(std::size_t count) {
  while (count > played_.size()) {
    Episodes more = episodes_;
    const bool compares = played_.size() < compared_;
    if (compares) more.compared = with_;
    more.first = episodes_.first + played_.size();
    more.count = (compares ? std::min(count, compared_) : count) - played_.size();
    const std::vector<Outcome> outcomes = player_.play(policy_, more, progress_);
    if (outcomes.size() != more.count) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("the player of task '{}' reports {} outcomes of {} episodes", player_.task().name,
                              outcomes.size(), more.count),
                  "Report one for each");
    }
    played_.insert(played_.end(), outcomes.begin(), outcomes.end());
  }
  return std::span(played_).first(count);
}

Episodes certifying_episodes(const Player& player, const CertifyOptions& options) {
  Episodes out{options.episodes, options.seed, options.act, options.gamma,
               options.horizon.value_or(player.task().time_limit)};
  out.motion = true;
  return out;
}

namespace {

// The phases of a certificate. A search has a bar of its own.
enum : Phases::Place { teacher_plays, embedding_plays, compares_actions, other_bounds };

// Outcomes of which more and more are played, as parts of a phase. In the first `compared` actions are compared, which
// takes longer.
class PlayedOn {
 public:
  PlayedOn(PlayedOutcomes& outcomes, Phases* phases, Phases::Place phase, std::size_t compared)
      : outcomes_(outcomes), phases_(phases), phase_(phase), compared_(compared) {}

  std::span<const Outcome> first(std::size_t count) {
    for (const std::size_t next : {std::min(compared_, count), count}) {
      if (next <= played_) continue;
      const Phases::Place phase = next <= compared_ ? compares_actions : phase_;
      if (phases_ != nullptr) phases_->begin(phase, static_cast<double>(next - played_));
      outcomes_.first(next);
      played_ = next;
    }
    return outcomes_.first(count);
  }

 private:
  PlayedOutcomes& outcomes_;
  Phases* phases_;
  Phases::Place phase_;
  std::size_t compared_, played_ = 0;
};

// Episodes after which all limits should be decided: what is between a bound and what was measured shrinks with the
// root of their number.
double episodes_to_decide(const Look& look, std::size_t played, std::size_t most) {
  double needed = 2 * static_cast<double>(played);  // the next look
  for (const Promise& promise : look.promises) {
    if (!promise.budget || promise.upper <= *promise.budget || !(promise.measured < *promise.budget)) continue;
    const double ratio = (promise.upper - promise.measured) / (*promise.budget - promise.measured);
    needed = std::max(needed, static_cast<double>(played) * ratio * ratio);
  }
  return std::min(needed, static_cast<double>(most));
}

Certificate certify_played(const Player& player, const Policy& teacher, const Policy& student,
                           PlayedOutcomes& of_teacher, const CertifyOptions& options, const Progress& progress,
                           Phases* phases);

}  // namespace

Certificate certify(const Player& player, const Policy& teacher, const Policy& student, const CertifyOptions& options,
                    const Progress& progress) {
  Phases phases(progress, {{"teacher plays"}, {"embedding plays"}, {"compare actions"}, {"other bounds"}});
  PlayedOutcomes of_teacher(player, teacher, certifying_episodes(player, options), phases.inner());
  return certify_played(player, teacher, student, of_teacher, options, phases.inner(), &phases);
}

Certificate certify_paired(const Player& player, const Policy& teacher, const Policy& student,
                           PlayedOutcomes& of_teacher, const CertifyOptions& options, const Progress& progress) {
  return certify_played(player, teacher, student, of_teacher, options, progress, nullptr);
}

namespace {

Certificate certify_played(const Player& player, const Policy& teacher, const Policy& student,
                           PlayedOutcomes& of_teacher, const CertifyOptions& options, const Progress& progress,
                           Phases* phases) {
  require_confidence(options.confidence);
  require_in_range("episodes", static_cast<double>(options.episodes), 2, 1e9, "Take 10000");
  if (options.levels.contains(Level::estimate)) {
    throw Error(ErrorCode::bad_value, "level 'estimate' cannot be asked for",
                "Ask for other levels; method student_t gives an estimate");
  }
  const Env* env = options.levels.empty() ? nullptr : player.env();
  const Episodes episodes = certifying_episodes(player, options);
  const Grounds grounds =
      grounds_of(player, teacher, student, options, episodes, env ? statistical_rows(student, options) : 0, progress);
  const std::size_t compared =
      !has_motion(player.task()) ? 0 : (player.parallel() ? distance_episodes : distance_episodes / 10);
  PlayedOutcomes of_student(player, student, episodes, progress, &teacher, compared);
  Episodes apart = episodes;
  apart.motion = false;
  PlayedOutcomes teacher_apart(player, teacher, apart, progress, &student, compared);
  // Both play a little first: then the bar knows how fast each of them is.
  const std::size_t few_first = player.parallel() ? first_look : 0;
  PlayedOn by_teacher(of_teacher, phases, teacher_plays, 0);
  PlayedOn by_student(of_student, phases, embedding_plays, compared);
  PlayedOn apart_from_it(teacher_apart, phases, compares_actions, compared);
  const auto pair_of = [&](std::size_t played) {
    const std::size_t few = std::min(played, compared);
    if (few_first > 0) {
      by_teacher.first(std::min(few_first, played));
      by_student.first(std::min(compared + few_first, played));
    }
    by_teacher.first(played);
    by_student.first(played);
    return Pair{of_teacher.first(played), of_student.first(played), apart_from_it.first(few), of_student.first(few)};
  };
  const double rows = env == nullptr ? 0 : 2 * static_cast<double>(options.coupled);  // a guess: they differ much
  const double draws = options.act == Act::mean ? drawing_episodes : 0;
  const auto expect = [&](double in_all) {
    if (phases == nullptr) return;
    const double few = std::min(static_cast<double>(compared), in_all);
    phases->expect(teacher_plays, in_all);
    phases->expect(embedding_plays, in_all - few);
    phases->expect(compares_actions, 2 * few);
    phases->expect(other_bounds, rows + std::min(draws, in_all));
  };
  constexpr double usually_enough = 2000;
  const auto most = static_cast<double>(options.episodes);
  expect(grounds.anytime ? std::min(usually_enough, most) : most);
  std::size_t played = grounds.anytime ? std::min(first_look, options.episodes) : options.episodes;
  Look look;
  std::size_t looks = 1;
  while (true) {
    look = look_at(player.task(), pair_of(played), grounds, options);
    if (look.decided || played == options.episodes) break;
    expect(episodes_to_decide(look, played, options.episodes));
    played = std::min(2 * played, options.episodes);
    ++looks;
  }
  expect(static_cast<double>(played));
  if (phases != nullptr) phases->begin(other_bounds, std::min(draws, static_cast<double>(played)));

  const Numbers first = returns_of(of_teacher.first(played), options.gamma),
                second = returns_of(of_student.first(played), options.gamma);
  const PairedLoss measured = paired_loss(first, second);
  Certificate certificate;
  certificate.promises = std::move(look.promises);
  certificate.teacher_return = mean_of(first);
  certificate.loss_return = measured.loss_mean;
  certificate.loss_percent = measured.loss_percent;
  certificate.upper_return = look.loss.upper_loss;
  certificate.upper_percent = look.loss.upper_percent;
  certificate.confidence = options.confidence;
  certificate.level = grounds.range ? Level::statistical : Level::estimate;
  certificate.method = options.method;
  certificate.gamma = options.gamma;
  certificate.act = options.act;
  certificate.env = player.task().name;
  certificate.teacher = teacher.name();
  certificate.episodes = played;
  certificate.seed = options.seed;
  certificate.attempt = options.attempt;
  if (options.max_loss) certificate.budget_percent = 100 * *options.max_loss;
  certificate.budget_return = options.max_loss_return;
  if (grounds.cut) certificate.cut = grounds.range;
  certificate.sequential = grounds.anytime;
  certificate.distribution = return_distribution(first, second, grounds.delta, grounds.anytime ? looks : 0);
  certificate.distribution->confidence = options.confidence;
  if (has_motion(player.task())) {
    certificate.motion = {behaviour_of(of_teacher.first(played), player.task()).motion,
                          behaviour_of(of_student.first(played), player.task()).motion};
  }
  certificate.drawing_cost = drawing_cost(player, teacher, of_teacher, played, episodes, progress);

  if (options.levels.empty() || options.levels.contains(Level::statistical)) {
    certificate.rows.push_back(certificate_row("paired", certificate.level, look.loss.upper_loss, look.loss.loss_mean,
                                               grounds.range ? grounds.range->width() : HUGE_VAL,
                                               paired_assumptions(played, grounds)));
  }
  certificate.not_covered = not_covered(player.task(), *episodes.horizon, grounds, look.loss);
  if (env != nullptr) {
    CertifyOptions spent = options;
    spent.confidence = 1 - grounds.delta / static_cast<double>(grounds.bounds);
    if (phases != nullptr) phases->begin(other_bounds, rows);
    LevelRows others = certify_levels(*env, teacher, student, spent, std::abs(certificate.loss_return), progress);
    std::ranges::move(others.rows, std::back_inserter(certificate.rows));
    std::ranges::move(others.not_covered, std::back_inserter(certificate.not_covered));
  }
  judge(certificate);
  return certificate;
}

}  // namespace
}  // namespace mercer
