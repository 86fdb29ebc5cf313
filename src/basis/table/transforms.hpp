#pragma once

#include <complex>
#include <span>

namespace mercer::transforms {

/// Plain transforms over all axes of a row-major array, not scaled. The FFT library is behind what this header declares
/// and nowhere else. Safe to call from several threads.

/// The spectrum of a real array: frequencies 0 to n/2 of the last axis, all of the others. `out` has the shape with the
/// last axis n/2 + 1.
void real_to_complex(std::span<const std::size_t> shape, std::span<const double> in,
                     std::span<std::complex<double>> out);
/// The reverse, N times the values. Overwrites `in`.
void complex_to_real(std::span<const std::size_t> shape, std::span<std::complex<double>> in, std::span<double> out);

/// The plain discrete Fourier transform (sign -1, or +1 backward) of `lanes` complex signals at once, in place: place x
/// of lane l is data[x * lanes + l].
inline constexpr std::size_t lanes = 4;
class LanePlan {
 public:
  LanePlan(std::size_t length, bool backward);
  ~LanePlan();
  LanePlan(const LanePlan&) = delete;
  LanePlan& operator=(const LanePlan&) = delete;
  /// From any thread; `data` has length * lanes entries, allocated by the usual operator new.
  void run(std::span<std::complex<double>> data) const;

 private:
  std::size_t length_;
  void* plan_;
};

}  // namespace mercer::transforms
