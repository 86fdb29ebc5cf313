#include "embed/payload/term_code.hpp"

#include <algorithm>

#include "embed/payload/subset_code.hpp"

namespace mercer {
namespace {

constexpr std::uint32_t most_terms = 65536;

void read_tensor(BitReader& in, TensorTerms& tensor) {
  tensor.family = static_cast<Family>(in.get(2));
  tensor.set.rule = static_cast<IndexRule>(in.get(1));
  const bool limited = in.get(1) == 1;
  tensor.set.degree = in.get_count(3, 16);
  for (std::size_t d = 0; limited && d < tensor.set.dimensions(); ++d) {
    tensor.set.limits.push_back(static_cast<std::uint8_t>(in.get(5)));
  }
  const std::size_t size = in.get_count(3, most_terms - 1) + 1, all = count_indices(tensor.set, most_terms + 1);
  if (all > most_terms) throw_corrupt(in.where(), "has more functions than this version takes");
  tensor.kept = read_subset(in, size, all);
}

Kernel read_kernel(BitReader& in) {
  const std::uint32_t kernel = in.get(2);
  if (kernel > 2) throw_corrupt(in.where(), "holds a choice that this version does not know");
  return static_cast<Kernel>(kernel);
}

void read_waves(BitReader& in, WaveTerms& waves) {
  waves.kernel = read_kernel(in);
  waves.length = static_cast<std::uint8_t>(in.get(8));
  waves.seed = in.get_count(0, 0xFFFFFFFE);
  waves.pool = in.get_count(5, most_terms - 1) + 1;
  const std::size_t size = in.get_count(3, most_terms - 1) + 1;
  waves.kept = read_subset(in, size, waves.pool);
}

void read_ridges(BitReader& in, RidgeTerms& ridges, std::size_t dimensions) {
  ridges.bits = in.get(3) + 1;
  ridges.unit = static_cast<std::uint8_t>(in.get(8));
  if (ridges.bits < 3) throw_corrupt(in.where(), "has ridges of too few bits");
  const std::size_t size = in.get_count(3, most_terms - 1) + 1;
  in.need(size * (dimensions + 1), ridges.bits);
  const int most = 1 << (ridges.bits - 1);
  for (std::size_t i = 0; i < size * (dimensions + 1); ++i) {
    const int number = static_cast<int>(in.get(ridges.bits));
    if (number == most) throw_corrupt(in.where(), "holds a number that is never written");
    ridges.numbers.push_back(static_cast<std::int16_t>(number > most ? number - 2 * most : number));
  }
}

void read_radials(BitReader& in, RadialTerms& radials, std::size_t dimensions) {
  radials.kernel = read_kernel(in);
  radials.bits = in.get(3) + 2;
  radials.length = static_cast<std::uint8_t>(in.get(8));
  radials.width_bits = in.get(2);
  const std::size_t size = in.get_count(3, most_terms - 1) + 1;
  in.need(size, dimensions * radials.bits + radials.width_bits);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t d = 0; d < dimensions; ++d)
      radials.centres.push_back(static_cast<std::uint16_t>(in.get(radials.bits)));
    if (radials.width_bits > 0) radials.widths.push_back(static_cast<std::uint8_t>(in.get(radials.width_bits)));
  }
}

}  // namespace

void write_terms(BitWriter& out, const Terms& terms) {
  const TensorTerms& tensor = terms.tensor;
  const std::size_t d = terms.dimensions();
  out.put(tensor.kept.empty() ? 0 : 1, 1);
  out.put(terms.waves.kept.empty() ? 0 : 1, 1);
  out.put(terms.ridges.numbers.empty() ? 0 : 1, 1);
  out.put(terms.radials.centres.empty() ? 0 : 1, 1);
  const auto put_size = [&](std::size_t size) { out.put_count(static_cast<std::uint32_t>(size - 1), 3); };
  if (!tensor.kept.empty()) {
    out.put(static_cast<std::uint32_t>(tensor.family), 2);
    out.put(static_cast<std::uint32_t>(tensor.set.rule), 1);
    out.put(tensor.set.limits.empty() ? 0 : 1, 1);
    out.put_count(static_cast<std::uint32_t>(tensor.set.degree), 3);
    for (const std::uint8_t limit : tensor.set.limits) out.put(std::min<std::uint32_t>(limit, 16), 5);
    put_size(tensor.kept.size());
    write_subset(out, tensor.kept, count_indices(tensor.set, most_terms));
  }
  if (!terms.waves.kept.empty()) {
    out.put(static_cast<std::uint32_t>(terms.waves.kernel), 2);
    out.put(terms.waves.length, 8);
    out.put_count(static_cast<std::uint32_t>(terms.waves.seed), 0);
    out.put_count(terms.waves.pool - 1, 5);
    put_size(terms.waves.kept.size());
    write_subset(out, terms.waves.kept, terms.waves.pool);
  }
  if (!terms.ridges.numbers.empty()) {
    out.put(terms.ridges.bits - 1, 3);
    out.put(terms.ridges.unit, 8);
    put_size(terms.ridge_count());
    for (const std::int16_t number : terms.ridges.numbers) {
      out.put(static_cast<std::uint32_t>(number), terms.ridges.bits);
    }
  }
  if (!terms.radials.centres.empty()) {
    out.put(static_cast<std::uint32_t>(terms.radials.kernel), 2);
    out.put(terms.radials.bits - 2, 3);
    out.put(terms.radials.length, 8);
    out.put(terms.radials.width_bits, 2);
    put_size(terms.radial_count());
    for (std::size_t i = 0; i < terms.radial_count(); ++i) {
      for (std::size_t axis = 0; axis < d; ++axis) out.put(terms.radials.centres[i * d + axis], terms.radials.bits);
      if (terms.radials.width_bits > 0) out.put(terms.radials.widths[i], terms.radials.width_bits);
    }
  }
}

void read_terms(BitReader& in, Terms& terms) {
  const bool tensor = in.get(1) == 1, waves = in.get(1) == 1, ridges = in.get(1) == 1, radials = in.get(1) == 1;
  if (tensor) read_tensor(in, terms.tensor);
  if (waves) read_waves(in, terms.waves);
  if (ridges) read_ridges(in, terms.ridges, terms.dimensions());
  if (radials) read_radials(in, terms.radials, terms.dimensions());
  if (terms.size() == 0) throw_corrupt(in.where(), "has no terms");
}

}  // namespace mercer
