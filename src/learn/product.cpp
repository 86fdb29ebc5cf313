#include "learn/product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "learn/pack.hpp"

// This file is compiled with contraction of a * b + c: the same instruction sums every number, wherever it stands.

#define MERCER_INLINE __attribute__((always_inline)) inline

namespace mercer::learn {
namespace {

using Eigen::Index;

// A block of the left factor stays in the second-level cache, a panel of the right one in the first.
constexpr Index most_depth = 256;
constexpr Index most_rows = 384;  // a multiple of every kernel's rows

// Where a part of the product goes.
struct Target {
  float* out;
  Index stride;
  Finish<float> finish;
  bool add = false;   // to what stands there: not the first block of the depth
  bool last = false;  // block of the depth: finish

  Target at(Index row, Index column) const {
    Target part = *this;
    part.out += row + column * stride;
    if (finish.bias != nullptr) part.finish.bias += row;
    if (finish.gate != nullptr) part.finish.gate += row + column * stride;
    return part;
  }
};

// Sums that stay in registers: `Vectors` vectors of rows by `Columns` columns. `b` holds `Columns` numbers for each
// step of the depth, `a` as many rows as there are here, the steps `a_stride` apart.
template <Index Lanes, Index Vectors, Index Columns>
MERCER_INLINE void multiply_tile(Index depth, const float* a, Index a_stride, const float* b, const Target& target) {
  using S = Simd<Lanes>;
  using Vector = typename S::Vector;
  Vector sums[Columns][Vectors];
#pragma GCC unroll 16
  for (Index j = 0; j < Columns; ++j) {
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) sums[j][v] = Vector{};
  }
  if (target.add) {
#pragma GCC unroll 16
    for (Index j = 0; j < Columns; ++j) {
#pragma GCC unroll 4
      for (Index v = 0; v < Vectors; ++v) sums[j][v] = S::at(target.out + j * target.stride + v * Lanes);
    }
  }
  for (Index k = 0; k < depth; ++k, a += a_stride, b += Columns) {
    Vector left[Vectors];
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) left[v] = S::at(a + v * Lanes);
#pragma GCC unroll 16
    for (Index j = 0; j < Columns; ++j) {
#pragma GCC unroll 4
      for (Index v = 0; v < Vectors; ++v) sums[j][v] += left[v] * b[j];
    }
  }
  const Finish<float> finish = target.last ? target.finish : Finish<float>{};
#pragma GCC unroll 16
  for (Index j = 0; j < Columns; ++j) {
#pragma GCC unroll 4
    for (Index v = 0; v < Vectors; ++v) {
      const Index at = j * target.stride + v * Lanes;
      Vector sum = sums[j][v];
      if (finish.bias != nullptr) sum += S::at(finish.bias + v * Lanes);
      if (finish.rectify) sum = sum < 0 ? Vector{} : sum;  // NaN stays
      if (finish.gate != nullptr) sum = S::at(finish.gate + at) > 0 ? sum : Vector{};
      S::at(target.out + at) = sum;
    }
  }
}

struct Buffers {
  std::vector<float> left = std::vector<float>(most_rows * most_depth);
  std::array<float, 16 * most_depth> right{};
};

// A kernel: tiles of `Vectors` vectors by `Wide` columns, smaller ones at the edges.
template <Index Lanes, Index Vectors, Index Wide>
struct Kernel {
  static constexpr Index tile_rows = Lanes * Vectors;
  static_assert(most_rows % tile_rows == 0 && Wide <= 16);

  template <Index Columns>
  MERCER_INLINE static void tile(Index rows, Index depth, const float* a, Index a_stride, const float* b,
                                 const Target& target) {
    const Index vectors = (rows + Lanes - 1) / Lanes;
    if (rows % Lanes == 0) return tile_of<Columns>(vectors, depth, a, a_stride, b, target);
    // The last rows are not there: a whole tile beside the result, of which the rest is taken.
    float whole[Columns * tile_rows], gate[Columns * tile_rows], bias[tile_rows];
    Target beside{whole, tile_rows, target.finish, target.add, target.last};
    const auto copy = [&](const float* from, Index from_stride, float* to, Index to_stride) {
      for (Index j = 0; j < Columns; ++j) std::copy_n(from + j * from_stride, rows, to + j * to_stride);
    };
    if (target.add) copy(target.out, target.stride, whole, tile_rows);
    if (target.finish.gate != nullptr) copy(target.finish.gate, target.stride, gate, tile_rows);
    if (target.finish.gate != nullptr) beside.finish.gate = gate;
    if (target.finish.bias != nullptr) std::copy_n(target.finish.bias, rows, bias);
    if (target.finish.bias != nullptr) beside.finish.bias = bias;
    tile_of<Columns>(vectors, depth, a, a_stride, b, beside);
    copy(whole, tile_rows, target.out, target.stride);
  }

  template <Index Columns>
  MERCER_INLINE static void tile_of(Index vectors, Index depth, const float* a, Index a_stride, const float* b,
                                    const Target& target) {
    if (vectors == Vectors) return multiply_tile<Lanes, Vectors, Columns>(depth, a, a_stride, b, target);
    if constexpr (Vectors > 2) {
      if (vectors == 2) return multiply_tile<Lanes, 2, Columns>(depth, a, a_stride, b, target);
    }
    multiply_tile<Lanes, 1, Columns>(depth, a, a_stride, b, target);
  }

  static constexpr Index padded(Index rows) { return (rows + Lanes - 1) / Lanes * Lanes; }

