#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "lattice/quantile_sketch.hpp"

namespace mercer {

/// What is kept of the numbers of one dimension, to make its edges from: a sketch of their quantiles, and the numbers
/// themselves as long as they are few whole ones.
class AxisSketch {
 public:
  /// `sketch` as `QuantileSketch` takes it; up to `bins` different whole numbers are kept.
  AxisSketch(std::size_t bins, QuantileSketch sketch) : bins_(bins), sketch_(std::move(sketch)) {}

  void add(std::span<const double> numbers);
  void merge(const AxisSketch& other);

  const QuantileSketch& sketch() const { return sketch_; }
  std::optional<Edges> whole() const;

  /// For another process that knows `bins`.
  std::string to_bytes() const;
  static AxisSketch from_bytes(std::size_t bins, const std::string& bytes);

 private:
  void keep(double number);

  std::size_t bins_;
  QuantileSketch sketch_;
  bool only_whole_ = true;
  std::set<double> whole_;
};

}  // namespace mercer
