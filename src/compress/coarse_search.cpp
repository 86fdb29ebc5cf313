#include <algorithm>

#include "compress/search.hpp"

namespace mercer {

void Search::follow_coarsely(Paths& paths) {
  std::vector<Glimpse> seen;
  try_sizes(paths, seen);
  const bool on_return = options_.polish == PolishBy::returned || (options_.then_on_return && smallest_ == none);
  if (on_return) improve_nearest(paths, std::move(seen));
}

// Sizes that grow by a third, in the first format, until one should pass; then those between it and the one before.
void Search::try_sizes(Paths& paths, std::vector<Glimpse>& seen) {
  const NumberFormat format = options_.formats.front();
  for (std::size_t k = 1, before = 0; before < options_.most_terms; before = k, k = std::max(k + 1, k * 4 / 3)) {
    k = std::min(k, options_.most_terms);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (late()) {
        cut_short_ = true;
        return;
      }
      if (!paths[i].fit(k, progress_)) continue;
      ContinuousEmbedding one = paths[i].rounded(format, false, clock(), progress_);
      const std::size_t bytes = one.payload().size();
      if (bytes >= smallest_ || !selection_.fits(bytes)) continue;
      record(std::move(one), format);
      seen.push_back({i, k, selection_.short_of(measured_.back())});
    }
    if (smallest_ != none) return refine(paths, before, k);
  }
}

void Search::refine(Paths& paths, std::size_t after, std::size_t k) {
  for (DictionaryPath& path : paths) {
    for (std::size_t fewer = after + 1; fewer <= k; ++fewer) {
      if (late()) {
        cut_short_ = true;
        return;
      }
      if (!path.fit(fewer, progress_)) break;
      const std::size_t smallest = smallest_;
      try_smaller_formats(path, false);
      if (smallest_ < smallest) break;  // the next ones are larger
    }
  }
}

// However late it is, the first format is tried: what was fitted or polished is not lost.
void Search::try_smaller_formats(const DictionaryPath& path, bool careful) {
  for (const NumberFormat format : options_.formats) {
    if (format != options_.formats.front() && late()) {
      cut_short_ = true;
      return;
    }
    ContinuousEmbedding one = path.rounded(format, careful, clock(), progress_);
    const std::size_t bytes = one.payload().size();
    if (bytes < smallest_ && selection_.fits(bytes)) record(std::move(one), format);
  }
}

// Begins with what came nearest to passing, and counts twenty terms for as much as one budget: the search has as many
// numbers to move as there are terms.
void Search::improve_nearest(Paths& paths, std::vector<Glimpse> seen) {
  const auto rank = [](const Glimpse& one) { return one.short_of + static_cast<double>(one.k) / 20; };
  std::ranges::stable_sort(seen, {}, rank);
  for (const Glimpse& one : seen) {
    if (enough()) {
      cut_short_ = true;
      return;
    }
    DictionaryPath& path = paths[one.path];
    path.fit(one.k, progress_);
    const std::size_t least = path.rounded(options_.formats.back(), false, clock(), progress_).payload().size();
    if (least >= smallest_) continue;
    path.improve(clock(), progress_);
    on_return_ = true;
    const std::size_t smallest = smallest_;
    try_smaller_formats(path, true);
    if (smallest_ < smallest && options_.polish != PolishBy::returned) return;
  }
}

}  // namespace mercer
