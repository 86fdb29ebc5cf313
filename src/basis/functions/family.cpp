#include <vector>

#include "basis/functions/family_rows.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

constexpr std::array<std::string_view, 4> names{"legendre", "chebyshev", "cosine", "hermite"};

}  // namespace

std::string_view family_name(Family family) { return names[static_cast<std::size_t>(family)]; }

Family parse_family(std::string_view name) {
  if (name == "fourier") return Family::cosine;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Family>(i);
  }
  std::vector<std::string> known(names.begin(), names.end());
  known.emplace_back("fourier");
  throw_unknown("family of functions", name, known);
}

void evaluate_family(Family family, bool periodic, double x, std::span<double> out) {
  fill_family(family, periodic, x, out.size(), out.data());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] *= family_norm(family, periodic, k);
}

}  // namespace mercer
