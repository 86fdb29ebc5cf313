#include "embed/payload/range_code.hpp"

#include <algorithm>

namespace mercer {
namespace {

constexpr std::uint32_t half = 0x80000000, quarter = 0x40000000;
constexpr unsigned last_bits = 2;  // identify a quarter that lies inside the interval

// The part of [low, high] that belongs to a number. What division leaves goes to the largest number.
void narrow(const LaplaceModel& model, int number, std::uint32_t& low, std::uint32_t& high) {
  const std::uint32_t step = (high - low) >> LaplaceModel::total_bits;
  if (number < model.most()) high = low + step * model.below(number + 1) - 1;
  low += step * model.below(number);
}

// Whether the interval is so narrow that a bit of it is known, and what to subtract from both ends before they double:
// the upper half, or the quarter below a middle half, whose first bit is still open.
bool is_narrow(std::uint32_t low, std::uint32_t high, std::uint32_t& from) {
  from = low >= half ? half : high < half ? 0 : quarter;
  return from != quarter || (low >= quarter && high < half + quarter);
}

}  // namespace

LaplaceModel::LaplaceModel(unsigned bits, unsigned spread) : most_((1 << (bits - 1)) - 1) {
  const std::uint32_t q = (4 + (spread + 1) % 4) << (spread + 1) / 4;
  const auto count = static_cast<std::size_t>(2 * most_ + 1), middle = static_cast<std::size_t>(most_);
  std::array<std::uint32_t, 1U << most_bits> weights{};
  std::uint32_t weight = 1U << 20, sum = 0;
  for (std::size_t k = 0; k <= middle; ++k) {
    weights[middle - k] = weights[middle + k] = weight;
    weight -= 4 * weight / q;
  }
  for (std::size_t i = 0; i < count; ++i) {
    below_[i] = sum;
    sum += weights[i];
  }
  below_[count] = sum;
  const std::uint64_t shared = (1U << total_bits) - count;  // each integer has one, so that all can be written
  for (std::size_t i = 0; i <= count; ++i) below_[i] = static_cast<std::uint32_t>(i + below_[i] * shared / sum);
}

int LaplaceModel::at(std::uint32_t place) const {
  const auto end = below_.begin() + 2 * most_ + 1;
  return static_cast<int>(std::upper_bound(below_.begin(), end, place) - below_.begin()) - 1 - most_;
}

void RangeEncoder::put_bit(std::uint32_t bit) {
  out_.put(bit, 1);
  for (; pending_ > 0; --pending_) out_.put(1 - bit, 1);
}

void RangeEncoder::put(const LaplaceModel& model, int number) {
  narrow(model, number, low_, high_);
  for (std::uint32_t from = 0; is_narrow(low_, high_, from);) {
    if (from == quarter) {
      ++pending_;
    } else {
      put_bit(from == half ? 1 : 0);
    }
    low_ = (low_ - from) << 1;
    high_ = (high_ - from) << 1 | 1;
  }
}

void RangeEncoder::finish() {
  ++pending_;
  put_bit(low_ < quarter ? 0 : 1);
}

RangeDecoder::RangeDecoder(BitReader& in) : in_(in) {
  for (std::size_t bit = 0; bit < 32; ++bit) code_ = code_ << 1 | in_.peek(bit);
}

int RangeDecoder::get(const LaplaceModel& model) {
  const std::uint32_t step = (high_ - low_) >> LaplaceModel::total_bits;
  const int number = model.at(std::min((code_ - low_) / step, (1U << LaplaceModel::total_bits) - 1));
  narrow(model, number, low_, high_);
  for (std::uint32_t from = 0; is_narrow(low_, high_, from);) {
    low_ = (low_ - from) << 1;
    high_ = (high_ - from) << 1 | 1;
    code_ = (code_ - from) << 1 | in_.peek(32 + shifts_++);
  }
  return number;
}

void RangeDecoder::finish() { in_.skip(shifts_ + last_bits); }

}  // namespace mercer
