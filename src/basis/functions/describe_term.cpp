#include <cmath>

#include <fmt/format.h>

#include "basis/functions/plain_functions.hpp"
#include "core/number_codes.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

// sqrt(square), in words where it is no integer.
std::string root_text(double square) {
  const double root = std::nearbyint(std::sqrt(square));
  return root * root == square ? fmt::format("{:.0f}", root) : fmt::format("sqrt({:.0f})", square);
}

std::string wave_text(bool periodic, const PlainWave& wave, const std::string& name) {
  const bool odd = !periodic && wave.halves % 2 == 1;
  const std::size_t times = odd ? wave.halves : wave.halves / 2;
  return fmt::format("{}({}{}{}{})", wave.sine ? "sin" : "cos", times == 1 ? "" : fmt::format("{} ", times),
                     periodic ? "" : "pi ", name, odd ? " / 2" : "");
}

std::string tensor_text(const Terms& terms, std::size_t term, std::span<const std::string> names) {
  const std::vector<std::uint8_t> all = list_indices(terms.tensor.set);
  const Family family = terms.tensor.family;
  double above = 1, below = 1;  // the square of the norm
  int sign = 1;
  std::string text;
  for (std::size_t d = 0; d < terms.dimensions(); ++d) {
    const std::size_t k = all[terms.tensor.kept[term] * terms.dimensions() + d];
    if (k == 0) continue;
    if (!text.empty()) text += " ";
    const bool periodic = terms.tensor.set.periodic[d] != 0;
    if (is_trigonometric(family, periodic)) {
      const PlainWave wave = plain_wave(periodic, k);
      text += wave_text(periodic, wave, names[d]);
      sign *= wave.sign;
      above *= 2;
      continue;
    }
    if (family == Family::hermite) {
      text += k == 1 ? names[d] : fmt::format("He{}(3 {})", k, names[d]);
      above *= k == 1 ? 9 : 1;
      below *= std::nearbyint(std::tgamma(static_cast<double>(k) + 1));
    } else {
      text += k == 1 ? names[d] : fmt::format("{}{}({})", polynomial_name(family), k, names[d]);
      above *= family == Family::legendre ? static_cast<double>(2 * k + 1) : 2;
    }
  }
  if (text.empty()) return "1";
  return fmt::format("{}{}{}{}", sign < 0 ? "-" : "", above == 1 ? "" : root_text(above) + ' ', text,
                     below == 1 ? "" : " / " + root_text(below));
}

// b + w . x: `numbers` are w, then b.
std::string affine_text(const Terms& terms, std::span<const double> numbers, std::span<const std::string> names) {
  std::string text = fmt::format("{:.3g}", numbers.back());
  for (std::size_t d = 0; d < terms.dimensions(); ++d) {
    if (numbers[d] == 0) continue;
    text += fmt::format(" {} {:.3g} {}", numbers[d] < 0 ? "-" : "+", std::abs(numbers[d]), names[d]);
    if (terms.tensor.set.periodic[d] != 0) text += " / pi";
  }
  return text;
}

std::string radial_text(const Terms& terms, std::size_t term, std::span<const std::string> names) {
  const double cells = std::ldexp(1.0, static_cast<int>(terms.radials.bits));
  std::string point, centre;
  for (std::size_t d = 0; d < terms.dimensions(); ++d) {
    const char* between = d == 0 ? "" : ", ";
    point += between + names[d] + (terms.tensor.set.periodic[d] != 0 ? " / pi" : "");
    const double at = -1 + 2 * (terms.radials.centres[term * terms.dimensions() + d] + 0.5) / cells;
    centre += fmt::format("{}{:.3g}", between, at);
  }
  const int width = terms.radials.widths.empty() ? 0 : terms.radials.widths[term];
  return fmt::format("{}(|({}) - ({})| / {:.3g})", name(terms.radials.kernel), point, centre,
                     std::ldexp(from_log_scale(terms.radials.length), -width));
}

}  // namespace

std::string describe_term(const Terms& terms, std::size_t term, std::span<const std::string> names) {
  const std::vector<std::size_t> parts = terms.parts();
  if (term < parts[1]) return tensor_text(terms, term, names);
  std::vector<double> numbers(terms.dimensions() + 1);
  if (term < parts[2]) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed,
                   terms.waves.kept[term - parts[1]], numbers);
    return fmt::format("sqrt(2) cos({})", affine_text(terms, numbers, names));
  }
  if (term < parts[3]) {
    const std::size_t ridge = term - parts[2];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = terms.ridges.numbers[ridge * numbers.size() + i] * ridge_unit(terms.ridges, ridge);
    }
    return fmt::format("tanh({})", affine_text(terms, numbers, names));
  }
  return radial_text(terms, term - parts[3], names);
}

}  // namespace mercer
