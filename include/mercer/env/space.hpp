#pragma once

#include <string>
#include <vector>

namespace mercer {

/// An interval of numbers, ends included.
struct Range {
  double low = 0;
  double high = 0;
  double width() const { return high - low; }
};

/// One coordinate of a space. Bounds may be infinite. On a periodic axis `low` and `high` are the same point.
struct Axis {
  std::string name;
  Range range;
  std::string unit;  ///< empty where the number has none
  bool periodic = false;
};

/// Where states, observations or actions live: a box of axes, or the whole numbers 0 .. count-1 on a single axis.
struct Space {
  std::vector<Axis> axes;
  std::size_t count = 0;  ///< 0 for a box

  static Space box(std::vector<Axis> axes) { return {std::move(axes), 0}; }
  static Space discrete(std::string name, std::size_t count) {
    return {{{std::move(name), {0, static_cast<double>(count) - 1}, "", false}}, count};
  }
  bool is_discrete() const { return count > 0; }
  std::size_t dimensions() const { return axes.size(); }
};

}  // namespace mercer
