#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"

namespace mercer {

/// Writes numbers as few bytes: whole ones seven bits a byte, floats as they are (little-endian).
class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  template <class Whole>
  void whole(Whole value) {
    while (value >= 128) {
      byte(static_cast<std::uint8_t>(value & 127) | 128);
      value >>= 7;
    }
    byte(static_cast<std::uint8_t>(value));
  }
  void real(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint8_t>(bits >> shift));
  }
  void text(std::string_view value) {
    whole(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  /// Numbers of `bits` bits each (1 to 32), one after the other.
  void packed(std::span<const std::size_t> numbers, unsigned bits) {
    std::uint64_t held = 0;
    unsigned filled = 0;
    for (const std::size_t number : numbers) {
      held |= std::uint64_t{number} << filled;
      for (filled += bits; filled >= 8; filled -= 8, held >>= 8) byte(static_cast<std::uint8_t>(held));
    }
    if (filled > 0) byte(static_cast<std::uint8_t>(held));
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Reads them back. Whatever runs past the end, or is beyond what was said to be legal, is a `corrupt_file` error
/// naming `where`: nothing is allocated for a count that the remaining bytes could not hold.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  std::uint8_t byte() {
    if (place_ >= bytes_.size()) throw_corrupt(where_, "ends before the payload does");
    return bytes_[place_++];
  }
  /// At most `most`.
  template <class Whole>
  Whole whole(Whole most) {
    Whole value = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(Whole); shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<Whole>(next & 127) << shift;
      if (next < 128) {
        if (value > most) break;
        return value;
      }
    }
    throw_corrupt(where_, "holds a number beyond its legal range");
  }
  /// A count of things that take at least `bytes_each` each.
  std::size_t count(std::size_t most, std::size_t bytes_each) {
    const auto value = static_cast<std::size_t>(whole<std::uint64_t>(most));
    if (value > (bytes_.size() - place_) / bytes_each) throw_corrupt(where_, "announces more than it holds");
    return value;
  }
  float real() {
    std::uint32_t bits = 0;
    for (int shift = 0; shift < 32; shift += 8) bits |= static_cast<std::uint32_t>(byte()) << shift;
    return std::bit_cast<float>(bits);
  }
  std::string text(std::size_t most) {
    const std::size_t size = count(most, 1);
    std::string value(size, '\0');
    std::memcpy(value.data(), bytes_.data() + place_, size);
    place_ += size;
    return value;
  }
  std::vector<std::size_t> packed(std::size_t count, unsigned bits) {
    if (count > (bytes_.size() - place_) * 8 / bits) throw_corrupt(where_, "announces more than it holds");
    std::vector<std::size_t> numbers(count);
    std::uint64_t held = 0;
    unsigned filled = 0;
    for (std::size_t& number : numbers) {
      for (; filled < bits; filled += 8) held |= std::uint64_t{byte()} << filled;
      number = static_cast<std::size_t>(held & ((std::uint64_t{1} << bits) - 1));
      held >>= bits;
      filled -= bits;
    }
    return numbers;
  }
  void finish() const {
    if (place_ != bytes_.size()) throw_corrupt(where_, "goes on after its payload");
  }
  const std::string& where() const { return where_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::string where_;
  std::size_t place_ = 0;
};

}  // namespace mercer
