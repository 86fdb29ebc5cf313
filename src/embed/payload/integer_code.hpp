#pragma once

#include "embed/payload/term_code.hpp"

namespace mercer {

/// The largest integer of `bits` bits, 2^(bits - 1) - 1; the smallest is its negative.
int most_integer(unsigned bits);

/// Integers of `bits` bits (3 to 16), two's complement.
void put_integers(BitWriter& out, std::span<const std::int16_t> numbers, unsigned bits);
/// Back. Throws `corrupt_file`, also for -2^(bits - 1), which is never written.
std::vector<std::int16_t> get_integers(BitReader& in, std::size_t count, unsigned bits);

/// A group of integers behind a bit that says how they are written: 0, as above; 1, with the spread of a `LaplaceModel`
/// (5 bits) and by its frequencies. Whichever is shorter is written; more than 8 bits are never coded.
void put_packed(BitWriter& out, std::span<const std::int16_t> numbers, unsigned bits);
/// Back. Throws `corrupt_file`.
std::vector<std::int16_t> get_packed(BitReader& in, std::size_t count, unsigned bits);
/// Throws `corrupt_file` if so many cannot be left, however they are written.
void need_packed(const BitReader& in, std::size_t count, unsigned bits);

/// Numbers that are near each other: the smallest in `base_bits` bits, a code of `width_bits` bits (2 or 3) for a
/// width, then what each has above the smallest in that many bits. Widths are 0 to 3, and 4, 5, 6 and 8. No numbers: no
/// bits. Throws `out_of_range` for numbers too far apart.
void put_levels(BitWriter& out, std::span<const std::uint8_t> numbers, unsigned base_bits, unsigned width_bits);
std::vector<std::uint8_t> get_levels(BitReader& in, std::size_t count, unsigned base_bits, unsigned width_bits);

}  // namespace mercer
