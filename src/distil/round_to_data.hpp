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

/// The same in parts. Ridges from `held` up to `end` get onto the grid; those before `held` are there already, and
/// those behind stay free. The coefficients are fitted anew to what the student was before, and stay free as well.
RoundedStudent round_ridges(const RoundedStudent& one, Index held, Index end, const Labelled& data, std::uint64_t seed);
/// What is left of a student all of whose ridges are on the grid.
RoundedStudent round_coefficients(const RoundedStudent& one, const Labelled& data, std::uint64_t seed);

}  // namespace mercer::distil
