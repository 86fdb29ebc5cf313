#include <cmath>

#include "paper/rules/rules.hpp"
#include "paper/trials.hpp"

namespace mercer::paper {

Rules kernels_rules(const Tables& tables) {
  const Rows all(tables.at("bounds"));
  Curves height, slope, distance;
  Seeds change;  // of the slope, from the smallest kernel to the largest
  for (const double seed : all.distinct("seed")) {
    const Rows own = all.where("seed", seed);
    Seeds norms, heights, slopes, distances;
    for (const double sharp : own.distinct("sharpness")) {
      const Rows one = own.where("sharpness", sharp);
      norms.push_back(one.mean("norm"));
      Seeds logs = one.numbers("printed");
      for (double& value : logs) value = std::log(value);
      heights.push_back(mean_of(logs));
      // Slopes that differ by rounding alone are equal.
      slopes.push_back(std::round(1e9 * log_line(one.numbers("k"), one.numbers("printed")).slope) / 1e9);
      distances.push_back(one.mean("l1"));
    }
    change.push_back(slopes.back() - slopes.front());
    height.x.push_back(norms), height.y.push_back(heights);
    slope.x.push_back(norms), slope.y.push_back(slopes);
    distance.x.push_back(norms), distance.y.push_back(distances);
  }
  return {
      {rises("larger kernels, larger bounds", "printed bound, geometric mean over K, over the kernel's 2-norm", height),
       rises("larger kernels, flatter slopes", "slope of log bound over log K, over the kernel's 2-norm", slope),
       rises("larger kernels, larger distances", "true 1-norm distance, mean over K, over the kernel's 2-norm",
             distance)},
      {within("the slope stays", "slope under the largest kernel - under the smallest, +- 0.05", change, 0, 0.05)}};
}

}  // namespace mercer::paper
