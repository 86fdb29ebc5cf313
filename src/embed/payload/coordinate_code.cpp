#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/number_codes.hpp"
#include "embed/payload/code_parts.hpp"
#include "embed/payload/integer_code.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr int least_exponent = -32;  // stored as 0

// Axes with a range of -2^e to 2^e.
std::vector<std::size_t> unbounded_axes(const Contract& contract) {
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < contract.observation.dimensions(); ++d) {
    if (!is_bounded(contract.observation.axes[d])) axes.push_back(d);
  }
  return axes;
}

void write_powers(BitWriter& out, const ContinuousCode& code, const Contract& contract) {
  std::vector<std::uint8_t> exponents;
  for (std::size_t d = 0; d < code.coordinates.size(); ++d) {
    const Range range = code.coordinates[d].range;
    const bool action = d >= contract.observation.dimensions();
    const Axis axis = action ? Axis{"the action", {-1, 1}, ""} : contract.observation.axes[d];
    if (is_bounded(axis)) {
      if (range.low == axis.range.low && range.high == axis.range.high) continue;
    } else {
      int exponent = 0;
      const bool power = std::frexp(range.high, &exponent) == 0.5 && range.low == -range.high;
      exponent -= 1 + least_exponent;
      if (power && exponent >= 0 && exponent < 64) {
        exponents.push_back(static_cast<std::uint8_t>(exponent));
        continue;
      }
    }
    throw Error(ErrorCode::out_of_range,
                fmt::format("'{}' has the range {} to {}, which a payload of powers of two does not hold", axis.name,
                            range.low, range.high),
                "Take the contract's range, or -2^e to 2^e (-32 <= e <= 31) if it is not finite");
  }
  put_levels(out, exponents, 6, 2);
}

void read_powers(BitReader& in, ContinuousCode& code, const Contract& contract) {
  const std::vector<std::size_t> axes = unbounded_axes(contract);
  const std::vector<std::uint8_t> exponents = get_levels(in, axes.size(), 6, 2);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double end = std::ldexp(1.0, exponents[i] + least_exponent);
    code.coordinates[axes[i]].range = {-end, end};
  }
}

}  // namespace

void write_coordinates(BitWriter& out, const ContinuousCode& code, const Contract& contract, bool compact) {
  std::size_t knots = 0;
  for (const Coordinate& axis : code.coordinates) knots = std::max(knots, axis.knots.size());
  const bool power = code.ranges == StoredRanges::power, half = code.ranges == StoredRanges::half;
  if (compact) out.put(power ? 1 : 0, 1);
  if (!power) out.put(half ? 1 : 0, 1);
  out.put(knots > 0 ? 1 : 0, 1);
  if (knots > 0) out.put(static_cast<std::uint32_t>(knots), 4);
  if (power) write_powers(out, code, contract);
  for (const Coordinate& axis : code.coordinates) {
    if (half) {
      out.put(to_half(axis.range.low), 16);
      out.put(to_half(axis.range.high), 16);
    }
    if (axis.periodic) continue;
    if (axis.knots.size() != knots || knots > 15) {
      throw Error(ErrorCode::shape_mismatch, fmt::format("{} knots beside {}", axis.knots.size(), knots),
                  "Give every axis the same number, up to 15");
    }
    for (const std::uint8_t knot : axis.knots) out.put(knot, 8);
  }
}

void read_coordinates(BitReader& in, ContinuousCode& code, const Contract& contract, bool compact) {
  const bool power = compact && in.get(1) == 1, half = !power && in.get(1) == 1;
  code.ranges = power ? StoredRanges::power : half ? StoredRanges::half : StoredRanges::contract;
  const std::size_t knots = in.get(1) == 1 ? in.get(4) : 0;
  if (power) read_powers(in, code, contract);
  for (Coordinate& axis : code.coordinates) {
    if (half) {
      axis.range.low = from_half(static_cast<std::uint16_t>(in.get(16)));
      axis.range.high = from_half(static_cast<std::uint16_t>(in.get(16)));
    }
    if (!std::isfinite(axis.range.width()) || !(axis.range.width() > 0)) {
      throw_corrupt(in.where(), "has a coordinate without a range");
    }
    for (std::size_t j = 0; !axis.periodic && j < knots; ++j) {
      axis.knots.push_back(static_cast<std::uint8_t>(in.get(8)));
      if (axis.knots[j] <= (j == 0 ? 0 : axis.knots[j - 1])) throw_corrupt(in.where(), "has knots that do not rise");
    }
  }
}

}  // namespace mercer
