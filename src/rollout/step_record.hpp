#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "mercer/core/error.hpp"
#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Memory for that many numbers that is not touched before it is written: an episode that ends early costs only the
/// pages it used.
using Untouched = std::unique_ptr<double[]>;
inline Untouched untouched(std::size_t width, std::size_t episodes, std::size_t horizon) {
  try {
    return Untouched(new double[std::max<std::size_t>(1, width * episodes * horizon)]);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large,
                fmt::format("there is no memory for the steps of {} episodes of up to {} steps", episodes, horizon),
                "Ask for a shorter horizon, a smaller batch, or returns only");
  }
}

/// Steps of one kind. They are written where they would stand if every episode had `horizon` steps; `compact` then
/// closes the gaps.
class StepRecord {
 public:
  StepRecord(std::size_t width, std::size_t episodes, std::size_t horizon)
      : width_(width), horizon_(horizon), rows_(untouched(width, episodes, horizon)) {}

  /// Column i of `batch` is step `step` of episode episode[i].
  void write(MatrixView<const double> batch, std::span<const std::size_t> episode, std::size_t step) {
    for (std::size_t i = 0; i < batch.cols(); ++i) {
      double* const row = &rows_[(episode[i] * horizon_ + step) * width_];
      for (std::size_t d = 0; d < width_; ++d) row[d] = batch(d, i);
    }
  }

  /// The rows of all episodes without gaps; episode e has offsets[e+1] - offsets[e] steps.
  std::vector<double> compact(std::span<const std::int64_t> offsets) const {
    std::vector<double> out;
    out.reserve(width_ * static_cast<std::size_t>(offsets.back()));
    for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
      const double* const begin = &rows_[e * horizon_ * width_];
      out.insert(out.end(), begin, begin + width_ * static_cast<std::size_t>(offsets[e + 1] - offsets[e]));
    }
    return out;
  }

 private:
  std::size_t width_;
  std::size_t horizon_;
  Untouched rows_;
};

}  // namespace mercer
