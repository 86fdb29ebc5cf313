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

}  // namespace

Selection::Selection(const Env& env, const Policy& teacher, const SelectionOptions& options, const Progress& progress)
    : env_(env), teacher_(teacher), options_(options) {
  if (!options.max_loss && !options.max_loss_return) {
    throw Error(ErrorCode::missing_option, "no budget was given", "Give a largest loss");
  }
  require_confidence(options.confidence);
  require_in_range("select episodes", static_cast<double>(options.select_episodes), 2, 1e9, "Take 4000");
  require_in_range("certify episodes", static_cast<double>(options.certify_episodes), 2, 1e9, "Take 100000");
  require_in_range("attempts", static_cast<double>(options.attempts), 1, 1e6, "Take 5");
  teacher_returns_ = rollout(env, teacher, playing(selecting, options.select_episodes), progress).returns;
  teacher_mean_ = mean_of(teacher_returns_);
  budget_ = options.max_loss_return.value_or(HUGE_VAL);
  if (options.max_loss) budget_ = std::min(budget_, *options.max_loss * std::abs(teacher_mean_));
}

RolloutOptions Selection::playing(std::uint64_t purpose, std::size_t episodes) const {
  RolloutOptions out;
  out.episodes = episodes;
  out.seed = Random({options_.seed, Stage::search, purpose, 0xFFFFFFFF}).bits();
  out.act = options_.act;
  out.keep_steps = false;
  return out;
}

Contender Selection::measure(const Policy& policy, std::size_t bytes, const Progress& progress) const {
  std::vector<double> lost = rollout(env_, policy, playing(selecting, options_.select_episodes), progress).returns;
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = teacher_returns_[i] - lost[i];
  Contender out{&policy, bytes, mean_of(lost)};
  for (const double value : lost) out.spread += (value - out.loss) * (value - out.loss);
  out.spread = std::sqrt(out.spread / static_cast<double>(lost.size() - 1));
  return out;
}

double Selection::expected_upper(const Contender& one) const {
  const auto certified = static_cast<double>(options_.certify_episodes);
  const auto selected = static_cast<double>(options_.select_episodes);
  const double odds = std::log(2 / (1 - options_.confidence));
  const double width = env_.return_range(env_.task().time_limit).width();
  return one.loss + one.spread / std::sqrt(selected) + one.spread * std::sqrt(2 * odds / certified) +
         width * odds / certified;
}

std::vector<std::size_t> Selection::in_turn(std::span<const Contender> contenders) const {
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const Contender &first = contenders[a], &second = contenders[b];
    const bool one = promising(first), other = promising(second);
    if (one != other) return one;
    return one ? std::pair(first.bytes, first.loss) < std::pair(second.bytes, second.loss)
               : std::pair(expected_upper(first), first.bytes) < std::pair(expected_upper(second), second.bytes);
  });
  return order;
}

Selection::Verdict Selection::certify(std::span<const Contender> contenders, const Progress& progress) const {
  if (contenders.empty()) {
    if (!options_.max_bytes) {
      throw Error(ErrorCode::missing_option, "no candidate is there to certify",
                  "Allow other routes, bases or more time");
    }
    throw Error(ErrorCode::out_of_range, fmt::format("no embedding was found in {} bytes", *options_.max_bytes),
                "Allow more bytes: the smallest embeddings have 5 to 10");
  }
  const RolloutOptions judging = playing(certifying, options_.certify_episodes);
  PairedReturns paired;
  paired.range = env_.return_range(env_.task().time_limit);
  paired.seed = judging.seed;
  paired.teacher = rollout(env_, teacher_, judging, progress).returns;
  CertifyOptions how;
  how.episodes = judging.episodes;
  how.seed = judging.seed;
  how.confidence = options_.confidence;
  how.act = options_.act;
  how.levels = {Level::statistical};
  how.model = false;  // would be made anew for every attempt
  how.max_loss = options_.max_loss;
  how.max_loss_return = options_.max_loss_return;
  const std::vector<std::size_t> order = in_turn(contenders);
  std::optional<Verdict> best;
  for (std::size_t j = 0; j < std::min(options_.attempts, order.size()) && !(best && best->certificate.within_budget);
       ++j) {
    how.attempt = j + 1;
    const Policy& student = *contenders[order[j]].policy;
    paired.student = rollout(env_, student, judging, progress).returns;
    Certificate one = certify_paired(env_, teacher_, student, paired, how, progress);
    const auto rank = [&](const Certificate& certificate, std::size_t i) {
      return std::pair(certificate.upper_return, contenders[i].bytes);
    };
    if (!best || one.within_budget || rank(one, order[j]) < rank(best->certificate, best->chosen)) {
      best = {order[j], std::move(one)};
    }
  }
  return std::move(*best);
}

}  // namespace mercer
