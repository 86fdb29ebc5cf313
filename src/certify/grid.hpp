#pragma once

#include <memory>
#include <span>

#include "mercer/certify.hpp"
#include "mercer/perturb.hpp"

namespace mercer {

/// A player whose episodes draw parameters of the task from a box, and that can play each point of the box.
class BoxPlayer : public Player {
 public:
  /// Empty where nothing is perturbed.
  virtual std::span<const Perturbation> box() const = 0;
  /// The task at a point of the box, the same for every policy.
  virtual std::shared_ptr<const Player> at(std::span<const double> values) const = 0;
};

/// What `student` loses against `teacher` at the points of a grid with `each` values of each parameter: both play the
/// same `options.episodes` at each of the G points, and all 2 G bounds, in return and in percent, hold together with
/// the confidence: each spends (1 - confidence) / 2G. The episodes are those of a seed that no other part of a search
/// or certificate plays. Where a point has no range of returns they are cut to `cut`. Throws what playing, `grid_of`
/// and `certify_loss` throw.
PerturbedGrid certify_grid(const BoxPlayer& player, const Policy& teacher, const Policy& student, std::size_t each,
                           const CertifyOptions& options, const std::optional<Range>& cut, const Progress& progress);

}  // namespace mercer
