#pragma once

#include <cstddef>

#include "learn/learner.hpp"
#include "mercer/policy.hpp"

namespace mercer::distil {

/// The units of what critics see and compute. Critics that are learned from nothing see observations of mean 0 and
/// spread 1, and so are the outputs that they have to learn: otherwise thousands of updates would pass before they come
/// to the mean.
struct CriticUnits {
  Normalisation observations;  ///< empty: as they are
  float shift = 0, scale = 1;  ///< a value is shift + scale x output; the scale is above 0

  template <class Outputs>
  auto values(const Outputs& outputs) const {
    return shift + scale * outputs.array();
  }
  float observation(std::size_t dimension, double raw) const {
    return static_cast<float>(observations.empty() ? raw : observations.apply(dimension, raw));
  }
  void exchange(learn::Archive& archive);
};

/// The units that suit steps in the order in which they were played: observations, `actions` numbers, the next
/// observations, reward, and 0 after the last step of an episode that ended. Values are discounted sums of rewards to
/// the end of the episode; beyond a time limit their mean is expected.
CriticUnits units_of(const learn::Replay& steps, std::size_t observations, std::size_t actions, double gamma);

}  // namespace mercer::distil
