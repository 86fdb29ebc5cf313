#include "embed/payload/subset_code.hpp"

#include <algorithm>

#include <boost/multiprecision/cpp_int.hpp>

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

// Bits that tell ranks 0 .. C(count, size) - 1 apart.
std::size_t rank_bits(std::size_t size, std::size_t count) {
  const cpp_int last = binomial(count, size) - 1;
  return last == 0 ? 0 : msb(last) + 1;
}

unsigned plain_bits(std::size_t count) { return static_cast<unsigned>(std::bit_width(count - 1)); }
bool as_bitmap(std::size_t size, std::size_t count) { return count <= size * plain_bits(count); }

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

}  // namespace mercer
