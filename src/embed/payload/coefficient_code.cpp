#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "core/number_codes.hpp"
#include "embed/payload/code_parts.hpp"
#include "embed/payload/integer_code.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

bool is_whole(NumberFormat format) { return format >= NumberFormat::int16; }

// Coefficients first to last of an output that belong to one part of the terms and share a scale.
struct Group {
  std::size_t first, last, scale, part;
};

// By output, then part; compact codes go through the parts first, so that what is alike is together.
std::vector<Group> groups_of(const ContinuousCode& code, bool compact) {
  const std::vector<std::size_t> parts = code.terms.parts();
  std::vector<Group> groups;
  for (std::size_t o = 0; o < code.outputs; ++o) {
    for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
      const std::size_t begin = o * parts.back();
      if (parts[p] < parts[p + 1]) groups.push_back({begin + parts[p], begin + parts[p + 1], groups.size(), p});
    }
  }
  if (compact) std::ranges::stable_sort(groups, {}, &Group::part);
  return groups;
}

// Groups of zeros take the smallest scale of the others: scales that are alike are short in compact codes.
std::vector<std::uint8_t> fitting_scales(const ContinuousCode& code, const std::vector<Group>& groups, bool compact) {
  std::vector<std::uint8_t> scales(groups.size());
  std::vector<bool> zero(groups.size());
  std::uint8_t least = 255;
  for (const Group& group : groups) {
    double most = 0;
    for (std::size_t i = group.first; i < group.last; ++i) most = std::max(most, std::abs(code.coefficients[i]));
    scales[group.scale] = to_log_scale_above(most / (most_integer(format_bits(code.format)) + 0.499));
    zero[group.scale] = most == 0;
    if (most > 0) least = std::min(least, scales[group.scale]);
  }
  for (std::size_t i = 0; compact && i < scales.size(); ++i) {
    if (zero[i]) scales[i] = least;
  }
  return scales;
}

[[noreturn]] void refuse(double value, NumberFormat format, const std::string& limit, const char* instead) {
  throw Error(ErrorCode::out_of_range, fmt::format("coefficient {} does not fit {}, {}", value, name(format), limit),
              instead);
}

void write_floats(BitWriter& out, const ContinuousCode& code, const std::vector<Group>& groups) {
  for (const Group& group : groups) {
    for (std::size_t i = group.first; i < group.last; ++i) {
      const double value = code.coefficients[i];
      if (code.format == NumberFormat::float32) {
        out.put(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 32);
        continue;
      }
      if (!(std::abs(value) < 65520))
        refuse(value, code.format, "which ends at 65504", "Take float32, or int16 and a scale");
      out.put(to_half(value), 16);
    }
  }
}

void write_integers(BitWriter& out, const ContinuousCode& code, const std::vector<Group>& groups, bool compact) {
  const unsigned bits = format_bits(code.format);
  const std::vector<std::uint8_t> scales = code.scales.empty() ? fitting_scales(code, groups, compact) : code.scales;
  if (scales.size() != groups.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} scales for {}", scales.size(), groups.size()),
                "Give one for each output and part, or none");
  }
  if (compact) {
    put_levels(out, scales, 8, 3);
  } else {
    for (const std::uint8_t scale : scales) out.put(scale, 8);
  }
  std::vector<std::int16_t> numbers;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double unit = from_log_scale(scales[groups[g].scale]);
    for (std::size_t i = groups[g].first; i < groups[g].last; ++i) {
      const double number = std::nearbyint(code.coefficients[i] / unit);
      if (!(std::abs(number) <= most_integer(bits))) {
        refuse(code.coefficients[i], code.format, fmt::format("with unit {}", unit), "Take float32, or a larger scale");
      }
      numbers.push_back(static_cast<std::int16_t>(number));
    }
    if (compact && g + 1 < groups.size() && groups[g].part == groups[g + 1].part) continue;
    compact ? put_packed(out, numbers, bits) : put_integers(out, numbers, bits);
    numbers.clear();
  }
}

void read_floats(BitReader& in, ContinuousCode& code, const std::vector<Group>& groups) {
  const unsigned bits = format_bits(code.format);
  in.need(code.terms.size() * code.outputs, bits);
  code.coefficients.resize(code.terms.size() * code.outputs);
  for (const Group& group : groups) {
    for (std::size_t i = group.first; i < group.last; ++i) {
      const std::uint32_t got = in.get(bits);
      code.coefficients[i] = bits == 32 ? std::bit_cast<float>(got) : from_half(static_cast<std::uint16_t>(got));
      if (!std::isfinite(code.coefficients[i])) throw_corrupt(in.where(), "holds a coefficient that is no number");
    }
  }
}

void read_integers(BitReader& in, ContinuousCode& code, const std::vector<Group>& groups, bool compact) {
  const unsigned bits = format_bits(code.format);
  const std::size_t before = in.bits(), total = code.terms.size() * code.outputs;
  if (compact) {
    need_packed(in, total, bits);
    code.scales = get_levels(in, groups.size(), 8, 3);
  } else {
    in.need(total, bits);
    for (std::size_t g = 0; g < groups.size(); ++g) code.scales.push_back(static_cast<std::uint8_t>(in.get(8)));
  }
  code.bits.scales = in.bits() - before;
  code.coefficients.resize(total);
  for (std::size_t g = 0, end = 0; g < groups.size(); g = end) {
    std::size_t count = 0;
    for (end = g; end < groups.size() && (end == g || (compact && groups[end].part == groups[g].part)); ++end)
      count += groups[end].last - groups[end].first;
    const std::vector<std::int16_t> numbers = compact ? get_packed(in, count, bits) : get_integers(in, count, bits);
    auto number = numbers.begin();
    for (std::size_t i = g; i < end; ++i) {
      const double unit = from_log_scale(code.scales[groups[i].scale]);
      for (std::size_t at = groups[i].first; at < groups[i].last; ++at) code.coefficients[at] = *number++ * unit;
    }
  }
}

}  // namespace

void write_coefficients(BitWriter& out, const ContinuousCode& code, bool compact) {
  const std::vector<Group> groups = groups_of(code, compact);
  is_whole(code.format) ? write_integers(out, code, groups, compact) : write_floats(out, code, groups);
}

void read_coefficients(BitReader& in, ContinuousCode& code, bool compact) {
  const std::vector<Group> groups = groups_of(code, compact);
  is_whole(code.format) ? read_integers(in, code, groups, compact) : read_floats(in, code, groups);
}

}  // namespace mercer
