#pragma once

#include <string>

namespace mercer {

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
