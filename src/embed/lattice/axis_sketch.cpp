#include "embed/lattice/axis_sketch.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "mercer/error.hpp"

namespace mercer {

void AxisSketch::keep(double number) {
  whole_.insert(number);
  only_whole_ = std::rint(number) == number && whole_.size() <= bins_;
  if (!only_whole_) whole_.clear();
}

void AxisSketch::add(std::span<const double> numbers) {
  sketch_.add(numbers);
  for (std::size_t i = 0; i < numbers.size() && only_whole_; ++i) keep(numbers[i]);
}

void AxisSketch::merge(const AxisSketch& other) {
  sketch_.merge(other.sketch_);
  if (!other.only_whole_) {
    only_whole_ = false;
    whole_.clear();
  }
  for (const double number : other.whole_) {
    if (only_whole_) keep(number);
  }
}

std::optional<Edges> AxisSketch::whole() const {
  if (!only_whole_) return std::nullopt;
  return whole_number_edges(std::vector<double>(whole_.begin(), whole_.end()), bins_);
}

// A byte, how many whole numbers, those, the sketch.
std::string AxisSketch::to_bytes() const {
  const std::vector<double> whole(whole_.begin(), whole_.end());
  const std::uint64_t count = whole.size();
  std::string bytes(1, only_whole_ ? 1 : 0);
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  bytes.append(reinterpret_cast<const char*>(whole.data()), count * sizeof(double));
  return bytes + sketch_.to_bytes();
}

AxisSketch AxisSketch::from_bytes(std::size_t bins, const std::string& bytes) {
  std::uint64_t count = 0;
  constexpr std::size_t head = 1 + sizeof count;
  if (bytes.size() >= head) std::memcpy(&count, bytes.data() + 1, sizeof count);
  if (bytes.size() < head || count > (bytes.size() - head) / sizeof(double)) {
    throw Error(ErrorCode::corrupt_file, "what was seen of a dimension is damaged", "Make it again");
  }
  std::vector<double> whole(count);
  if (count > 0) std::memcpy(whole.data(), bytes.data() + head, count * sizeof(double));
  AxisSketch axis(bins, QuantileSketch::from_bytes(bytes.substr(head + count * sizeof(double))));
  axis.only_whole_ = bytes[0] != 0;
  axis.whole_.insert(whole.begin(), whole.end());
  return axis;
}

}  // namespace mercer
