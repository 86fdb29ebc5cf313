#pragma once

#include "distil/labelled.hpp"

namespace mercer::distil {

/// A student on the grid of a rounding.
struct RoundedStudent {
  Student student;
  Rounding rounding;
};

/// Rounds one number after the other and lets those that are not yet rounded make up for it, so that the actions on
/// states of `data` change least: first each ridge by the curvature of its inputs, then the coefficients of each
/// output, fitted anew to what the student was before, by the curvature of the rounded ridges. Costs O(N numbers), N =
/// 4,096 states.
RoundedStudent round_to_data(const Student& student, const RidgeGrid& grid, const Labelled& data, std::uint64_t seed);

}  // namespace mercer::distil
