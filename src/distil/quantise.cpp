#include <algorithm>
#include <cmath>

#include "core/number_codes.hpp"
#include "distil/student.hpp"

namespace mercer::distil {
namespace {

constexpr int most_halvings = 7;

int most_of(unsigned bits) { return (1 << (bits - 1)) - 1; }

double nearest(double value, double unit, int most) {
  return std::clamp(std::nearbyint(value / unit), -1.0 * most, 1.0 * most);
}

double error_of(std::span<const float> values, double unit, int most) {
  double sum = 0;
  for (const double value : values) {
    const double off = value - unit * nearest(value, unit, most);
    sum += off * off;
  }
  return sum;
}

float largest_of(std::span<const float> values) {
  float most = 0;
  for (const float value : values) most = std::max(most, std::abs(value));
  return most;
}

// Of the scales that hold the largest number, or nearly so.
std::uint8_t best_scale(std::span<const float> values, int most) {
  const int fits = to_log_scale_above(largest_of(values) / static_cast<double>(most));
  std::uint8_t best = 0;
  double least = HUGE_VAL;
  for (int finer = 0; finer <= 4; ++finer) {
    const auto code = static_cast<std::uint8_t>(std::max(fits - finer, 0));
    const double error = error_of(values, from_log_scale(code), most);
    if (!(error < least)) continue;
    least = error;
    best = code;
  }
  return best;
}

}  // namespace

Vector<float> stored_factors(const Student& student) {
  const RidgeShape& s = student.shape;
  const Eigen::Map<const Vector<float>> reach(student.scale.reach.data(), s.observations);
  Vector<float> out = Vector<float>::Ones(s.size());
  for (Index r = 0; r < s.ridges; ++r) out.segment(r * s.ridge_row(), s.observations) = reach;
  for (Index o = 0; s.linear && o < s.outputs; ++o) {
    out.segment(s.output_begin() + o * s.output_row() + s.ridges, s.observations) = reach / std::sqrt(3.0F);
  }
  return out;
}

std::vector<std::uint8_t> fitting_halvings(const Student& student, const Rounding& rounding) {
  const RidgeShape& s = student.shape;
  const Vector<float> stored = student.numbers.cwiseProduct(stored_factors(student));
  const int most = most_of(rounding.grid.ridge_bits);
  const double unit = from_log_scale(rounding.unit);
  std::vector<std::uint8_t> out;
  for (Index r = 0; r < s.ridges; ++r) {
    const std::span<const float> row(stored.data() + r * s.ridge_row(), static_cast<std::size_t>(s.ridge_row()));
    std::uint8_t best = 0;
    double least = HUGE_VAL;
    for (int halvings = 0; halvings <= most_halvings; ++halvings) {
      const double error = error_of(row, std::ldexp(unit, -halvings), most);
      if (!(error < least)) continue;
      least = error;
      best = static_cast<std::uint8_t>(halvings);
    }
    out.push_back(best);
  }
  return out;
}

Rounding fitting_rounding(const Student& student, const RidgeGrid& grid) {
  const RidgeShape& s = student.shape;
  Rounding out{grid};
  const Vector<float> stored = student.numbers.cwiseProduct(stored_factors(student));
  const auto part = [&](Index begin, Index size) {
    return std::span<const float>(stored.data() + begin, static_cast<std::size_t>(size));
  };
  if (s.ridges > 0) {
    const int most = most_of(grid.ridge_bits);
    out.unit = to_log_scale_above(largest_of(part(0, s.output_begin())) / static_cast<double>(most));
    out.halvings = fitting_halvings(student, out);
  }
  const int most = most_of(grid.coefficient_bits);
  for (Index o = 0; o < s.outputs; ++o) {
    const Index begin = s.output_begin() + o * s.output_row();
    out.scales.push_back(best_scale(part(begin + s.ridges, s.output_row() - s.ridges), most));
    if (s.ridges > 0) out.scales.push_back(best_scale(part(begin, s.ridges), most));
  }
  return out;
}

std::vector<double> Rounding::units(const RidgeShape& s) const {
  std::vector<double> out;
  for (Index r = 0; r < s.ridges; ++r) {
    const double own = std::ldexp(from_log_scale(unit), -halvings[static_cast<std::size_t>(r)]);
    out.insert(out.end(), static_cast<std::size_t>(s.ridge_row()), own);
  }
  std::size_t scale = 0;
  for (Index o = 0; o < s.outputs; ++o) {
    const double rest = from_log_scale(scales[scale++]);
    if (s.ridges > 0) out.insert(out.end(), static_cast<std::size_t>(s.ridges), from_log_scale(scales[scale++]));
    out.insert(out.end(), static_cast<std::size_t>(s.output_row() - s.ridges), rest);
  }
  return out;
}

std::vector<int> integers_of(const Student& student, const Rounding& rounding) {
  const RidgeShape& s = student.shape;
  const std::vector<double> units = rounding.units(s);
  const Vector<float> stored = student.numbers.cwiseProduct(stored_factors(student));
  std::vector<int> out(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto place = static_cast<Index>(i);
    const unsigned bits = place < s.output_begin() ? rounding.grid.ridge_bits : rounding.grid.coefficient_bits;
    out[i] = static_cast<int>(nearest(stored[place], units[i], most_of(bits)));
  }
  return out;
}

Vector<float> rounded(const Student& student, const Rounding& rounding) {
  if (!rounding.grid.rounds()) return student.numbers;
  const std::vector<int> integers = integers_of(student, rounding);
  const std::vector<double> units = rounding.units(student.shape);
  const Vector<float> factors = stored_factors(student);
  Vector<float> out(student.numbers.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto place = static_cast<Index>(i);
    out[place] = static_cast<float>(integers[i] * units[i]) / factors[place];
  }
  return out;
}

}  // namespace mercer::distil
