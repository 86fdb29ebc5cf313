#pragma once

#include <array>

namespace mercer {

// Least largest error, found by weighted least squares on 4001 Chebyshev points.

/// sin(pi / 2 s) = s (c0 + c1 s^2 + ...) for |s| <= 1, to 3.4e-9.
inline constexpr std::array<double, 5> sine_polynomial{1.5707962900221255, -0.645963359861968, 0.07968848052385366,
                                                       -0.004672227898132364, 0.00015082055198792902};
/// 2^f = c0 + c1 f + ... for 0 <= f <= 1, to 1.9e-9 of itself.
inline constexpr std::array<double, 7> power_polynomial{
    1.0000000018557123,  0.6931469838428662,    0.24022983625862399,   0.05548334202593375,
    0.00967884094869587, 0.0012439688016988486, 0.00021702255502887855};

}  // namespace mercer
