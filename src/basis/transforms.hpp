#pragma once

#include <complex>
#include <span>

namespace mercer::transforms {

/// Plain transforms over all axes of a row-major array, not scaled. The FFT library is behind these four functions and
/// nowhere else. Safe to call from several threads.

/// The spectrum of a real array: frequencies 0 to n/2 of the last axis, all of the others. `out` has the shape with the
/// last axis n/2 + 1.
void real_to_complex(std::span<const std::size_t> shape, std::span<const double> in,
                     std::span<std::complex<double>> out);
/// The reverse, N times the values. Overwrites `in`.
void complex_to_real(std::span<const std::size_t> shape, std::span<std::complex<double>> in, std::span<double> out);

/// y[k] = 2 sum_x in[x] cos(pi (2 x + 1) k / (2 n)) on every axis. `in` and `out` may be the same.
void cosine_forward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out);
/// Its reverse: prod(2 n) times the values.
void cosine_backward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out);

}  // namespace mercer::transforms
