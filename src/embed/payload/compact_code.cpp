#include "embed/payload/compact_code.hpp"

#include <algorithm>

#include "embed/payload/integer_code.hpp"
#include "io/limits.hpp"

namespace mercer {
namespace {

constexpr auto most_ridges = static_cast<std::uint32_t>(limits::continuous_terms);

// The constant and every function of frequency 1.
void make_linear(Terms& terms) { add_tensor(terms, Family::legendre, IndexRule::total, 1); }

bool is_linear(const Terms& terms) {
  const TensorTerms& tensor = terms.tensor;
  if (tensor.family != Family::legendre || tensor.set.rule != IndexRule::total || tensor.set.degree != 1) return false;
  return tensor.set.limits.empty() && tensor.kept.size() == count_indices(tensor.set, most_ridges);
}

void write_ridges(BitWriter& out, const Terms& terms) {
  const RidgeTerms& ridges = terms.ridges;
  const std::size_t size = terms.ridge_count();
  out.put(ridges.bits - 3, 3);
  out.put(ridges.unit, 8);
  out.put_count(static_cast<std::uint32_t>(size - 1), 4);
  put_levels(out, ridges.halvings.empty() ? std::vector<std::uint8_t>(size) : ridges.halvings, 3, 2);
  put_packed(out, ridges.numbers, ridges.bits);
}

void read_compact_ridges(BitReader& in, RidgeTerms& ridges, std::size_t dimensions) {
  ridges.bits = in.get(3) + 3;
  ridges.unit = static_cast<std::uint8_t>(in.get(8));
  if (ridges.bits > 8) throw_corrupt(in.where(), "has ridges of too many bits");
  const std::size_t size = in.get_count(4, most_ridges - 1) + 1;
  ridges.halvings = get_levels(in, size, 3, 2);
  if (std::ranges::all_of(ridges.halvings, [](int halving) { return halving == 0; })) ridges.halvings.clear();
  ridges.numbers = get_packed(in, size * (dimensions + 1), ridges.bits);
}

}  // namespace

void write_compact_terms(BitWriter& out, const Terms& terms) {
  const bool linear = is_linear(terms), tensor = !linear && !terms.tensor.kept.empty(),
             waves = !terms.waves.kept.empty(), ridges = !terms.ridges.numbers.empty(),
             radials = !terms.radials.centres.empty();
  out.put(linear ? 1 : 0, 1);
  out.put(ridges ? 1 : 0, 1);
  out.put(tensor || waves || radials ? 1 : 0, 1);
  if (tensor || waves || radials) {
    if (!linear) out.put(tensor ? 1 : 0, 1);
    out.put(waves ? 1 : 0, 1);
    out.put(radials ? 1 : 0, 1);
  }
  if (tensor) write_tensor(out, terms.tensor);
  if (waves) write_waves(out, terms.waves);
  if (ridges) write_ridges(out, terms);
  if (radials) write_radials(out, terms.radials, terms.dimensions());
}

void read_compact_terms(BitReader& in, Terms& terms) {
  const bool linear = in.get(1) == 1, ridges = in.get(1) == 1, others = in.get(1) == 1;
  const bool tensor = others && !linear && in.get(1) == 1, waves = others && in.get(1) == 1,
             radials = others && in.get(1) == 1;
  if (linear) make_linear(terms);
  if (tensor) read_tensor(in, terms.tensor);
  if (waves) read_waves(in, terms.waves);
  if (ridges) read_compact_ridges(in, terms.ridges, terms.dimensions());
  if (radials) read_radials(in, terms.radials, terms.dimensions());
  if (terms.size() == 0) throw_corrupt(in.where(), "has no terms");
}

}  // namespace mercer
