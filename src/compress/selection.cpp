#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "mercer/compress.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

// Purposes of episodes: they never share a seed.
constexpr std::uint64_t selecting = 2, certifying = 3;

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> played(const Player& player, const Policy& policy, const Episodes& episodes,
                           const Progress& progress) {
  return returns_of(PlayedOutcomes(player, policy, episodes, progress).first(episodes.count));
}

Range both(Range one, Range other) { return {std::min(one.low, other.low), std::max(one.high, other.high)}; }

Range range_of(std::span<const double> numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  return {low, high};
}

Range generous(Range seen) { return generous_range(std::span(&seen.low, 1), std::span(&seen.high, 1)); }

// A share of a return that may be 0 cannot be promised: better found out before the search than by its certificate.
void require_share(std::span<const double> returns, double delta) {
  const Range mean = student_t_interval(returns, delta);
  if (mean.low > 0 || mean.high < 0) return;
  throw Error(
      ErrorCode::missing_option,
      fmt::format("a loss in percent needs a teacher whose mean return is not 0; it is {:.4g} over {} episodes, "
                  "with {:.4g}% confidence in [{:.4g}, {:.4g}]",
                  mean_of(returns), returns.size(), 100 * (1 - delta), mean.low, mean.high),
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
  teacher_returns_ = played(player, teacher, playing(selecting, options.select_episodes), progress);
  teacher_mean_ = mean_of(teacher_returns_);
  if (options.max_loss && !options.max_loss_return) require_share(teacher_returns_, 1 - options.confidence);
  budget_ = options.max_loss_return.value_or(HUGE_VAL);
  if (options.max_loss) budget_ = std::min(budget_, *options.max_loss * std::abs(teacher_mean_));
}

Episodes Selection::playing(std::uint64_t purpose, std::size_t episodes) const {
  return {episodes, Random({options_.seed, Stage::search, purpose, 0xFFFFFFFF}).bits(), options_.act};
}

MeasuredPolicy Selection::measure(const Policy& policy, std::size_t bytes, const Progress& progress) const {
  const std::vector<double> earned = played(player_, policy, playing(selecting, options_.select_episodes), progress);
  const Range returns = both(range_of(teacher_returns_), range_of(earned));
  std::vector<double> lost(earned.size());
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = teacher_returns_[i] - earned[i];
  MeasuredPolicy out{&policy, bytes, mean_of(lost), 0, returns};
  for (const double value : lost) out.spread += (value - out.loss) * (value - out.loss);
  out.spread = std::sqrt(out.spread / static_cast<double>(lost.size() - 1));
  return out;
}

double Selection::expected_upper(const MeasuredPolicy& one) const {
  const auto certified = static_cast<double>(options_.certify_episodes);
  const auto selected = static_cast<double>(options_.select_episodes);
  const double odds = std::log(2 / (1 - options_.confidence));
  const std::optional<Range> range = player_.return_range(player_.task().time_limit);
  const double width = options_.method == LossMethod::student_t ? 0 : (range ? *range : generous(one.returns)).width();
  return one.loss + one.spread / std::sqrt(selected) + one.spread * std::sqrt(2 * odds / certified) +
         width * odds / certified;
}

std::vector<std::size_t> Selection::in_turn(std::span<const MeasuredPolicy> policies) const {
  std::vector<std::size_t> order(policies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const MeasuredPolicy &first = policies[a], &second = policies[b];
    const bool one = promising(first), other = promising(second);
    if (one != other) return one;
    return one ? std::pair(first.bytes, first.loss) < std::pair(second.bytes, second.loss)
               : std::pair(expected_upper(first), first.bytes) < std::pair(expected_upper(second), second.bytes);
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
  PlayedOutcomes of_teacher(player_, teacher_, certifying_episodes(player_, how), progress);
  const std::vector<std::size_t> order = in_turn(policies);
  std::optional<Verdict> best;
  for (std::size_t j = 0; j < std::min(options_.attempts, order.size()) && !(best && best->certificate.within_budget);
       ++j) {
    how.attempt = j + 1;
    const Policy& student = *policies[order[j]].policy;
    how.cut = generous(policies[order[j]].returns);
    Certificate one = certify_paired(player_, teacher_, student, of_teacher, how, progress);
    const auto rank = [&](const Certificate& certificate, std::size_t i) {
      return std::pair(certificate.upper_return, policies[i].bytes);
    };
    if (!best || one.within_budget || rank(one, order[j]) < rank(best->certificate, best->chosen)) {
      best = {order[j], std::move(one)};
    }
  }
  return std::move(*best);
}

}  // namespace mercer
