#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/basis/family.hpp"
#include "mercer/basis/index_set.hpp"
#include "mercer/basis/kernel.hpp"

namespace mercer {

/// Products of one-dimensional orthonormal functions, by their number in an index set.
struct TensorTerms {
  Family family = Family::legendre;
  IndexSet set;
  std::vector<std::uint32_t> kept{};  ///< rising
};

/// Random Fourier features, by their number among the first `pool` of a seed.
struct WaveTerms {
  Kernel kernel = Kernel::matern52;
  std::uint8_t length = 192;          ///< of the kernel, 2^((code - 192) / 8)
  std::uint64_t seed = 0;             ///< below 2^32
  std::uint32_t pool = 0;             ///< at most 65536
  std::vector<std::uint32_t> kept{};  ///< rising
};

/// tanh(w . x + b) with w and b on a grid: whole numbers of `bits` bits times a unit.
struct RidgeTerms {
  unsigned bits = 4;                    ///< 3 to 8
  std::uint8_t unit = 192;              ///< 2^((code - 192) / 8)
  std::vector<std::int16_t> numbers{};  ///< w then b for each term, |.| < 2^(bits - 1)
};

/// k(|x - z| / width) with centres on a grid of 2^bits cells along each axis, in a few widths.
struct RadialTerms {
  Kernel kernel = Kernel::gaussian;
  unsigned bits = 6;                     ///< 2 to 9
  std::uint8_t length = 176;             ///< the largest width, 2^((code - 192) / 8)
  unsigned width_bits = 0;               ///< 0 to 3; width w is length / 2^w
  std::vector<std::uint16_t> centres{};  ///< one number for each axis, for each term
  std::vector<std::uint8_t> widths{};    ///< one for each term; empty without width_bits
};

/// Functions of coordinates x in [-1, 1]^d: a whole dictionary, or the few of it that an embedding keeps. Numbered in
/// the order of the parts. Everything about them is in these whole numbers, which pack into few bits.
struct Terms {
  TensorTerms tensor{};
  WaveTerms waves{};
  RidgeTerms ridges{};
  RadialTerms radials{};

  std::size_t dimensions() const { return tensor.set.dimensions(); }
  std::size_t ridge_count() const { return ridges.numbers.size() / (dimensions() + 1); }
  std::size_t radial_count() const { return radials.centres.size() / dimensions(); }
  std::size_t size() const { return tensor.kept.size() + waves.kept.size() + ridge_count() + radial_count(); }
  /// Where each part begins, and the size.
  std::vector<std::size_t> parts() const;
};

/// Terms on axes of which some are periodic, none yet.
Terms no_terms(std::vector<std::uint8_t> periodic);
/// All of an index set.
void add_tensor(Terms& terms, Family family, IndexRule rule, std::size_t degree, std::vector<std::uint8_t> limits = {});
/// The first `count` features of a seed.
void add_waves(Terms& terms, Kernel kernel, double length, std::uint64_t seed, std::size_t count);
/// `count` different ridges: random directions, slopes up to `steepest` (a coordinate's change by 2 moves a ridge by
/// up to twice that), biases so that the ridge bends inside the box.
void add_ridges(Terms& terms, unsigned bits, double steepest, std::size_t count, std::uint64_t seed);
/// Bumps around the given coordinates (columns), each in every width; those that round to the same are one.
void add_radials(Terms& terms, Kernel kernel, unsigned bits, double length, unsigned width_bits,
                 MatrixView<const double> centres);

/// Those with the given numbers (each once), in rising order.
Terms select_terms(const Terms& terms, std::span<const std::size_t> chosen);

/// "P2(cos_theta) P1(speed)", "tanh(0.3 cos_theta - 1.2)", "matern52(|x - z|/0.5)": names[d] is what axis d is called.
std::string describe_term(const Terms& terms, std::size_t term, std::span<const std::string> names);

/// Throws `out_of_range`, `shape_mismatch` or `bad_value` unless every number is legal.
void check_terms(const Terms& terms);

}  // namespace mercer
