#pragma once

#include <array>

#include "embed/payload/term_code.hpp"

namespace mercer {

/// A distribution of integers from -most to most, most = 2^(bits - 1) - 1, that falls off by the same factor at each
/// step away from 0: a discretised Laplace distribution, the same on every machine.
///
/// Weights are w_0 = 2^20 and w_{k+1} = w_k - floor(4 w_k / q) with q = (4 + (j + 1) mod 4) 2^floor((j + 1) / 4) for
/// spread j, so that about a share 4 / q is lost at each step. With S = 2 most + 1 integers and C_i the sum of the
/// weights of the i smallest ones, of C_S in all, frequencies out of 2^16 add up to i + floor(C_i (2^16 - S) / C_S).
class LaplaceModel {
 public:
  static constexpr unsigned total_bits = 16, spreads = 32, most_bits = 8;

  /// 3 to 8 bits, spread 0 to 31.
  LaplaceModel(unsigned bits, unsigned spread);

  int most() const { return most_; }
  /// The frequencies of all integers below `number` together, -most <= number <= most + 1.
  std::uint32_t below(int number) const { return below_[static_cast<std::size_t>(number + most_)]; }
  std::uint32_t frequency(int number) const { return below(number + 1) - below(number); }
  /// The integer with below(number) <= place < below(number + 1); place < 2^16.
  int at(std::uint32_t place) const;

 private:
  int most_;
  std::array<std::uint32_t, 1U << most_bits> below_{};
};

/// Codes integers one after the other by narrowing an interval of 32 bits in proportion to their frequencies; writes
/// each bit as soon as both ends of the interval have it. A message takes at most its information, the sum of
/// log2(2^16 / frequency), and 2 bits and 1e-4 bits an integer more. State: three 32-bit numbers.
class RangeEncoder {
 public:
  explicit RangeEncoder(BitWriter& out) : out_(out) {}
  void put(const LaplaceModel& model, int number);
  /// Call it once, after the last number.
  void finish();

 private:
  void put_bit(std::uint32_t bit);

  BitWriter& out_;
  std::uint32_t low_ = 0, high_ = 0xFFFFFFFF;
  std::size_t pending_ = 0;  // bits that follow the next one and are its opposite
};

/// Takes them back; bits after the end count as 0 until `finish`.
class RangeDecoder {
 public:
  explicit RangeDecoder(BitReader& in);
  int get(const LaplaceModel& model);
  /// Moves the reader behind the message. Throws `corrupt_file` if it ends before.
  void finish();

 private:
  BitReader& in_;
  std::uint32_t low_ = 0, high_ = 0xFFFFFFFF, code_ = 0;
  std::size_t shifts_ = 0;
};

}  // namespace mercer
