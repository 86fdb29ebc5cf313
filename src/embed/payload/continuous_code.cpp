#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "basis/functions/index_limits.hpp"
#include "embed/payload/code_parts.hpp"
#include "embed/payload/compact_code.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::uint32_t first_layout = 2, second_layout = 3;  // a lattice begins with a 1
constexpr std::size_t most_outputs = limits::continuous_outputs;
constexpr std::array<unsigned, 8> format_widths{32, 16, 16, 8, 7, 6, 5, 4};

bool is_compact(const ContinuousCode& code) {
  return code.ranges == StoredRanges::power ||
         std::ranges::any_of(code.terms.ridges.halvings, [](int halving) { return halving > 0; });
}

}  // namespace

unsigned format_bits(NumberFormat format) { return format_widths[static_cast<std::size_t>(format)]; }

std::size_t head_outputs(Head head, const Contract& contract) {
  const std::size_t actions = contract.action.dimensions();
  if (head == Head::logits) return contract.action.count;
  return head == Head::mean ? actions : head == Head::gaussian ? 2 * actions : 1;
}

Contract continuous_contract(Contract contract, Head head, bool squash) {
  contract.normalisation = {};
  contract.squash = squash && head != Head::logits && head != Head::density ? Squash::tanh : Squash::none;
  contract.centre.clear();
  contract.scale.clear();
  contract.clip.clear();
  if (contract.action.is_discrete()) return contract;
  for (const Axis& axis : contract.action.axes) {
    const bool bounded = std::isfinite(axis.range.low) && std::isfinite(axis.range.high) && axis.range.width() > 0;
    contract.centre.push_back(bounded ? (axis.range.low + axis.range.high) / 2 : 0);
    contract.scale.push_back(bounded ? axis.range.width() / 2 : 1);
    contract.clip.push_back(axis.range);
  }
  return contract;
}

Coordinates contract_coordinates(const Contract& contract, Head head) {
  Coordinates out = coordinates_of(contract.observation);
  for (std::size_t d = 0; head == Head::density && d < contract.action.dimensions(); ++d) {
    out.push_back({{-1, 1}, contract.action.axes[d].periodic});
  }
  return out;
}

std::vector<std::uint8_t> periodic_axes(const Coordinates& coordinates) {
  std::vector<std::uint8_t> out;
  for (const Coordinate& axis : coordinates) out.push_back(axis.periodic ? 1 : 0);
  return out;
}

std::vector<std::uint8_t> encode_continuous(const ContinuousCode& code, const Contract& contract) {
  check_terms(code.terms);
  if (code.terms.size() == 0 || code.coefficients.size() != code.terms.size() * code.outputs ||
      code.coordinates.size() != code.terms.dimensions() || code.outputs > most_outputs) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} coefficients for {} terms and {} outputs", code.coefficients.size(), code.terms.size(),
                            code.outputs),
                "Give one for each term and output");
  }
  for (const double value : code.coefficients) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::not_finite, fmt::format("a coefficient is {}", value), "Fit it again");
    }
  }
  BitWriter out;
  const bool compact = is_compact(code);
  out.put(compact ? second_layout : first_layout, 2);
  out.put(static_cast<std::uint32_t>(code.head), 2);
  out.put(code.squash ? 1 : 0, 1);
  out.put(static_cast<std::uint32_t>(code.format), 3);
  write_coordinates(out, code, contract, compact);
  compact ? write_compact_terms(out, code.terms) : write_terms(out, code.terms);
  write_coefficients(out, code, compact);
  return out.take();
}

ContinuousCode decode_continuous(std::span<const std::uint8_t> payload, const Contract& contract,
                                 const std::string& where) {
  BitReader in(payload, where);
  ContinuousCode code;
  const std::uint32_t layout = in.get(2);
  const bool compact = layout == second_layout;
  if (!compact && layout != first_layout) throw_corrupt(where, "has a payload of another version or kind");
  code.head = static_cast<Head>(in.get(2));
  code.squash = in.get(1) == 1;
  code.format = static_cast<NumberFormat>(in.get(3));
  code.bits.header = in.bits();
  if ((code.head == Head::logits) != contract.action.is_discrete()) {
    throw_corrupt(where, "does not fit the actions of its contract");
  }
  for (const Axis& axis : contract.observation.axes) code.coordinates.push_back({axis.range, axis.periodic});
  for (std::size_t d = 0; code.head == Head::density && d < contract.action.dimensions(); ++d) {
    code.coordinates.push_back({{-1, 1}, contract.action.axes[d].periodic});
  }
  code.outputs = head_outputs(code.head, contract);
  if (code.outputs == 0 || code.outputs > most_outputs || code.coordinates.empty() ||
      code.coordinates.size() > most_coordinates) {
    throw_corrupt(where, "does not fit the spaces of its contract");
  }
  read_coordinates(in, code, contract, compact);
  code.bits.coordinates = in.bits() - code.bits.header;
  code.terms = no_terms(periodic_axes(code.coordinates));
  const std::size_t before = in.bits();
  compact ? read_compact_terms(in, code.terms) : read_terms(in, code.terms);
  code.bits.terms = in.bits() - before;
  read_coefficients(in, code, compact);
  code.bits.coefficients = in.bits() - before - code.bits.terms - code.bits.scales;
  in.finish();
  return code;
}

}  // namespace mercer
