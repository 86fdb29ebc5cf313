#include "embed/payload/integer_code.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "embed/payload/range_code.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::array<unsigned, 8> level_widths{0, 1, 2, 3, 4, 5, 6, 8};

// The spread with the least information in all.
unsigned best_spread(std::span<const std::int16_t> numbers, unsigned bits) {
  std::array<double, 1U << (LaplaceModel::most_bits - 1)> count{};
  for (const std::int16_t number : numbers) ++count[static_cast<std::size_t>(std::abs(number))];
  unsigned best = 0;
  double least = HUGE_VAL;
  for (unsigned spread = 0; spread < LaplaceModel::spreads; ++spread) {
    const LaplaceModel model(bits, spread);
    double information = 0;
    for (int size = 0; size <= model.most(); ++size)
      information -= count[static_cast<std::size_t>(size)] * std::log2(model.frequency(size));
    if (information < least) {
      least = information;
      best = spread;
    }
  }
  return best;
}

}  // namespace

int most_integer(unsigned bits) { return (1 << (bits - 1)) - 1; }

void put_integers(BitWriter& out, std::span<const std::int16_t> numbers, unsigned bits) {
  for (const std::int16_t number : numbers) out.put(static_cast<std::uint32_t>(std::int32_t{number}), bits);
}

std::vector<std::int16_t> get_integers(BitReader& in, std::size_t count, unsigned bits) {
  in.need(count, bits);
  std::vector<std::int16_t> numbers(count);
  const int most = 1 << (bits - 1);
  for (std::int16_t& number : numbers) {
    const int got = static_cast<int>(in.get(bits));
    if (got == most) throw_corrupt(in.where(), "holds a number that is never written");
    number = static_cast<std::int16_t>(got > most ? got - 2 * most : got);
  }
  return numbers;
}

void put_packed(BitWriter& out, std::span<const std::int16_t> numbers, unsigned bits) {
  if (bits <= LaplaceModel::most_bits) {
    const unsigned spread = best_spread(numbers, bits);
    BitWriter coded;
    coded.put(1, 1);
    coded.put(spread, 5);
    const LaplaceModel model(bits, spread);
    RangeEncoder encoder(coded);
    for (const std::int16_t number : numbers) encoder.put(model, number);
    encoder.finish();
    if (coded.bits() < 1 + numbers.size() * bits) return out.append(coded);
  }
  out.put(0, 1);
  put_integers(out, numbers, bits);
}

std::vector<std::int16_t> get_packed(BitReader& in, std::size_t count, unsigned bits) {
  if (in.get(1) == 0) return get_integers(in, count, bits);
  if (bits > LaplaceModel::most_bits) throw_corrupt(in.where(), "holds a choice that this version does not know");
  const LaplaceModel model(bits, in.get(5));
  need_packed(in, count, bits);
  std::vector<std::int16_t> numbers(count);
  RangeDecoder decoder(in);
  for (std::int16_t& number : numbers) number = static_cast<std::int16_t>(decoder.get(model));
  decoder.finish();
  return numbers;
}

void need_packed(const BitReader& in, std::size_t count, unsigned bits) {
  // No model gives an integer more than 2/3, and log2(3/2) > 1/2.
  bits <= LaplaceModel::most_bits ? in.need(count / 2, 1) : in.need(count, bits);
}

void put_levels(BitWriter& out, std::span<const std::uint8_t> numbers, unsigned base_bits, unsigned width_bits) {
  if (numbers.empty()) return;
  const auto [least, most] = std::ranges::minmax(numbers);
  std::uint32_t code = 0;
  while (code < level_widths.size() && most - least >= 1 << level_widths[code]) ++code;
  if (code >= 1U << width_bits) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("numbers of a payload are up to {} apart; legal: up to {}", most - least,
                            (1 << level_widths[(1U << width_bits) - 1]) - 1),
                "Raise the smallest");
  }
  out.put(least, base_bits);
  out.put(code, width_bits);
  for (const std::uint8_t number : numbers) out.put(static_cast<std::uint32_t>(number - least), level_widths[code]);
}

std::vector<std::uint8_t> get_levels(BitReader& in, std::size_t count, unsigned base_bits, unsigned width_bits) {
  std::vector<std::uint8_t> numbers;
  if (count == 0) return numbers;
  const std::uint32_t least = in.get(base_bits), width = level_widths[in.get(width_bits)];
  in.need(count, width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = least + in.get(width);
    if (number >= 1U << base_bits) throw_corrupt(in.where(), "holds a number beyond its legal range");
    numbers.push_back(static_cast<std::uint8_t>(number));
  }
  return numbers;
}

}  // namespace mercer
