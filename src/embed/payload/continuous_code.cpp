#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "basis/functions/index_limits.hpp"
#include "core/number_codes.hpp"
#include "embed/payload/term_code.hpp"
#include "mercer/embedding.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::uint32_t continuous_route = 2;
constexpr std::size_t most_outputs = 256;
constexpr std::array<unsigned, 8> format_widths{32, 16, 16, 8, 7, 6, 5, 4};

bool is_whole(NumberFormat format) { return format >= NumberFormat::int16; }
int most_whole(NumberFormat format) { return (1 << (format_bits(format) - 1)) - 1; }

void write_coordinates(BitWriter& out, const ContinuousCode& code) {
  std::size_t knots = 0;
  for (const Coordinate& axis : code.coordinates) knots = std::max(knots, axis.knots.size());
  out.put(code.own_ranges ? 1 : 0, 1);
  out.put(knots > 0 ? 1 : 0, 1);
  if (knots > 0) out.put(static_cast<std::uint32_t>(knots), 4);
  for (const Coordinate& axis : code.coordinates) {
    if (code.own_ranges) {
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

void read_coordinates(BitReader& in, ContinuousCode& code) {
  code.own_ranges = in.get(1) == 1;
  const std::size_t knots = in.get(1) == 1 ? in.get(4) : 0;
  for (Coordinate& axis : code.coordinates) {
    if (code.own_ranges) {
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

// Calls body(first, last, group) for the coefficients of each output that share a scale.
template <class Body>
void for_each_group(const ContinuousCode& code, Body body) {
  const std::vector<std::size_t> parts = code.terms.parts();
  std::size_t group = 0;
  for (std::size_t o = 0; o < code.outputs; ++o) {
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      if (parts[p] == parts[p + 1]) continue;
      body(o * parts.back() + parts[p], o * parts.back() + parts[p + 1], group++);
    }
  }
}

std::vector<std::uint8_t> fitting_scales(const ContinuousCode& code) {
  std::vector<std::uint8_t> scales;
  for_each_group(code, [&](std::size_t first, std::size_t last, std::size_t) {
    double most = 0;
    for (std::size_t i = first; i < last; ++i) most = std::max(most, std::abs(code.coefficients[i]));
    scales.push_back(to_log_scale_above(most / (most_whole(code.format) + 0.499)));
  });
  return scales;
}

void write_coefficients(BitWriter& out, const ContinuousCode& code) {
  const std::vector<std::uint8_t> scales =
      is_whole(code.format) && code.scales.empty() ? fitting_scales(code) : code.scales;
  if (is_whole(code.format)) {
    for (const std::uint8_t scale : scales) out.put(scale, 8);
  }
  for_each_group(code, [&](std::size_t first, std::size_t last, std::size_t group) {
    if (is_whole(code.format) && group >= scales.size()) {
      throw Error(ErrorCode::shape_mismatch, "scales are missing", "Give one for each output and part, or none");
    }
    for (std::size_t i = first; i < last; ++i) {
      const double value = code.coefficients[i];
      if (code.format == NumberFormat::float32) {
        out.put(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 32);
        continue;
      }
      const double unit = is_whole(code.format) ? from_log_scale(scales[group]) : 1;
      const double whole = std::nearbyint(value / unit);
      const bool fits = is_whole(code.format) ? std::abs(whole) <= most_whole(code.format) : std::abs(value) < 65520;
      if (!fits) {
        const std::string end = is_whole(code.format) ? fmt::format("with unit {}", unit) : "which ends at 65504";
        throw Error(ErrorCode::out_of_range,
                    fmt::format("coefficient {} does not fit {}, {}", value, name(code.format), end),
                    is_whole(code.format) ? "Take float32, or a larger scale" : "Take float32, or int16 and a scale");
      }
      out.put(is_whole(code.format) ? static_cast<std::uint32_t>(static_cast<std::int32_t>(whole)) : to_half(value),
              format_bits(code.format));
    }
  });
}

void read_coefficients(BitReader& in, ContinuousCode& code) {
  const unsigned bits = format_bits(code.format);
  const std::size_t count = code.terms.size() * code.outputs, before = in.bits();
  std::size_t groups = 0;
  for_each_group(code, [&](std::size_t, std::size_t, std::size_t) { ++groups; });
  in.need(count, bits);
  for (std::size_t g = 0; is_whole(code.format) && g < groups; ++g) {
    code.scales.push_back(static_cast<std::uint8_t>(in.get(8)));
  }
  code.bits.scales = in.bits() - before;
  code.coefficients.resize(count);
  for_each_group(code, [&](std::size_t first, std::size_t last, std::size_t group) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t got = in.get(bits);
      double& value = code.coefficients[i];
      if (code.format == NumberFormat::float32) {
        value = std::bit_cast<float>(got);
      } else if (code.format == NumberFormat::float16) {
        value = from_half(static_cast<std::uint16_t>(got));
      } else {
        const int whole = static_cast<int>(got), most = most_whole(code.format) + 1;
        if (whole == most) throw_corrupt(in.where(), "holds a number that is never written");
        value = (whole > most ? whole - 2 * most : whole) * from_log_scale(code.scales[group]);
      }
      if (!std::isfinite(value)) throw_corrupt(in.where(), "holds a coefficient that is no number");
    }
  });
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

std::vector<std::uint8_t> encode_continuous(const ContinuousCode& code) {
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
  out.put(continuous_route, 2);
  out.put(static_cast<std::uint32_t>(code.head), 2);
  out.put(code.squash ? 1 : 0, 1);
  out.put(static_cast<std::uint32_t>(code.format), 3);
  write_coordinates(out, code);
  write_terms(out, code.terms);
  write_coefficients(out, code);
  return out.take();
}

ContinuousCode decode_continuous(std::span<const std::uint8_t> payload, const Contract& contract,
                                 const std::string& where) {
  BitReader in(payload, where);
  ContinuousCode code;
  if (in.get(2) != continuous_route) throw_corrupt(where, "has a payload of another version or kind");
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
  read_coordinates(in, code);
  code.bits.coordinates = in.bits() - code.bits.header;
  code.terms = no_terms(periodic_axes(code.coordinates));
  const std::size_t before = in.bits();
  read_terms(in, code.terms);
  code.bits.terms = in.bits() - before;
  read_coefficients(in, code);
  code.bits.coefficients = in.bits() - before - code.bits.terms - code.bits.scales;
  in.finish();
  return code;
}

}  // namespace mercer
