#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "measure/certificate_words.hpp"
#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "rollout/motion.hpp"

namespace mercer {
namespace {

// Purposes of episodes: they never share a seed.
constexpr std::uint64_t selecting = 2, certifying = 3, searching = 7;

constexpr std::size_t least_certifying = 50;  // however little time there is

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<Outcome> played(const Player& player, const Policy& policy, const Episodes& episodes,
                            const Progress& progress) {
  PlayedOutcomes all(player, policy, episodes, progress);
  const auto outcomes = all.first(episodes.count);
  return {outcomes.begin(), outcomes.end()};
}

double roughness_of(const Outcome& one) { return one.motion.roughness; }
auto failure_in(const Task& task) {
  return [&task](const Outcome& one) { return failed(task, one).value_or(false) ? 1.0 : 0.0; };
}

double deviation_of(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// A search that aims at the limit itself ends above it half of the time.
constexpr double aimed_share = 0.95;

Range both(Range one, Range other) { return {std::min(one.low, other.low), std::max(one.high, other.high)}; }

Range range_of(std::span<const double> numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  return {low, high};
}

// How far the worst promise besides the return is above its budget, in units of what was allowed; 0 where none is.
double above_limits(const Certificate& certificate) {
  double worst = 0;
  for (const Promise& promise : certificate.promises) {
    const bool of_return = promise.about == Quantity::episode_return || promise.about == Quantity::return_percent;
    if (of_return || !promise.budget || promise.kept()) continue;
    const double teacher = std::isnan(promise.teacher) ? 0 : promise.teacher;
    const double allowed = std::max(promise.factor * teacher + *promise.budget, 1e-9);
    worst = std::max(worst, (promise.alone - *promise.budget) / allowed);
  }
  return worst;
}

Range generous(Range seen) { return generous_range(std::span(&seen.low, 1), std::span(&seen.high, 1)); }

// A share of a return that may be 0 cannot be promised: better found out before the search than by its certificate.
void require_share(std::span<const double> returns, double delta) {
  const Range mean = student_t_interval(returns, delta);
  if (mean.low > 0 || mean.high < 0) return;
  throw Error(
      ErrorCode::missing_option,
      fmt::format("a loss in percent needs a teacher whose mean return is not 0; it is {:.4g} over {} episodes, "
                  "with {} confidence in [{:.4g}, {:.4g}]",
                  mean_of(returns), returns.size(), confidence_down(1 - delta), mean.low, mean.high),
      "Give a budget in units of return (--max-loss-return), or raise --select-episodes");
}

}  // namespace

Selection::Selection(const Player& player, const Policy& teacher, const SelectionOptions& options,
                     const Progress& progress)
    : player_(player), teacher_(teacher), options_(options) {
  if (!options.max_loss && !options.max_loss_return) {
    throw Error(ErrorCode::missing_option, "no budget was given", "Give a largest loss");
  }
  require_confidence(options.confidence);
  require_in_range("select episodes", static_cast<double>(options.select_episodes), 2, 1e9, "Take 4000");
  require_in_range("certify episodes", static_cast<double>(options.certify_episodes), 2, 1e9, "Take 100000");
  require_in_range("attempts", static_cast<double>(options.attempts), 1, 1e6, "Take 5");
  const auto begin = std::chrono::steady_clock::now();
  of_teacher_ = played(player, teacher, playing(selecting, options.select_episodes), progress);
  if (options.certify_seconds > 0) {
    const double each = seconds_since(begin) / static_cast<double>(options.select_episodes);
    options_.certify_episodes = fitting_episodes(each);
  }
  teacher_returns_ = returns_of(of_teacher_);
  teacher_behaviour_ = behaviour_of(of_teacher_, player.task());
  teacher_mean_ = mean_of(teacher_returns_);
  if (options.max_loss && !options.max_loss_return) require_share(teacher_returns_, 1 - options.confidence);
  budget_ = options.max_loss_return.value_or(HUGE_VAL);
  if (options.max_loss) budget_ = std::min(budget_, *options.max_loss * std::abs(teacher_mean_));
  if (options.points.empty()) return;
  // Together the points play as many episodes as the task itself, in a search about twice as many.
  constexpr std::size_t least = 16, searched = 512;
  points_ = points_on(selecting, std::max(least, options.select_episodes / options.points.size()), progress);
  aimed_ = points_on(searching, std::max(least, searched / options.points.size()), progress);
}

// Certifying n episodes plays 2 n, and twice some more that measure the distance where the teacher goes, and draws.
std::size_t Selection::fitting_episodes(double episode_seconds) const {
  const double extra = player_.parallel() ? 1000 : 100,
               all = options_.certify_seconds / std::max(episode_seconds, 1e-9);
  const double fit = std::max(all / 4, (all - 2 * extra) / 2);
  const auto most = static_cast<double>(options_.certify_episodes);
  return static_cast<std::size_t>(std::min(most, std::max(fit, static_cast<double>(least_certifying))));
}

std::vector<Aim::Point> Selection::points_on(std::uint64_t purpose, std::size_t episodes,
                                             const Progress& progress) const {
  std::vector<Aim::Point> out;
  for (const std::shared_ptr<const Player>& player : options_.points) {
    Episodes own = playing(purpose, episodes);
    own.motion = false;
    Aim::Point point{player, own, returns_of(player->play(teacher_, own, progress))};
    point.budget = options_.max_loss_return.value_or(HUGE_VAL);
    if (options_.max_loss) {
      point.budget = std::min(point.budget, *options_.max_loss * std::abs(mean_of(point.teacher_returns)));
    }
    point.budget = std::max(point.budget, 1e-9);
    out.push_back(std::move(point));
  }
  return out;
}

Episodes Selection::playing(std::uint64_t purpose, std::size_t episodes) const {
  Episodes out{episodes, Random({options_.seed, Stage::search, purpose, 0xFFFFFFFF}).bits(), options_.act};
  out.motion = true;
  return out;
}

Aim Selection::aim() const {
  const Keeps& keeps = options_.keeps;
  Aim out{teacher_mean_, budget_, {}, {}, {}, &teacher_};
  if (!(out.budget > 0) || !std::isfinite(out.budget)) out.budget = std::max(1e-3 * std::abs(teacher_mean_), 1e-9);
  // A certificate must have room between what is measured and the limit: about as much as it would need for the
  // teacher.
  const auto largest = [&](const Limit& limit, const std::vector<double>& teacher) {
    const double mean = mean_of(teacher), all = limit.factor * mean + limit.plus;
    const double room = expected(0, limit.factor * deviation_of(teacher, mean), 1 + limit.factor, teacher.size());
    return std::max(std::max(aimed_share * all - room, all / 2), 1e-9);
  };
  if (keeps.roughness) out.roughness = largest(*keeps.roughness, numbers_of(of_teacher_, roughness_of));
  if (keeps.failures && player_.task().ending != Ending::plain) {
    out.failures = largest(*keeps.failures, numbers_of(of_teacher_, failure_in(player_.task())));
  }
  if (keeps.distance) out.distance = largest({0, *keeps.distance}, std::vector<double>(of_teacher_.size(), 0.0));
  out.points = aimed_;
  for (Aim::Point& point : out.points) point.budget *= aimed_share;
  return out;
}

double Selection::expected(double mean, double spread, double width, std::size_t selected) const {
  const auto certified = static_cast<double>(options_.certify_episodes);
  const double odds = std::log(2 / (1 - options_.confidence));
  return mean + spread / std::sqrt(static_cast<double>(selected)) + spread * std::sqrt(2 * odds / certified) +
         width * odds / certified;
}

double Selection::excess(std::span<const Outcome> outcomes, std::span<const Outcome> on_teacher) const {
  double worst = -1;
  const auto judge = [&](const Limit& limit, const std::vector<double>& teacher, const std::vector<double>& student) {
    std::vector<double> counted(student.size());
    for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = student[i] - limit.factor * teacher[i];
    const double mean = mean_of(counted);
    const double allowed = std::max(limit.factor * mean_of(teacher) + limit.plus, 1e-9);
    const double likely = expected(mean, deviation_of(counted, mean), 1 + limit.factor, counted.size());
    worst = std::max(worst, (likely - limit.plus) / allowed);
  };
  const auto both_of = [&](const Limit& limit, auto of) {
    judge(limit, numbers_of(std::span(of_teacher_).first(outcomes.size()), of), numbers_of(outcomes, of));
  };
  const Keeps& keeps = options_.keeps;
  if (keeps.roughness) both_of(*keeps.roughness, roughness_of);
  if (keeps.failures && player_.task().ending != Ending::plain) both_of(*keeps.failures, failure_in(player_.task()));
  if (keeps.distance) {
    for (const auto states : {outcomes, on_teacher}) {
      if (states.empty()) continue;
      const std::vector<double> apart = numbers_of(states, [](const Outcome& one) { return one.distance; });
      judge({0, *keeps.distance}, std::vector<double>(apart.size(), 0.0), apart);
    }
  }
  return worst;
}

bool Selection::hopeless(std::span<const Outcome> outcomes) const {
  std::vector<double> lost = returns_of(outcomes);
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = teacher_returns_[i] - lost[i];
  const double mean = mean_of(lost);
  return mean - 3 * deviation_of(lost, mean) / std::sqrt(static_cast<double>(lost.size())) > 4 * budget_;
}

MeasuredPolicy Selection::measure(const Policy& policy, std::size_t bytes, const Progress& progress) const {
  Episodes episodes = playing(selecting, options_.select_episodes);
  if (options_.keeps.distance) episodes.compared = &teacher_;
  PlayedOutcomes own(player_, policy, episodes, progress);
  const auto judged = [&](std::size_t count, std::span<const Outcome> on_teacher) {
    const std::span<const Outcome> outcomes = own.first(count);
    const std::vector<double> earned = returns_of(outcomes);
    std::vector<double> lost(earned.size());
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = teacher_returns_[i] - earned[i];
    MeasuredPolicy out{&policy, bytes, mean_of(lost), 0, both(range_of(teacher_returns_), range_of(earned))};
    out.episodes = count;
    out.spread = deviation_of(lost, out.loss);
    out.behaviour = behaviour_of(outcomes, player_.task());
    out.excess = excess(outcomes, on_teacher);
    return out;
  };
  if (const std::size_t glance = options_.glance; glance > 1 && glance < episodes.count) {
    const std::size_t look = std::min(6 * glance, episodes.count);
    if (hopeless(own.first(glance))) {
      episodes.count = glance;
    } else if (short_of(judged(look, {})) > 0.5) {
      episodes.count = look;
    }
  }
  std::vector<Outcome> on_teacher;
  if (options_.keeps.distance) {
    episodes.compared = &policy;
    on_teacher = played(player_, teacher_, episodes, progress);
  }
  MeasuredPolicy out = judged(episodes.count, on_teacher);
  for (const Aim::Point& point : points_) {
    const auto [loss, deviation] = point.loss(policy, progress);
    const double likely = loss + deviation / std::sqrt(static_cast<double>(point.episodes.count));
    out.excess = std::max(out.excess, likely / point.budget - 1);
  }
  return out;
}

double Selection::expected_upper(const MeasuredPolicy& one) const {
  const std::optional<Range> range = player_.return_range(player_.task().time_limit);
  const double width = options_.method == LossMethod::student_t ? 0 : (range ? *range : generous(one.returns)).width();
  return expected(one.loss, one.spread, width, one.episodes);
}

double Selection::short_of(const MeasuredPolicy& one) const {
  return std::max(one.excess, (expected_upper(one) - budget_) / std::max(std::abs(budget_), 1e-9));
}

std::vector<std::size_t> Selection::in_turn(std::span<const MeasuredPolicy> policies) const {
  std::vector<std::size_t> order(policies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const MeasuredPolicy &first = policies[a], &second = policies[b];
    const bool one = promising(first), other = promising(second);
    if (one != other) return one;
    return one ? std::pair(first.bytes, first.loss) < std::pair(second.bytes, second.loss)
               : std::pair(short_of(first), first.bytes) < std::pair(short_of(second), second.bytes);
  });
  return order;
}

Selection::Verdict Selection::certify(std::span<const MeasuredPolicy> policies, const Progress& progress) const {
  if (policies.empty()) {
    if (!options_.max_bytes) {
      throw Error(ErrorCode::missing_option, "no candidate is there to certify",
                  "Allow other routes, bases or more time");
    }
    throw Error(ErrorCode::out_of_range, fmt::format("no embedding was found in {} bytes", *options_.max_bytes),
                "Allow more bytes: the smallest embeddings have 5 to 10");
  }
  CertifyOptions how;
  how.episodes = options_.certify_episodes;
  how.seed = playing(certifying, options_.certify_episodes).seed;
  how.confidence = options_.confidence;
  how.act = options_.act;
  how.method = options_.method;
  how.levels = {};  // the promise alone: other bounds would be made anew for every attempt
  how.all_episodes = options_.all_episodes;
  how.max_loss = options_.max_loss;
  how.max_loss_return = options_.max_loss_return;
  how.keeps = options_.keeps;
  const std::vector<std::size_t> order = in_turn(policies);
  const auto begin = std::chrono::steady_clock::now();
  PlayedOutcomes of_teacher(player_, teacher_, certifying_episodes(player_, how), progress);
  if (options_.certify_seconds > 0) {  // the machine may be busier now than when the search began
    const std::size_t first = std::min(least_certifying, how.episodes);
    of_teacher.first(first);
    how.episodes = fitting_episodes(seconds_since(begin) / static_cast<double>(first));
  }
  const auto over = [&] { return options_.certify_seconds > 0 && seconds_since(begin) > options_.certify_seconds; };
  std::optional<Verdict> best;
  for (std::size_t j = 0; j < std::min(options_.attempts, order.size()); ++j) {
    if (best && (best->certificate.within_budget || over())) break;
    how.attempt = j + 1;
    const Policy& student = *policies[order[j]].policy;
    how.cut = generous(policies[order[j]].returns);
    Certificate one = certify_paired(player_, teacher_, student, of_teacher, how, progress);
    const auto rank = [&](const Certificate& certificate, std::size_t i) {
      const double lost = (certificate.upper_return - budget_) / std::max(std::abs(budget_), 1e-9);
      return std::pair(std::max(above_limits(certificate), lost), policies[i].bytes);
    };
    if (!best || one.within_budget || rank(one, order[j]) < rank(best->certificate, best->chosen)) {
      best = {order[j], std::move(one)};
    }
  }
  return std::move(*best);
}

}  // namespace mercer
