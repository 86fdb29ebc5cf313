#include "embed/lattice/joint_sampler.hpp"

#include <cmath>

#include <fmt/format.h>

#include "embed/lattice/draw.hpp"
#include "mercer/error.hpp"

namespace mercer {

JointSampler::JointSampler(const LatticePolicy& policy, std::span<const double> visits)
    : policy_(&policy), inside_(policy.playing().noise || policy.action_space().is_discrete()) {
  const Cells& cells = policy.cells();
  if (visits.empty()) {
    for (const std::uint64_t count : cells.counts()) below_.push_back(static_cast<double>(count));
  } else {
    below_.assign(visits.begin(), visits.end());
  }
  if (below_.size() != cells.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} visits for {} cells", below_.size(), cells.size()),
                "Give one number for each cell");
  }
  for (const double weight : below_) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    throw Error(ErrorCode::bad_distribution, fmt::format("a cell was visited {} times", weight),
                "Give numbers that are not negative");
  }
  accumulate_row(below_);
  if (!(below_.back() > 0) || !std::isfinite(below_.back())) {
    throw Error(ErrorCode::bad_distribution, fmt::format("visits sum to {}", below_.back()),
                "At least one cell must have been visited");
  }
}

JointSampler::Pair JointSampler::draw(Random& random) const {
  const std::size_t cell = first_above(below_, random.uniform() * below_.back());
  return {cell, policy_->draw_cell(cell, random)};
}

void JointSampler::sample(const Draws& draws, MatrixView<double> state, MatrixView<double> action) const {
  const Grid& grid = policy_->cells().grid();
  for (std::size_t i = 0; i < action.cols(); ++i) {
    Random random = draws.random(i);
    const Pair pair = draw(random);
    for (std::size_t d = 0; d < grid.dimensions(); ++d) {
      const Edges& axis = grid.axes[d];
      const std::size_t bin = policy_->cells().bin(pair.cell, d);
      state(d, i) = axis.centre(bin) + (inside_ ? axis.width(bin) * (random.uniform() - 0.5) : 0);
    }
    policy_->place_action(pair.cell, pair.action_cell, random, &action(0, i), action.stride());
  }
}

}  // namespace mercer
