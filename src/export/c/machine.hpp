#pragma once

#include "export/common/head.hpp"
#include "export/common/row_terms.hpp"

namespace mercer {

/// What the exported float code computes, in the same order and precision: for measuring how far it is from the
/// embedding. `out` receives the outputs of the terms; `action` what `NAME_act` gives.
void float_outputs(const ContinuousController& controller, CMath math, std::span<const float> obs,
                   std::span<float> out);
void float_act(const ContinuousController& controller, CMath math, std::span<const float> obs, std::span<float> action);

/// The same in double precision, as exported JavaScript computes: logits where actions are discrete, otherwise actions.
void double_answers(const ContinuousController& controller, std::span<const double> obs, std::span<double> answers);

/// Its sin(2 pi t) and exp(x).
float float_sine(float t);
float float_exponential(CMath math, float x);

/// Kept coefficients in integers: amplitudes in units that keep the sum of all below 2^29.
struct FixedRows {
  static constexpr int q = 24;  ///< of sines and taps
  std::vector<std::int32_t> amplitudes, phases, low, high;
  std::vector<std::int32_t> left, right;
  std::int64_t centre = 0;
  int row_shift = 0;     ///< of the 64-bit sums
  std::int64_t one = 1;  ///< what stands for a probability of 1 in a row
};
/// Throws `too_large` for more than 4096 action cells.
FixedRows fixed_rows(const RowTerms& terms);

/// What the exported C computes for the row at these places of the leading axes, before it is made a distribution.
std::vector<float> float_row(const RowTerms& terms, std::span<const std::uint32_t> at);
std::vector<std::int32_t> fixed_row(const RowTerms& terms, const FixedRows& fixed, std::span<const std::uint32_t> at);

/// C with the tables of the kept coefficients and `static void fill_row(const uint32_t at[S], T row[L])`.
void write_row_functions(const RowTerms& terms, const FixedRows& whole, const COptions& options, std::string& text,
                         CBody& body);

}  // namespace mercer
