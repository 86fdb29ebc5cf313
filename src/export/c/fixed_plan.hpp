#pragma once

#include "export/common/head.hpp"

namespace mercer {

/// v * factor as (v * m) >> s, with m of 27 bits: what integers scale by.
struct Ratio32 {
  std::int32_t m = 0;
  int s = 0;
};
/// Throws `out_of_range` for what no shift of 0 to 62 reaches.
Ratio32 ratio32(double factor);

/// Bits after the point of what is given or taken: as many as leave the width about 2^20 steps, and the largest number
/// below 2^28.
int fixed_point_q(const Range& range);

/// A continuous embedding in integers. Coordinates, functions, terms and outputs have `q` bits after the point.
///
/// `q` is the largest up to 20 for which nothing overflows: functions of one coordinate are bounded on a fine grid,
/// products and sums by the product and sum of bounds, so that it holds for every input.
struct FixedPlan {
  struct Axis {
    int q = 0;  ///< of the observation: value * 2^q
    std::int32_t low = 0, high = 0;
    Ratio32 to_unit;  ///< of 2 v - low - high to a coordinate
  };
  struct Action {
    int q = 0;
    std::int32_t centre = 0, scale = 0, low = 0, high = 0, safe = 0;
  };
  int q = 20;
  std::vector<Axis> axes;
  std::vector<Action> actions;      ///< of a box; one with q 0 for discrete actions
  std::vector<std::int32_t> steps;  ///< a then b of the recurrence, Qq
  int wave_q = 0;
  std::vector<std::int32_t> waves;  ///< Qwave_q, the last of each in Qq
  Ratio32 ridge_unit;
  std::vector<Ratio32> inverse_squares;
  bool small = false;                      ///< coefficients fit a byte
  std::vector<std::int16_t> coefficients;  ///< of the outputs for each term
  int sum_shift = 0;                       ///< of the 64-bit sums, before
  std::vector<Ratio32> output_scale;       ///< of each output
};

/// Throws `out_of_range` where no format holds the numbers or an action has no range.
FixedPlan plan_fixed(const ContinuousController& controller);

/// Bit for bit what the exported C computes from an observation in fixed point.
void fixed_outputs(const ContinuousController& controller, const FixedPlan& plan, std::span<const std::int32_t> obs,
                   std::span<std::int32_t> out);
void fixed_act(const ContinuousController& controller, const FixedPlan& plan, std::span<const std::int32_t> obs,
               std::span<std::int32_t> action);

/// sin(2 pi turns), both with `q` bits after the point.
std::int32_t fixed_sine(std::int64_t turns, int q);

/// The polynomials in Q30.
std::int64_t q30(double value);

}  // namespace mercer
