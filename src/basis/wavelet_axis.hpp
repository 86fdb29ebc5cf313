#pragma once

#include "basis/wavelet_step.hpp"

namespace mercer {

/// All levels of the transform of one axis: `length` entries become `size` coefficients, [a | d coarsest ... d finest].
class WaveletAxis {
 public:
  WaveletAxis(const WaveletFilter& filter, std::size_t length);

  std::size_t length() const { return length_; }
  std::size_t size() const { return size_; }

  /// outer x length x inner to outer x size x inner, and back.
  std::vector<double> analyse(std::vector<double> table, std::size_t outer, std::size_t inner) const;
  std::vector<double> synthesise(const std::vector<double>& coefficients, std::size_t outer, std::size_t inner) const;

  /// The coefficients that entry `position` is made of, each once, and their weights.
  struct Weights {
    std::vector<std::size_t> index;
    std::vector<double> weight;
  };
  void weights_at(std::size_t position, Weights& out) const;

 private:
  // Where the details of a level (0 the finest) begin.
  std::size_t offset(std::size_t level) const { return offsets_[level]; }

  std::size_t length_, size_;
  std::vector<WaveletStep> steps_;
  std::vector<std::size_t> offsets_;
};

}  // namespace mercer
