#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// Collects rows of one level and knows which are vacuous.
class BoundList {
 public:
  BoundList(const TabularComparison& comparison, const BoundInputs& inputs, Level level);

  void add(std::string id, Quantity quantity, double value, std::string needs, std::optional<double> measured = {});
  void skip(std::string id, Quantity quantity, std::string why);
  /// The forms "id/..." that were added, as one row with the least of them.
  void least(const std::string& id);

  std::vector<Bound> rows;

 private:
  const TabularComparison& comparison_;
  const BoundInputs& inputs_;
  Level level_;
};

/// Sum of a b c over the states.
double sum_of(std::span<const double> a, std::span<const double> b);
double sum_of(std::span<const double> a, std::span<const double> b, std::span<const double> c);

void add_return_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list);
void add_kernel_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list);
void add_horizon_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list);
void add_coverage_bounds(const TabularComparison& c, BoundList& list);
void add_step_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list);

/// Squared H-norms of the rows of delta: all, of the kept part, and the geometric tail.
struct KernelNorms {
  std::vector<double> all, kept;
  GeometricTail tail;
};
KernelNorms kernel_norms(const TabularComparison& c, const BoundInputs& inputs);

}  // namespace mercer
