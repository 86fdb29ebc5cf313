#include <algorithm>

#include "distil/student.hpp"

namespace mercer::distil {
namespace {

NumberFormat format_of(unsigned bits) {
  constexpr NumberFormat formats[] = {NumberFormat::int4, NumberFormat::int5, NumberFormat::int6, NumberFormat::int7,
                                      NumberFormat::int8};
  return formats[std::clamp(bits, 4U, 8U) - 4];
}

}  // namespace

ContinuousCode code_of(const Student& student, const Task& task, const Rounding& rounding) {
  const RidgeShape& s = student.shape;
  const std::vector<int> integers = integers_of(student, rounding);
  const std::vector<double> units = rounding.units(s);
  ContinuousCode code;
  code.head = s.output == Output::score ? Head::logits : Head::mean;
  code.squash = s.output != Output::clip;
  code.format = format_of(rounding.grid.coefficient_bits);
  code.ranges = has_finite_ranges(task.observation) ? StoredRanges::contract : StoredRanges::power;
  code.coordinates = student.scale.coordinates;
  code.outputs = static_cast<std::size_t>(s.outputs);
  code.scales = rounding.scales;
  code.terms = no_terms(periodic_axes(student.scale.coordinates));
  add_tensor(code.terms, Family::legendre, IndexRule::total, s.linear ? 1 : 0);
  if (s.ridges > 0) code.terms.ridges = {rounding.grid.ridge_bits, rounding.unit, {}, rounding.halvings};
  for (Index i = 0; i < s.output_begin(); ++i) {
    code.terms.ridges.numbers.push_back(static_cast<std::int16_t>(integers[static_cast<std::size_t>(i)]));
  }
  const std::vector<std::uint8_t> indices = list_indices(code.terms.tensor.set);
  const std::size_t d = student.scale.coordinates.size();
  for (Index o = 0; o < s.outputs; ++o) {
    const Index row = s.output_begin() + o * s.output_row();
    const auto number = [&](Index i) {
      const auto place = static_cast<std::size_t>(row + i);
      return integers[place] * units[place];
    };
    for (std::size_t t = 0; t < indices.size() / d; ++t) {
      const auto index = std::span(indices).subspan(t * d, d);
      const auto axis = std::ranges::find(index, 1) - index.begin();
      code.coefficients.push_back(
          number(axis == static_cast<std::ptrdiff_t>(d) ? s.output_row() - 1 : s.ridges + axis));
    }
    for (Index r = 0; r < s.ridges; ++r) code.coefficients.push_back(number(r));
  }
  return code;
}

}  // namespace mercer::distil
