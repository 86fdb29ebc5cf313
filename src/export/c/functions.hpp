#pragma once

#include <array>
#include <string>

#include "mercer/export.hpp"

namespace mercer {

// Least largest error, found by weighted least squares on 4001 Chebyshev points.

/// sin(pi / 2 s) = s (c0 + c1 s^2 + ...) for |s| <= 1, to 3.4e-9.
inline constexpr std::array<double, 5> sine_polynomial{1.5707962900221255, -0.645963359861968, 0.07968848052385366,
                                                       -0.004672227898132364, 0.00015082055198792902};
/// 2^f = c0 + c1 f + ... for 0 <= f <= 1, to 1.9e-9 of itself.
inline constexpr std::array<double, 7> power_polynomial{
    1.0000000018557123,  0.6931469838428662,    0.24022983625862399,   0.05548334202593375,
    0.00967884094869587, 0.0012439688016988486, 0.00021702255502887855};

/// Functions in C that float controllers are put together from: each a whole definition.
namespace float_functions {

std::string unusable();               ///< int unusable(float): not a number, infinite or absurdly large, by its bits
std::string sine();                   ///< float sine(float t): sin(2 pi t)
std::string power();                  ///< float power(float t): 2^t
std::string exponential(CMath math);  ///< float exponential(float x)
std::string bend(CMath math);         ///< float bend(float u): tanh
std::string square_root(CMath math);  ///< float square_root(float x)

}  // namespace float_functions

/// Functions in C that fixed-point controllers are put together from; `q` bits after the point. Their twins in C++ are
/// in fixed_machine.cpp.
namespace fixed_functions {

std::string multiply(int q);     ///< int32_t mul(int64_t a, int32_t b)
std::string sine(int q);         ///< int32_t sine(int64_t turns): sin(2 pi turns)
std::string power(int q);        ///< int64_t power(int64_t t): 2^t, 30 bits after the point
std::string bend(int q);         ///< int32_t bend(int64_t u): tanh, 30 bits after the point
std::string square_root(int q);  ///< int32_t square_root(int64_t v)

}  // namespace fixed_functions

}  // namespace mercer
