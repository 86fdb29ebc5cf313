#include "learn/pack.hpp"

#include <algorithm>

namespace mercer::learn {
namespace {

using Eigen::Index;

// out[k * width + i] = numbers[i * stride + k]: `width` columns side by side, for each step of the depth.
void interleave(const float* numbers, Index stride, Index width, Index depth, float* out, Index out_stride) {
  using S = Simd<4>;
  using Vector = typename S::Vector;
  Index i = 0;
  for (; i + 4 <= width; i += 4) {
    const float* const from = numbers + i * stride;
    Index k = 0;
    for (; k + 4 <= depth; k += 4) {
      const Vector r0 = S::at(from + k), r1 = S::at(from + stride + k);
      const Vector r2 = S::at(from + 2 * stride + k), r3 = S::at(from + 3 * stride + k);
      const Vector low01 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
      const Vector low23 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
      const Vector high01 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
      const Vector high23 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
      float* const to = out + k * out_stride + i;
      S::at(to) = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
      S::at(to + out_stride) = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
      S::at(to + 2 * out_stride) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
      S::at(to + 3 * out_stride) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
    }
    for (; k < depth; ++k) {
      for (Index r = 0; r < 4; ++r) out[k * out_stride + i + r] = from[r * stride + k];
    }
  }
  for (; i < width; ++i) {
    for (Index k = 0; k < depth; ++k) out[k * out_stride + i] = numbers[i * stride + k];
  }
}

// `width` numbers of each step of the depth, which stand together already. Most are a few vectors: no call for those.
void copy_rows(const float* numbers, Index stride, Index width, Index depth, float* out, Index out_stride) {
  using S = Simd<4>;
  for (Index k = 0; k < depth; ++k, numbers += stride, out += out_stride) {
    Index i = 0;
    for (; i + 4 <= width; i += 4) S::at(out + i) = S::at(numbers + i);
    for (; i < width; ++i) out[i] = numbers[i];
  }
}

}  // namespace

void pack_left(const Factor<float>& a, Index row, Index k, Index width, Index depth, float* out, Index rows) {
  if (width < rows) std::fill_n(out, rows * depth, 0.0F);
  if (a.transposed) {
    interleave(a.data + row * a.stride + k, a.stride, width, depth, out, rows);
  } else {
    copy_rows(a.data + row + k * a.stride, a.stride, width, depth, out, rows);
  }
}

void pack_right(const Factor<float>& b, Index k, Index column, Index width, Index depth, float* out) {
  if (b.transposed) {
    copy_rows(b.data + column + k * b.stride, b.stride, width, depth, out, width);
  } else {
    interleave(b.data + column * b.stride + k, b.stride, width, depth, out, width);
  }
}

}  // namespace mercer::learn
