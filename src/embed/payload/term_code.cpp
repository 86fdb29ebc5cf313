#include "embed/payload/term_code.hpp"

#include <algorithm>

#include <boost/multiprecision/cpp_int.hpp>

#include "embed/payload/integer_code.hpp"
#include "io/limits.hpp"

namespace mercer {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::size_t most_ranked = 256;

// C(n, k)
cpp_int binomial(std::size_t n, std::size_t k) {
  cpp_int value = n < k ? 0 : 1;
  for (std::size_t i = 1; i <= k && n >= k; ++i) value = value * (n - k + i) / i;
  return value;
}

// Bits of a rank from 0 to C(count, size) - 1.
std::size_t rank_bits(std::size_t size, std::size_t count) {
  const cpp_int last = binomial(count, size) - 1;
  return last == 0 ? 0 : msb(last) + 1;
}

unsigned plain_bits(std::size_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }
bool as_bitmap(std::size_t size, std::size_t count) { return count <= size * plain_bits(count); }

constexpr auto most_terms = static_cast<std::uint32_t>(limits::continuous_terms);

void put_size(BitWriter& out, std::size_t size) { out.put_count(static_cast<std::uint32_t>(size - 1), 3); }

Kernel read_kernel(BitReader& in) {
  const std::uint32_t kernel = in.get(2);
  if (kernel > 2) throw_corrupt(in.where(), "holds a choice that this version does not know");
  return static_cast<Kernel>(kernel);
}

void read_ridges(BitReader& in, RidgeTerms& ridges, std::size_t dimensions) {
  ridges.bits = in.get(3) + 1;
  ridges.unit = static_cast<std::uint8_t>(in.get(8));
  if (ridges.bits < 3) throw_corrupt(in.where(), "has ridges of too few bits");
  const std::size_t size = in.get_count(3, most_terms - 1) + 1;
  ridges.numbers = get_integers(in, size * (dimensions + 1), ridges.bits);
}

}  // namespace

void write_subset(BitWriter& out, std::span<const std::uint32_t> subset, std::size_t count) {
  const std::size_t size = subset.size();
  if (size == 0 || size == count) return;
  if (size > most_ranked) {
    if (as_bitmap(size, count)) {
      for (std::size_t i = 0; i < count; ++i) {
        out.put(std::ranges::binary_search(subset, static_cast<std::uint32_t>(i)) ? 1 : 0, 1);
      }
    } else {
      for (const std::uint32_t number : subset) out.put(number, plain_bits(count));
    }
    return;
  }
  cpp_int rank;  // the combinatorial number system: the sum of C(subset[i], i + 1)
  for (std::size_t i = 0; i < size; ++i) rank += binomial(subset[i], i + 1);
  for (std::size_t bits = rank_bits(size, count), now = 0; bits > 0; bits -= now) {
    now = std::min<std::size_t>(bits, 32);
    out.put(static_cast<std::uint32_t>(rank & 0xffffffffU), static_cast<unsigned>(now));
    rank >>= 32;
  }
}

