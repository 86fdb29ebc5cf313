#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "mercer/functions.hpp"

namespace mercer {

/// Writes numbers of any number of bits one after the other, low bits first.
class BitWriter {
 public:
  /// The low `bits` bits (0 to 32) of a number.
  void put(std::uint32_t value, unsigned bits) {
    for (unsigned b = 0; b < bits; ++b, ++filled_) {
      if (filled_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= static_cast<std::uint8_t>((value >> b & 1U) << filled_ % 8);
    }
  }
  /// An integer of any size, small ones in few bits: exponential Golomb code with 2^order numbers in its first
  /// step.
  void put_count(std::uint32_t value, unsigned order) {
    const std::uint64_t step = (std::uint64_t{value} >> order) + 1;
    const auto more = static_cast<unsigned>(std::bit_width(step)) - 1;
    put(0, more);
    put(1, 1);
    put(static_cast<std::uint32_t>(step), more);
    put(value, order);
  }
  void append(const BitWriter& other) {
    for (std::size_t b = 0; b < other.filled_; ++b) put(other.bytes_[b / 8] >> b % 8 & 1U, 1);
  }
  std::size_t bits() const { return filled_; }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t filled_ = 0;
};

/// Reads them back; running past the end, numbers beyond what is legal, and anything after the last number are
/// `corrupt_file` errors naming `where`.
class BitReader {
 public:
  BitReader(std::span<const std::uint8_t> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  std::uint32_t get(unsigned bits) {
    if (bits > left()) throw_corrupt(where_, "ends before the payload does");
    std::uint32_t value = 0;
    for (unsigned b = 0; b < bits; ++b, ++place_) {
      value |= static_cast<std::uint32_t>(bytes_[place_ / 8] >> place_ % 8 & 1U) << b;
    }
    return value;
  }
  std::uint32_t get_count(unsigned order, std::uint32_t most) {
    unsigned more = 0;
    while (get(1) == 0) ++more;
    if (more > 31) throw_corrupt(where_, "holds a number beyond its legal range");
    const std::uint64_t step = (std::uint64_t{1} << more) + get(more);
    const std::uint64_t value = ((step - 1) << order) + get(order);
    if (value > most) throw_corrupt(where_, "holds a number beyond its legal range");
    return static_cast<std::uint32_t>(value);
  }
  /// The bit that is `ahead` bits after the next one; 0 after the end.
  std::uint32_t peek(std::size_t ahead) const {
    return ahead < left() ? bytes_[(place_ + ahead) / 8] >> (place_ + ahead) % 8 & 1U : 0;
  }
  void skip(std::size_t bits) {
    need(bits, 1);
    place_ += bits;
  }
  /// Throws unless `count` numbers of `bits` bits are left. Call it before allocating memory for them.
  void need(std::size_t count, std::size_t bits) const {
    if (bits > 0 && count > left() / bits) throw_corrupt(where_, "announces more than it holds");
  }
  std::size_t left() const { return 8 * bytes_.size() - place_; }
  std::size_t bits() const { return place_; }
  /// Nothing may follow but the zeros that fill the last byte.
  void finish() {
    if (left() >= 8 || get(static_cast<unsigned>(left())) != 0) throw_corrupt(where_, "goes on after its payload");
  }
  const std::string& where() const { return where_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::string where_;
  std::size_t place_ = 0;
};

/// Writes K different numbers below `count` (rising) in the fewest bits that identify them: the rank of the
/// subset among all of its size, ceil(log2 C(count, K)) bits. Beyond 256 of them, where that would be slow, a bitmap or
/// the plain numbers, whichever is shorter. `count` is at most 65536.
void write_subset(BitWriter& out, std::span<const std::uint32_t> subset, std::size_t count);
std::vector<std::uint32_t> read_subset(BitReader& in, std::size_t size, std::size_t count);

/// One kind of terms, of which there is at least one: its settings, size and terms.
void write_tensor(BitWriter& out, const TensorTerms& tensor);
void read_tensor(BitReader& in, TensorTerms& tensor);
void write_waves(BitWriter& out, const WaveTerms& waves);
void read_waves(BitReader& in, WaveTerms& waves);
void write_radials(BitWriter& out, const RadialTerms& radials, std::size_t dimensions);
void read_radials(BitReader& in, RadialTerms& radials, std::size_t dimensions);

/// Terms in few bits: which kinds there are, then each kind's settings, size and terms.
void write_terms(BitWriter& out, const Terms& terms);
/// Back, into terms that have their axes and nothing else. Throws `corrupt_file`; sizes are checked before memory is
/// taken.
void read_terms(BitReader& in, Terms& terms);

}  // namespace mercer
