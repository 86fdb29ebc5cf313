#include "embed/payload/subset_code.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr std::size_t most_ranked = 256;

// A whole number of any size, low digits first: just what binomial coefficients need.
class Big {
 public:
  explicit Big(std::uint32_t value = 0) : digits_{value} {}

  void multiply(std::uint32_t by) {
    std::uint64_t carry = 0;
    for (std::uint32_t& digit : digits_) {
      carry += std::uint64_t{digit} * by;
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) digits_.push_back(static_cast<std::uint32_t>(carry));
  }
  void divide(std::uint32_t by) {
    std::uint64_t rest = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      rest = rest << 32 | digits_[i];
      digits_[i] = static_cast<std::uint32_t>(rest / by);
      rest %= by;
    }
    trim();
  }
  void add(const Big& other) {
    digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      carry += std::uint64_t{digits_[i]} + (i < other.digits_.size() ? other.digits_[i] : 0);
      digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    trim();
  }
  void subtract(const Big& other) {  // not more than there is
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      const std::uint64_t take = (i < other.digits_.size() ? other.digits_[i] : 0) + borrow;
      borrow = digits_[i] < take ? 1 : 0;
      digits_[i] = static_cast<std::uint32_t>(digits_[i] - take);
    }
    trim();
  }
  bool operator<(const Big& other) const {
    if (digits_.size() != other.digits_.size()) return digits_.size() < other.digits_.size();
    return std::lexicographical_compare(digits_.rbegin(), digits_.rend(), other.digits_.rbegin(), other.digits_.rend());
  }
  std::size_t width() const {
    return 32 * (digits_.size() - 1) + static_cast<std::size_t>(std::bit_width(digits_.back()));
  }
  std::uint32_t digit(std::size_t i) const { return i < digits_.size() ? digits_[i] : 0; }
  void set_digits(std::vector<std::uint32_t> digits) {
    digits_ = std::move(digits);
    trim();
  }

 private:
  void trim() {
    while (digits_.size() > 1 && digits_.back() == 0) digits_.pop_back();
  }
  std::vector<std::uint32_t> digits_;
};

// C(n, k)
Big binomial(std::size_t n, std::size_t k) {
  Big value(n < k ? 0 : 1);
  for (std::size_t i = 1; i <= k && n >= k; ++i) {
    value.multiply(static_cast<std::uint32_t>(n - k + i));
    value.divide(static_cast<std::uint32_t>(i));
  }
  return value;
}

// Bits that tell ranks 0 .. C(count, size) - 1 apart.
std::size_t rank_bits(std::size_t size, std::size_t count) {
  Big last = binomial(count, size);
  last.subtract(Big(1));
  return last.width();
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
  Big rank;  // the combinatorial number system: the sum of C(subset[i], i + 1)
  for (std::size_t i = 0; i < size; ++i) rank.add(binomial(subset[i], i + 1));
  std::size_t bits = rank_bits(size, count);
  for (std::size_t i = 0; bits > 0; ++i) {
    const auto now = static_cast<unsigned>(std::min<std::size_t>(bits, 32));
    out.put(rank.digit(i), now);
    bits -= now;
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
  std::size_t bits = rank_bits(size, count);
  in.need(bits, 1);
  std::vector<std::uint32_t> digits;
  for (; bits > 0; bits -= std::min<std::size_t>(bits, 32)) {
    digits.push_back(in.get(static_cast<unsigned>(std::min<std::size_t>(bits, 32))));
  }
  if (digits.empty()) digits.push_back(0);
  Big rank;
  rank.set_digits(std::move(digits));
  if (!(rank < binomial(count, size))) throw_corrupt(in.where(), "has no set of terms");
  subset.resize(size);
  std::size_t n = count - 1;
  Big most = binomial(n, size);  // C(n, k), walked down in n and k
  for (std::size_t k = size; k > 0; --k) {
    while (rank < most) {  // C(n - 1, k) = C(n, k) (n - k) / n
      most.multiply(static_cast<std::uint32_t>(n - k));
      most.divide(static_cast<std::uint32_t>(n));
      --n;
    }
    subset[k - 1] = static_cast<std::uint32_t>(n);
    rank.subtract(most);
    if (k == 1) break;
    if (n >= k) {  // C(n - 1, k - 1) = C(n, k) k / n
      most.multiply(static_cast<std::uint32_t>(k));
      most.divide(static_cast<std::uint32_t>(n));
    } else {  // C(n, k) = 0: the rest is the numbers below
      most = binomial(n - 1, k - 1);
    }
    --n;
  }
  return subset;
}

}  // namespace mercer
