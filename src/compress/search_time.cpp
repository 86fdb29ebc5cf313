#include "compress/search_time.hpp"

#include <algorithm>
#include <cmath>

#include "compress/search.hpp"

namespace mercer {
namespace {

// As far as one can see ahead: half as many rounds as were done, at least two.
double most_rounds(std::size_t k) { return std::max(2.0, static_cast<double>(k) / 2); }

// Rounds before a dictionary's embeddings are larger than the smallest that should pass. That one shrinks, too.
double rounds_until_larger(const Followed& one, std::size_t smallest, double most) {
  if (one.least > smallest) return 1;  // another passed meanwhile: one round shows it
  const double grown = one.k > 1 ? static_cast<double>(one.least) - static_cast<double>(one.first_least) : 0;
  constexpr double usual_bytes = 3;
  const double a_term = grown > 0 ? grown / static_cast<double>(one.k - 1) : usual_bytes;
  return std::min(std::floor(static_cast<double>(smallest - one.least) / a_term) + 1, most);
}

// More terms take longer, at first much.
double seconds_of(double rounds, double took, std::size_t k) {
  double all = 0;
  const auto terms = static_cast<double>(std::max<std::size_t>(k, 1));
  for (double i = 1; i < rounds + 1; ++i) all += std::min(1.0, rounds + 1 - i) * took * std::sqrt(1 + i / terms);
  return all;
}

}  // namespace

double rounds_to_pass(std::size_t k, double first, double now, std::size_t most_terms) {
  const double most = std::min(most_rounds(k), static_cast<double>(most_terms - k + 1));
  const double slope = k > 1 ? (first - now) / static_cast<double>(k - 1) : 0;
  return std::clamp(slope > 0.05 ? std::ceil(now / slope) : most, 1.0, std::max(most, 1.0));
}

double seconds_of_rounds(std::size_t k, std::span<const Followed> followed, std::size_t smallest, double to_pass) {
  double longest = 0, all = 0;
  for (const Followed& one : followed) longest = std::max(longest, one.took);
  const double most = most_rounds(k);
  constexpr double ending = 0.5;  // of a round: when one passes, most dictionaries are larger already
  for (const Followed& one : followed) {
    if (!one.alive) continue;
    double rounds = one.k < k ? 1 : 0;  // this one is still to come
    rounds += smallest == nothing_passed ? to_pass + ending
              : one.k == 0               ? most
                                         : rounds_until_larger(one, smallest, most);
    all += seconds_of(rounds, one.took > 0 ? one.took : longest, one.k);
  }
  return all;
}

void Search::expect(double searching) {
  const double most =
      options_.seconds > 0 ? std::max(0.0, options_.seconds - options_.judge.certify_seconds - seconds()) : HUGE_VAL;
  forecast_.expect(std::min(searching, most) + certifying());
}

// As many episodes of both policies as should decide the limit, and a thousand or so for distances and draws.
double Search::certifying() const {
  const SelectionOptions& judge = options_.judge;
  double episodes = static_cast<double>(judge.certify_episodes) / 4;
  const auto best = std::ranges::min_element(measured_, {}, [&](const auto& one) { return selection_.short_of(one); });
  if (best != measured_.end() && selection_.promising(*best)) {
    constexpr double bounds = 6;  // that share the confidence
    const double odds = std::log(2 * bounds / (1 - judge.confidence));
    const auto range = player_.return_range(player_.task().time_limit);
    const double width = range ? range->width() : best->returns.width();
    const auto upper = [&](double n) { return best->loss + best->spread * std::sqrt(2 * odds / n) + width * odds / n; };
    for (episodes = 500;
         episodes < static_cast<double>(judge.certify_episodes) && upper(episodes) > selection_.budget();)
      episodes *= 2;
    episodes = std::min(episodes, static_cast<double>(judge.certify_episodes));
  }
  constexpr double more = 3000;
  const double all = episodes * (teacher_seconds_ + student_seconds_) + std::min(more, episodes) * teacher_seconds_;
  return judge.certify_seconds > 0 ? std::min(all, judge.certify_seconds) : all;
}

double Search::short_of_passing() const {
  double least = HUGE_VAL;
  for (const MeasuredPolicy& one : measured_) least = std::min(least, std::max(0.0, selection_.short_of(one)));
  return std::log1p(least);
}

void Search::expect_rounds(std::size_t k, const std::vector<Followed>& followed) {
  const double now = short_of_passing();
  if (k == 1) first_short_ = now;
  expect(seconds_of_rounds(k, followed, smallest_, rounds_to_pass(k, first_short_, now, options_.most_terms)));
}

}  // namespace mercer