std::vector<std::uint32_t> read_subset(BitReader& in, std::size_t size, std::size_t count) {
  if (size > count) throw_corrupt(in.where(), "keeps more terms than there are");
  std::vector<std::uint32_t> subset;
  if (size == count) {
    for (std::size_t i = 0; i < count; ++i) subset.push_back(static_cast<std::uint32_t>(i));
    return subset;
  }
  if (size == 0) return subset;
  if (size > most_ranked) {
    const bool bitmap = as_bitmap(size, count);
    in.need(bitmap ? count : size, bitmap ? 1 : plain_bits(count));
    for (std::size_t i = 0; i < (bitmap ? count : size); ++i) {
      const std::uint32_t got = in.get(bitmap ? 1 : plain_bits(count));
      if (!bitmap || got == 1) subset.push_back(bitmap ? static_cast<std::uint32_t>(i) : got);
    }
    for (std::size_t i = 0; i < subset.size(); ++i) {
      if (subset[i] >= count || (i > 0 && subset[i] <= subset[i - 1])) throw_corrupt(in.where(), "has no set of terms");
    }
    if (subset.size() != size) throw_corrupt(in.where(), "has no set of terms");
    return subset;
  }
  const std::size_t bits = rank_bits(size, count);
  in.need(bits, 1);
  cpp_int rank;
  for (std::size_t place = 0; place < bits; place += 32) {
    rank |= cpp_int(in.get(static_cast<unsigned>(std::min<std::size_t>(bits - place, 32)))) << place;
  }
  if (rank >= binomial(count, size)) throw_corrupt(in.where(), "has no set of terms");
  subset.resize(size);
  std::size_t n = count - 1;
  cpp_int most = binomial(n, size);  // C(n, k), walked down in n and k
  for (std::size_t k = size; k > 0; --k) {
    for (; rank < most; --n) most = most * (n - k) / n;  // C(n - 1, k) = C(n, k) (n - k) / n
    subset[k - 1] = static_cast<std::uint32_t>(n);
    rank -= most;
    if (k == 1) break;
    if (n >= k) {
      most = most * k / n;  // C(n - 1, k - 1) = C(n, k) k / n
    } else {                // C(n, k) = 0: the rest is the numbers below
      most = binomial(n - 1, k - 1);
    }
    --n;
  }
  return subset;
}

void write_tensor(BitWriter& out, const TensorTerms& tensor) {
  out.put(static_cast<std::uint32_t>(tensor.family), 2);
  out.put(static_cast<std::uint32_t>(tensor.set.rule), 1);
  out.put(tensor.set.limits.empty() ? 0 : 1, 1);
  out.put_count(static_cast<std::uint32_t>(tensor.set.degree), 3);
  for (const std::uint8_t limit : tensor.set.limits) out.put(std::min<std::uint32_t>(limit, 16), 5);
  put_size(out, tensor.kept.size());
  write_subset(out, tensor.kept, count_indices(tensor.set, most_terms));
}

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

void write_waves(BitWriter& out, const WaveTerms& waves) {
  out.put(static_cast<std::uint32_t>(waves.kernel), 2);
  out.put(waves.length, 8);
  out.put_count(static_cast<std::uint32_t>(waves.seed), 0);
  out.put_count(waves.pool - 1, 5);
  put_size(out, waves.kept.size());
  write_subset(out, waves.kept, waves.pool);
}

void read_waves(BitReader& in, WaveTerms& waves) {
  waves.kernel = read_kernel(in);
  waves.length = static_cast<std::uint8_t>(in.get(8));
  waves.seed = in.get_count(0, 0xFFFFFFFE);
  waves.pool = in.get_count(5, most_terms - 1) + 1;
  const std::size_t size = in.get_count(3, most_terms - 1) + 1;
  waves.kept = read_subset(in, size, waves.pool);
}

void write_radials(BitWriter& out, const RadialTerms& radials, std::size_t dimensions) {
  const std::size_t size = radials.centres.size() / dimensions;
  out.put(static_cast<std::uint32_t>(radials.kernel), 2);
  out.put(radials.bits - 2, 3);
  out.put(radials.length, 8);
  out.put(radials.width_bits, 2);
  put_size(out, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t d = 0; d < dimensions; ++d) out.put(radials.centres[i * dimensions + d], radials.bits);
    if (radials.width_bits > 0) out.put(radials.widths[i], radials.width_bits);
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

void write_terms(BitWriter& out, const Terms& terms) {
  out.put(terms.tensor.kept.empty() ? 0 : 1, 1);
  out.put(terms.waves.kept.empty() ? 0 : 1, 1);
  out.put(terms.ridges.numbers.empty() ? 0 : 1, 1);
  out.put(terms.radials.centres.empty() ? 0 : 1, 1);
  if (!terms.tensor.kept.empty()) write_tensor(out, terms.tensor);
  if (!terms.waves.kept.empty()) write_waves(out, terms.waves);
  if (!terms.ridges.numbers.empty()) {
    out.put(terms.ridges.bits - 1, 3);
    out.put(terms.ridges.unit, 8);
    put_size(out, terms.ridge_count());
    put_integers(out, terms.ridges.numbers, terms.ridges.bits);
  }
  if (!terms.radials.centres.empty()) write_radials(out, terms.radials, terms.dimensions());
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
