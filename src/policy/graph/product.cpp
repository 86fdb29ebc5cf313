#include "policy/graph/graph.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

// This file is compiled with contraction of a * b + c, so that sums use the fused instruction where there is one.

namespace mercer {
namespace {

// Numbers in a vector, and rows whose sums stay in registers together.
#if defined(__AVX512F__)
constexpr std::size_t lanes = 16, together = 16;
#elif defined(__AVX__)
constexpr std::size_t lanes = 8, together = 6;
#else
constexpr std::size_t lanes = 4, together = 3;
#endif
constexpr std::size_t vectors = tile_columns / lanes;
static_assert(tile_columns % lanes == 0);

typedef float Vector __attribute__((vector_size(lanes * sizeof(float)), may_alias));

const Vector* row_of(const float* tile, std::size_t row) {
  return reinterpret_cast<const Vector*>(tile + row * tile_columns);
}
Vector* row_of(float* tile, std::size_t row) { return reinterpret_cast<Vector*>(tile + row * tile_columns); }

bool is_zero(const float* tile, std::size_t row) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(_mm512_load_si512(tile + row * tile_columns), _mm512_set1_epi32(0x7fffffff)) == 0;
#else
  std::uint32_t bits = 0;
  for (std::size_t c = 0; c < tile_columns; ++c) bits |= std::bit_cast<std::uint32_t>(tile[row * tile_columns + c]);
  return bits << 1 == 0;  // whatever the signs
#endif
}

// Only the rows in `present` of the input.
void multiply_rows(const float* weights, const float* bias, std::span<const std::uint32_t> present, const float* in,
                   float* out) {
  Vector sums[together][vectors];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < together; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = Vector{} + bias[r];
  }
  for (const std::uint32_t k : present) {
    const Vector* const x = row_of(in, k);
    const float* const own = weights + k * together;
#pragma GCC unroll 16
    for (std::size_t r = 0; r < together; ++r) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] += own[r] * x[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < together; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) row_of(out, r)[v] = sums[r][v];
  }
}

// A row alone, as four sums: one would wait for itself.
void multiply_row(const float* weights, float bias, std::size_t inputs, const float* in, float* out) {
  constexpr std::size_t parts = 4;
  for (std::size_t v = 0; v < vectors; ++v) {
    Vector sums[parts] = {Vector{} + bias, Vector{}, Vector{}, Vector{}};
    std::size_t k = 0;
    for (; k + parts <= inputs; k += parts) {
#pragma GCC unroll 4
      for (std::size_t p = 0; p < parts; ++p) sums[p] += weights[k + p] * row_of(in, k + p)[v];
    }
    for (; k < inputs; ++k) sums[0] += weights[k] * row_of(in, k)[v];
    row_of(out, 0)[v] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

}  // namespace

Product::Product(const std::vector<float>& weights, std::vector<float> bias, std::size_t inputs)
    : inputs_(inputs), bias_(std::move(bias)) {
  finite_ = std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); });
  weights_.reserve(weights.size());
  std::size_t row = 0;
  for (; row + together <= outputs(); row += together) {
    for (std::size_t k = 0; k < inputs_; ++k) {
      for (std::size_t r = 0; r < together; ++r) weights_.push_back(weights[(row + r) * inputs_ + k]);
    }
  }
  weights_.insert(weights_.end(), weights.begin() + static_cast<std::ptrdiff_t>(row * inputs_), weights.end());
}

void Product::run(const float* in, float* out) const {
  std::size_t row = 0;
  if (outputs() >= together) {
    // Behind a rectifier whole rows are zero, often a third of them. Sums that never are -0 do not change by what is
    // left out, so a column still does not depend on the others.
    thread_local std::vector<std::uint32_t> present;
    if (present.size() < inputs_) present.resize(inputs_);
    std::size_t count = 0;
    for (std::size_t k = 0; k < inputs_; ++k) {
      present[count] = static_cast<std::uint32_t>(k);
      count += !finite_ || !is_zero(in, k) ? 1 : 0;
    }
    for (; row + together <= outputs(); row += together) {
      multiply_rows(weights_.data() + row * inputs_, bias_.data() + row, std::span(present).first(count), in,
                    out + row * tile_columns);
    }
  }
  for (; row < outputs(); ++row) {
    multiply_row(weights_.data() + row * inputs_, bias_[row], inputs_, in, out + row * tile_columns);
  }
}

}  // namespace mercer
