#include <algorithm>
#include <cmath>

#include "compress/search.hpp"

namespace mercer {

// Nothing here changes what a search finds: it is what the bar shows.

void Search::expect(double searching) {
  double left = searching;
  // A search with a limit usually needs it, where nothing better is known.
  if (options_.seconds > 0) {
    const double most = std::max(0.0, options_.seconds - options_.judge.certify_seconds - seconds());
    left = options_.shared_ridges ? most : std::min(left, most);
  }
  forecast_.expect(left + certifying());
}

// As many episodes of both policies as should decide the budget, and a thousand or so for distances and draws.
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

// By how much the nearest candidate falls short shrinks from size to size, about by the same factor.
double Search::rounds_to_pass(std::size_t k) {
  double least = HUGE_VAL;
  for (const MeasuredPolicy& one : measured_) least = std::min(least, std::max(0.0, selection_.short_of(one)));
  const double now = std::log1p(least);
  if (k == 1) first_short_ = now;
  constexpr double usual = 4;
  const double slope = k > 1 ? (first_short_ - now) / static_cast<double>(k - 1) : 0;
  return std::clamp(slope > 0.05 ? std::ceil(now / slope) : usual, 1.0,
                    static_cast<double>(options_.most_terms - k + 1));
}

void Search::expect_rounds(std::size_t k, const std::vector<Followed>& followed) {
  constexpr double bytes_a_term = 1.5;
  const double to_pass = smallest_ == none ? rounds_to_pass(k) : 0;
  double longest = 0, all = 0;
  for (const Followed& one : followed) longest = std::max(longest, one.took);
  for (const Followed& one : followed) {
    if (!one.alive) continue;
    double rounds = one.k < k ? 1 : 0;  // this one is still to come
    rounds += smallest_ == none ? to_pass : std::floor(static_cast<double>(smallest_ - one.least) / bytes_a_term) + 1;
    const double took = one.took > 0 ? one.took : longest;
    all += rounds * took * (1 + rounds / (2 * static_cast<double>(k)));  // more terms take longer
  }
  expect(all);
}

}  // namespace mercer
