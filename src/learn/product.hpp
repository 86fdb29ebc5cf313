#pragma once

#include <Eigen/Core>

namespace mercer::learn {

/// A factor of a product: a column-major matrix whose columns start `stride` numbers apart, or its transpose.
template <class Real>
struct Factor {
  const Real* data = nullptr;
  Eigen::Index stride = 0;
  bool transposed = false;
};

/// What becomes of each number of a product before it is written.
template <class Real>
struct Finish {
  const Real* bias = nullptr;  ///< one number a row, added
  bool rectify = false;        ///< then max(x, 0)
  const Real* gate = nullptr;  ///< laid out as the product: 0 where this is not above 0
};

struct ProductSize {
  Eigen::Index rows = 0;
  Eigen::Index columns = 0;
  Eigen::Index depth = 0;  ///< numbers in each sum, at least 1
};

/// out = finish(a b), column-major with columns `stride` numbers apart. `out` overlaps no factor.
///
/// The float version picks instructions at run time (AVX-512, AVX2 with FMA, or what the library was compiled for).
/// Each number is one sum in the order of the factors' common axis, so it depends neither on its place nor on the size
/// of the product; the first two give the same bits, the third rounds each product too. Costs 2 rows columns depth
/// operations; allocates once a thread.
template <class Real>
void multiply(const ProductSize& size, const Factor<Real>& a, const Factor<Real>& b, Real* out, Eigen::Index stride,
              const Finish<Real>& finish = {});

/// The instruction sets that `multiply` can choose from on this machine, best first; and one of them by its index, for
/// tests and measurements.
std::size_t product_kernels();
void multiply_with(std::size_t kernel, const ProductSize& size, const Factor<float>& a, const Factor<float>& b,
                   float* out, Eigen::Index stride, const Finish<float>& finish = {});

}  // namespace mercer::learn
