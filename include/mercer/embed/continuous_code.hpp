#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/basis/coordinates.hpp"
#include "mercer/basis/terms.hpp"
#include "mercer/policy/contract.hpp"

namespace mercer {

/// What the functions of a continuous embedding are, and so how actions come from them.
enum class Head {
  mean,      ///< the mean action u of each dimension: a deterministic policy
  gaussian,  ///< u ~ Normal(mean, exp(log_std)^2) for each dimension: means, then logarithms of spreads
  logits,    ///< one number for each discrete action
  density,   ///< log density up to a constant, of the observation and below it the action scaled to [-1, 1]
};

/// How coefficients are written. Whole numbers share a scale, one byte for each output and kind of term.
enum class NumberFormat { float32, float16, int16, int8, int7, int6, int5, int4 };

std::string_view format_name(NumberFormat format);
NumberFormat parse_format(std::string_view name);  ///< throws `unknown_name`
unsigned format_bits(NumberFormat format);

/// All that a continuous embedding says: from this and the task's contract alone its actions follow.
///
/// Axes are the observation's (for a density also the action's, after them). An action on a box is centre + scale * u,
/// or with `squash` centre + scale * tanh(u), cut to the box, where centre and scale lead from [-1, 1] to the box (0
/// and 1 where it has no bounds).
struct ContinuousCode {
  Head head = Head::mean;
  bool squash = true;  ///< tanh; for logits: play the largest instead of drawing
  NumberFormat format = NumberFormat::int8;
  bool own_ranges = false;  ///< the coordinates' ranges are stored (half precision) and not those of the contract
  Coordinates coordinates;
  Terms terms;
  std::size_t outputs = 1;
  std::vector<double> coefficients;    ///< a row of terms.size() for each output
  std::vector<std::uint8_t> scales{};  ///< of whole numbers, by output and part with terms; empty: chosen to fit

  /// Bits of the payload, by what they say: filled in by `decode_continuous`.
  struct Bits {
    std::size_t header = 0, coordinates = 0, terms = 0, scales = 0, coefficients = 0;
  } bits{};
};

/// The number of functions that a head has for a contract.
std::size_t head_outputs(Head head, const Contract& contract);
/// The contract that an embedding acts by: no normalisation, actions scaled to the box.
Contract continuous_contract(Contract contract, Head head, bool squash);
/// Coordinates from the contract's own ranges (and [-1, 1] for the action below a density). Throws `out_of_range` where
/// one is infinite.
Coordinates contract_coordinates(const Contract& contract, Head head);
/// 1 for periodic axes: what `no_terms` takes.
std::vector<std::uint8_t> periodic_axes(const Coordinates& coordinates);

/// To as few bytes as possible; coefficients are rounded. Throws `out_of_range` for coefficients that the format cannot
/// hold, `not_finite`, and what `check_terms` throws.
std::vector<std::uint8_t> encode_continuous(const ContinuousCode& code);
/// Back. `where` names the bytes in errors. Throws `corrupt_file`; every size is checked before memory is taken.
ContinuousCode decode_continuous(std::span<const std::uint8_t> payload, const Contract& contract,
                                 const std::string& where);

}  // namespace mercer
