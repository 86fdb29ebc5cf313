#include "compress/pareto_front.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

bool add_candidate(std::deque<Candidate>& tried, Candidate one) {
  const bool on_front = std::ranges::none_of(tried, [&](const Candidate& other) {
    if (other.admissible != one.admissible) return other.admissible;
    return other.payload_bytes() <= one.payload_bytes() && other.loss <= one.loss;
  });
  tried.push_back(std::move(one));
  return on_front;
}

std::vector<std::size_t> front_of(const std::deque<Candidate>& tried) {
  std::vector<std::size_t> by_size(tried.size()), out;
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::ranges::stable_sort(by_size, [&](std::size_t a, std::size_t b) {
    return std::pair(tried[a].payload_bytes(), tried[a].loss) < std::pair(tried[b].payload_bytes(), tried[b].loss);
  });
  const bool some = std::ranges::any_of(tried, &Candidate::admissible);
  double least = HUGE_VAL;
  for (const std::size_t i : by_size) {
    if (tried[i].loss >= least || (some && !tried[i].admissible)) continue;
    least = tried[i].loss;
    out.push_back(i);
  }
  return out;
}

}  // namespace mercer