  // A block of the left factor, as it stands or packed (`packed_stride`), by `Columns` columns of the right one.
  static constexpr Index packed_stride = 0;
  template <Index Columns>
  MERCER_INLINE static void panel(Index rows, Index depth, const float* a, Index a_stride, const float* b,
                                  const Target& target) {
    for (Index row = 0; row < rows; row += tile_rows) {
      const Index here = std::min(tile_rows, rows - row);
      const bool packed = a_stride == packed_stride;
      tile<Columns>(here, depth, packed ? a + row * depth : a + row, packed ? padded(here) : a_stride, b,
                    target.at(row, 0));
    }
  }

  // Any number of columns, right factor packed panel by panel.
  MERCER_INLINE static void columns(Index k, Index row, const ProductSize& block, const float* a, Index a_stride,
                                    const Factor<float>& b, float* packed, const Target& target) {
    for (Index column = 0; column < block.columns;) {
      const Index rest = block.columns - column;
      const Index width = rest >= Wide ? Wide : rest >= 4 ? 4 : 1;
      pack_right(b, k, column, width, block.depth, packed);
      const Target here = target.at(row, column);
      if (width == Wide) {
        panel<Wide>(block.rows, block.depth, a, a_stride, packed, here);
      } else if (Wide != 4 && width == 4) {
        panel<4>(block.rows, block.depth, a, a_stride, packed, here);
      } else {
        panel<1>(block.rows, block.depth, a, a_stride, packed, here);
      }
      column += width;
    }
  }

  MERCER_INLINE static void run(const ProductSize& size, const Factor<float>& a, const Factor<float>& b,
                                Target target) {
    thread_local Buffers buffers;
    float* const left = buffers.left.data();
    float* const right = buffers.right.data();
    // For a few columns packing would cost more than the product.
    const bool in_place = !a.transposed && size.columns < 4 && size.rows % Lanes == 0;
    for (Index k = 0; k < size.depth; k += most_depth) {
      const Index depth = std::min(most_depth, size.depth - k);
      target.add = k > 0;
      target.last = k + depth == size.depth;
      for (Index row = 0; row < size.rows; row += most_rows) {
        const ProductSize block{std::min(most_rows, size.rows - row), size.columns, depth};
        if (in_place) {
          columns(k, row, block, a.data + row + k * a.stride, a.stride, b, right, target);
          continue;
        }
        for (Index r = 0; r < block.rows; r += tile_rows) {
          const Index here = std::min(tile_rows, block.rows - r);
          pack_left(a, row + r, k, here, depth, left + r * depth, padded(here));
        }
        columns(k, row, block, left, packed_stride, b, right, target);
      }
    }
  }
};

using Run = void (*)(const ProductSize&, const Factor<float>&, const Factor<float>&, Target);

void run_plain(const ProductSize& size, const Factor<float>& a, const Factor<float>& b, Target target) {
  Kernel<4, 2, 4>::run(size, a, b, target);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void run_avx2(const ProductSize& size, const Factor<float>& a,
                                                  const Factor<float>& b, Target target) {
  Kernel<8, 3, 4>::run(size, a, b, target);
}
__attribute__((target("avx512f"))) void run_avx512(const ProductSize& size, const Factor<float>& a,
                                                   const Factor<float>& b, Target target) {
  Kernel<16, 2, 12>::run(size, a, b, target);
}
#endif

std::vector<Run> usable() {
  std::vector<Run> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(run_avx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) kernels.push_back(run_avx2);
#endif
  kernels.push_back(run_plain);
  return kernels;
}

const std::vector<Run>& kernels() {
  static const std::vector<Run> known = usable();
  return known;
}

template <class Real>
void apply(const ProductSize& size, const Finish<Real>& finish, Real* out, Index stride) {
  for (Index j = 0; j < size.columns; ++j) {
    for (Index i = 0; i < size.rows; ++i) {
      Real& number = out[i + j * stride];
      if (finish.bias != nullptr) number += finish.bias[i];
      if (finish.rectify) number = number < 0 ? Real{0} : number;
      if (finish.gate != nullptr) number = finish.gate[i + j * stride] > 0 ? number : Real{0};
    }
  }
}

}  // namespace

std::size_t product_kernels() { return kernels().size(); }

void multiply_with(std::size_t kernel, const ProductSize& size, const Factor<float>& a, const Factor<float>& b,
                   float* out, Index stride, const Finish<float>& finish) {
  const Run run = kernels().at(kernel);
  if (size.rows > 1 || stride > 1) return run(size, a, b, {out, stride, finish});
  // A single row is a column of the transposed product, and fills the vectors.
  run({size.columns, 1, size.depth}, {b.data, b.stride, !b.transposed}, {a.data, a.stride, !a.transposed},
      {out, size.columns, {}});
  apply(size, finish, out, stride);
}

template <>
void multiply(const ProductSize& size, const Factor<float>& a, const Factor<float>& b, float* out, Index stride,
              const Finish<float>& finish) {
  multiply_with(0, size, a, b, out, stride, finish);
}

template <>
void multiply(const ProductSize& size, const Factor<double>& a, const Factor<double>& b, double* out, Index stride,
              const Finish<double>& finish) {
  using Matrix = Eigen::MatrixXd;
  using Map = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
  const auto whole = [](const Factor<double>& factor, Index rows, Index columns) -> Matrix {
    if (factor.transposed) return Map(factor.data, columns, rows, Eigen::OuterStride<>(factor.stride)).transpose();
    return Map(factor.data, rows, columns, Eigen::OuterStride<>(factor.stride));
  };
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> to(out, size.rows, size.columns, Eigen::OuterStride<>(stride));
  to.noalias() = whole(a, size.rows, size.depth) * whole(b, size.depth, size.columns);
  apply(size, finish, out, stride);
}

}  // namespace mercer::learn
