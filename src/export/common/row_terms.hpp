#pragma once

#include "export/common/lattice_controller.hpp"

namespace mercer {

/// The kept coefficients of a lattice's table as plain lists: what generated code loops over.
///
/// Axes are those of the table's layout, `leading` of them the state's. A term is, with x the place on each axis:
///   waves     amplitude sin(2 pi (phase + sum index x / length))
///   cosines   amplitude prod cos(2 pi index (2 x + 1) / (4 length))
///   wavelets  amplitude prod w, w the weight that place x gives to number `index` of `level` (twice the level, 1 more
///             for high-pass) on its axis
/// and of factors a row is centre + left right.
struct RowTerms {
  enum class Kind { waves, cosines, wavelets, factors };
  Kind kind = Kind::waves;
  std::vector<std::size_t> shape;
  std::size_t leading = 1, columns = 0;
  std::vector<double> amplitudes, phases;
  std::vector<std::uint32_t> index;  ///< one for each axis of each term
  std::vector<std::uint32_t> level;

  std::vector<double> low, high;                      ///< taps
  std::size_t shift = 0;                              ///< of taps against places
  std::vector<std::vector<std::uint32_t>> lengths{};  ///< of each axis: of its levels, the table's own first
  std::size_t most_present = 1;                       ///< numbers of one level that a place gives weight to

  double centre = 0;
  std::size_t rank = 0;
  std::vector<double> left, right;  ///< rows x rank, rank x columns

  std::size_t axes() const { return shape.size(); }
  std::size_t count() const { return kind == Kind::factors ? rank : amplitudes.size(); }
};

/// Throws `bad_value` for what has no coefficients (mixtures, counts), `too_large` for an axis beyond 32767.
RowTerms row_terms(const LatticeController& controller);

/// The weights that a place of an axis gives to the numbers of each level.
struct Present {
  std::vector<std::uint32_t> index;
  std::vector<double> low, high;
};
std::vector<Present> present_at(const RowTerms& terms, std::size_t axis, std::uint32_t place);

}  // namespace mercer
